// Package ports knows nothing of guards.
package ports

import "context"

type Client interface {
	Charge(ctx context.Context) error
}

type Journal interface {
	Record(ctx context.Context) error
}

type Store[T any] interface {
	Load(ctx context.Context) (T, error)
}

type Cache[T any] interface {
	Get(ctx context.Context) (T, error)
}
