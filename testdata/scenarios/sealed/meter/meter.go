// Package meter has interfaces that only it can implement.
package meter

import "context"

// Meter has a method of its own name, as generated servers of gRPC have one that
// only embedding brings.
type Meter interface {
	embedded
	Meter(ctx context.Context, name string) (int, error)
	mustEmbedUnimplementedMeter()
}

type embedded interface{ meter() }

// Store is generic.
type Store[K comparable, V any] interface {
	Get(ctx context.Context, key K) (V, error)
	seal(K) V
}

// Unimplemented is for embedding.
type Unimplemented struct{}

func (Unimplemented) meter()                       {}
func (Unimplemented) mustEmbedUnimplementedMeter() {}

// Sealed is for embedding.
type Sealed[K comparable, V any] struct{}

func (Sealed[K, V]) seal(K) (value V) { return value }

// Seal calls what only this package can call.
func Seal[K comparable, V any](s Store[K, V], key K) V { return s.seal(key) }
