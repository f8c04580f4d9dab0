package recursive

import "context"

// Node has itself as the constraint of its type parameter.
type Node[T Node[T]] interface {
	//resilience:breaker b
	Next(ctx context.Context) (T, error)
}

// Tree constrains one type parameter by another, through a pointer.
//
//resilience:breaker b
type Tree[K interface{ ~int | ~string }, V any, P interface {
	*V
	Set(K)
}] interface {
	Put(ctx context.Context, key K, value P) error
	Self() (Tree[K, V, P], error)
}

// Pairs is generic, and an alias.
type Pairs[T any] = map[string][]T

// Twin is a generic alias that stands for an instance of a generic interface.
//
//resilience:breaker b
type Twin[T Node[T]] = Store[Pairs[T], T]

// Store stores.
type Store[K, T any] interface {
	Get(ctx context.Context, key K) (T, error)
}
