// Package nil is called like a value.
package nil

// T is a type.
type T struct{}
