// Package in declares names of Go's own that wrappers need.
package in

import (
	"context"
	"io"
)

type string struct{}

//resilience:breaker store
type Store interface {
	io.Closer
	io.StringWriter
}

type Shop interface {
	//resilience:anticipate check=store
	Buy(ctx context.Context) error
}
