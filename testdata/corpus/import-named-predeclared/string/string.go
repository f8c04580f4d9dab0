// Package string is called like a type.
package string

// T is a type.
type T struct{}
