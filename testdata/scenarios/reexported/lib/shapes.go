package lib

import "github.com/resgen-go/resgen/testdata/scenarios/reexported/lib/internal/shape"

// Shapes is the interface with the shapes.
type Shapes = shape.Shapes

// Seals has a type that this package does not name.
type Seals interface{ Seal(s shape.Seal) error }

// Boxed has boxes.
type Boxed[K comparable] interface {
	Swap(b shape.Pair[int, K]) shape.Pair[K, int]
}

type chained = (shape.Chained)

// The shapes, by their public names.
type (
	Chained        = chained
	Pair[V, K any] = shape.Pair[K, V]
	IntPair        = shape.Pair[int, int]
	Pointer        = *shape.Pointed
	List           = []shape.Listed
	Filter         = func(shape.Filtered) bool
	Other          = shape.Embedded
	Embedded       = shape.Embedded
	PointedAt      = shape.PointedAt
	Handler        = func(*shape.Open) error
	Open           = shape.Open
)
