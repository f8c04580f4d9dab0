package imported

import "github.com/resgen-go/resgen/testdata/corpus/imported-constraint-target/other"

// M is constrained to one pointer type.
type M[T other.Only] interface {
	//resilience:breaker b
	M(T) error
}
