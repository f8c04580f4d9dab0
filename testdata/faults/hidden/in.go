// Package in declares names of Go's own that the wrapper needs.
package in

import "io"

type error struct{}

//resilience:breaker store
type Store interface {
	io.Closer
	io.StringWriter
}
