// Package generic has interfaces with type parameters.
package generic

import (
	"cmp"
	"context"
	"fmt"
)

// Repository keeps values by key.
//
//resilience:breaker repository
type Repository[K cmp.Ordered, V any] interface {
	Get(ctx context.Context, key K) (V, error)
	Put(ctx context.Context, key K, value V) error
	Range(visit func(K, V) bool)
}

// Summer has constraints that are written in place.
//
//resilience:bulkhead sums
type Summer[N ~int | ~float64, L interface {
	~[]N
	fmt.Stringer
}] interface {
	Sum(list L) (N, error)
}

// Number says what it is to be compared with.
//
//resilience:breaker
type Number[T Number[T]] interface {
	Compare(other T) (int, error)
}
