// Package fallbacks has methods of many shapes that fall back.
package fallbacks

import (
	"context"

	. "github.com/resgen-go/resgen/testdata/corpus/fallbacks/dotted"
	_ "github.com/resgen-go/resgen/testdata/corpus/fallbacks/spare"
)

// Shapes fall back on functions whose names are in the way.
//
//resilience:breaker
//resilience:timeout
type Shapes interface {
	// Variadic hands its values on as a slice.
	//
	//resilience:fallback with=spare.Sum
	Variadic(outer, inner context.Context, ns ...int) (int, error)

	// Spread falls back on a method with the same values.
	//
	//resilience:fallback with=Spread2
	Spread(ctx context.Context, ns ...int) (int, error)

	//resilience:fallback with=call
	Spread2(ctx context.Context, ns ...int) (call int, err error)

	// Named has results that are called like what the wrapper needs.
	//
	//resilience:fallback with=err
	Named(err string) (call, w int, failure error)

	//resilience:fallback with=Dotted
	Blank(_ context.Context, Dotted int) (_ int, _ error)

	//resilience:fallback with=spare.Sum
	Imported(spare, call context.Context, context ...int) (err int, _ error)

	// Sealed is seen by this package alone.
	//
	//resilience:fallback with=failure
	sealed() error

	// Silent returns neither an error nor anything else.
	//
	//resilience:fallback with=w
	Silent(err func(), call ...string)

	// Pair has no error among its results.
	//
	//resilience:retry
	//resilience:fallback with=pair
	Pair(ctx context.Context, err error) (call error, w bool)
}

// Hiding has parameters that are called like the type of the error.
//
//resilience:breaker
type Hiding interface {
	//resilience:retry
	Alone(error string) error

	//resilience:retry
	//resilience:fallback with=hide
	Without(error, string string) (err bool)
}

func hide(error, string string) bool { return error == string }

func call(_ context.Context, ns []int, _ error) (int, error) { return len(ns), nil }

func err(s string, err error) (int, int, error) { return len(s), len(s), nil }

func failure(err error) error { return nil }

func w(err func(), _ []string, _ error) { err() }

func pair(_ context.Context, err, _ error) (error, bool) { return err, true }

// Generic falls back on functions with its type parameters, by other names too.
//
//resilience:breaker
type Generic[K comparable, V interface{ ~int | ~string }] interface {
	//resilience:fallback with=zero
	Load(ctx context.Context, key K) (V, error)

	//resilience:fallback with=Load
	Again(ctx context.Context, key K) (value V, err error)

	//resilience:fallback with=all
	All(keys ...K) []V
}

func zero[Key comparable, Value ~int | ~string](context.Context, Key, error) (value Value, err error) {
	return value, nil
}

func all[K comparable, V ~int | ~string](keys []K, _ error) []V { return make([]V, len(keys)) }

// Instance is a generic interface with its type parameters given.
//
//resilience:breaker instance
type Instance = Generic[string, int]

// Loads embeds methods that fall back.
type Loads interface {
	Shapes
	Close() error
}

var _ = Dotted
