package foo

import (
	"cmp"
	"fmt"

	"github.com/resgen-go/resgen/testdata/corpus/constraint-selector/bound"
)

// Foo is constrained from outside.
type Foo[T bound.Bound, K cmp.Ordered, S fmt.Stringer] interface {
	//resilience:breaker b
	Do(k K, s S) (T, error)
}
