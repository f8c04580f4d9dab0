// Package shape has types that are shown in all shapes.
package shape

// Shapes is shown under its own name.
type Shapes interface {
	Chain(c Chained) error
	Strings(p Pair[string, bool], ints Pair[int, int]) error
	Point(p *Pointed, all []*Pointed) error
	Filter(l []Listed, f func(Filtered) bool) error
	Embed(s struct {
		Embedded
		*PointedAt
	}) error
	Handle(h func(*Open) error) error
}

type (
	Chained        struct{}
	Pair[K, V any] struct {
		Key   K
		Value V
	}
	Pointed   struct{}
	Listed    struct{}
	Filtered  struct{}
	Embedded  struct{}
	PointedAt struct{}
	Open      struct{}
	Seal      struct{}
)
