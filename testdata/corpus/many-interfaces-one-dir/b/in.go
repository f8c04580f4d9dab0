package b

import "github.com/resgen-go/resgen/testdata/corpus/many-interfaces-one-dir/a"

// B uses A.
type B interface {
	//resilience:breaker b
	Do(x a.A) (a.A, error)
}
