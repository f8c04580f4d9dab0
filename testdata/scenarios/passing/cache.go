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

	// Last returns an error, but not as its last result.
	Last() (err error, at int64)

	//resilience:none
	Close() error
}
