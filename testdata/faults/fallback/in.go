// Package in has fallbacks that can't stand in.
package in

import "context"

//resilience:breaker
type Prices interface {
	//resilience:fallback with=wrongParameter
	Parameter(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=wrongResult
	Result(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=cachd
	Missing(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=Ping
	Method(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=zero
	Generic(ctx context.Context) (int, error)

	//resilience:fallback with=cachedAll
	Variadic(ctx context.Context, skus ...string) (int, error)

	//resilience:fallback with=B
	A(ctx context.Context) error

	//resilience:fallback with=C
	B(ctx context.Context) error

	//resilience:fallback with=A
	C(ctx context.Context) error

	//resilience:fallback with=Itself
	Itself(ctx context.Context) error

	//resilience:fallback with=A
	IntoACircle(ctx context.Context) error

	//resilience:fallback with=Both
	Ambiguous(ctx context.Context) error

	//resilience:none
	Both(ctx context.Context) error

	//resilience:fallback cached
	Without(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=number
	Value(ctx context.Context) error

	Ping(ctx context.Context) error

	// A fallback makes up for the error that it does not return.
	//
	//resilience:bulkhead
	//resilience:fallback with=silent
	Silent(ctx context.Context)

	//resilience:bulkhead
	Unguardable(ctx context.Context)
}

// Store has type parameters that its fallbacks lack, or have otherwise.
type Store[K comparable, V any] interface {
	//resilience:fallback store with=none
	Load(key K) (V, error)

	//resilience:fallback store with=one
	Save(key K) (V, error)

	//resilience:fallback store with=ordered
	Find(key K) (V, error)

	//resilience:fallback store with=turned
	Drop(key K) (V, error)
}

func wrongParameter(context.Context, int, error) (int, error) { return 0, nil }

func wrongResult(context.Context, string, error) (string, error) { return "", nil }

func cached(context.Context, string) (int, error) { return 0, nil }

func zero[T any](context.Context) (int, error) { return 0, nil }

func cachedAll(context.Context, error, ...string) (int, error) { return 0, nil }

func Both(context.Context) error { return nil }

const number = 1

func silent(context.Context) {}

func none(string) (int, error) { return 0, nil }

func one[V any](string) (value V, err error) { return value, nil }

func ordered[K ~int | ~string, V any](K) (value V, err error) { return value, nil }

func turned[V comparable, K any](K) (value V, err error) { return value, nil }
