package c

import (
	"github.com/resgen-go/resgen/testdata/corpus/many-interfaces-one-dir/a"
	"github.com/resgen-go/resgen/testdata/corpus/many-interfaces-one-dir/b"
)

// C uses both.
type C interface {
	//resilience:breaker b
	Do(x a.A, y b.B) error
}
