// Package unexported has an interface of its own use, with methods that differ
// in case only.
package unexported

type item struct{ key string }

// store keeps items.
//
//resilience:breaker store
type store interface {
	get(key string) (item, error)
	Get(key string) (item, error)
	GET(key string) (item, error)
	next() error
	Next() error
}

var _ store
