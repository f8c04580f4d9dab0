// Package lib does not compile.
package lib

type Client interface {
	Pointing
	Call(v missing) error
	Keep(by map[Key]string) error
	Embed(in struct{ Missing }, at *struct{ *Missing }) error
}

type Key []int

type Fine struct{}
