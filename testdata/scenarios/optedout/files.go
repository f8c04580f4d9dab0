// Package optedout has methods that opt out of some guards of the type.
package optedout

import (
	"context"
	"io"
)

// Files is the client of a store.
//
//resilience:breaker files
//resilience:bulkhead files
//resilience:timeout files
type Files interface {
	Get(ctx context.Context, path string) ([]byte, error)

	// Open leaves the body to the caller.
	//
	//resilience:none timeout
	Open(ctx context.Context, path string) (*File, error)

	// Touch is guarded by a breaker of its own and by a timeout.
	//
	//resilience:breaker touches
	//resilience:none bulkhead
	Touch(ctx context.Context, path string) error

	// Ping is left no guard.
	//
	//resilience:none bulkhead breaker timeout
	Ping(ctx context.Context) error

	//resilience:none
	Close() error
}

// File is read after the call.
type File struct {
	Body io.ReadCloser
}
