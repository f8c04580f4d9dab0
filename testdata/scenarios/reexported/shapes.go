package reexported

import "github.com/resgen-go/resgen/testdata/scenarios/reexported/lib"

// Shapes has aliases of all shapes: of aliases, generic ones, of instances and of
// types that have no name.
//
//resilience:breaker shapes
type Shapes interface{ lib.Shapes }

// Sorted names what it embeds by aliases that have type arguments.
//
//resilience:breaker sorted
type Sorted[K comparable] interface {
	lib.Boxed[K]
}
