//go:build ignore

package in

type ResilientFree struct{}
