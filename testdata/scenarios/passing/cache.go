// Package passing has methods that cannot carry the directives of the type, and
// one that is not to carry them.
package passing

import "context"

// Cache keeps values.
//
//resilience:breaker cache
//resilience:timeout cache
type Cache interface {
	Get(ctx context.Context, key string) ([]byte, error)

	// Put has no context for a timeout.
	Put(key string, value []byte) error

	// Len returns no error.
	Len() int

	// Reset returns nothing.
	Reset()

	// Last returns a type that implements error, but is another.
	Last() *Failure

	//resilience:none
	Close() error
}

// Failure implements error.
type Failure struct{}

func (*Failure) Error() string { return "failure" }
