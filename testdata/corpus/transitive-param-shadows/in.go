package fleet

import "github.com/resgen-go/resgen/testdata/corpus/transitive-param-shadows/dock"

// Fleet drives many docks.
//
//resilience:breaker b
type Fleet interface {
	dock.Client
}
