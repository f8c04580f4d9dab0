// Package in embeds an interface of a package that does not compile.
package in

import (
	"github.com/resgen-go/resgen/testdata/faults/broken-below/asking"
	"github.com/resgen-go/resgen/testdata/faults/broken-below/lib"
)

//resilience:breaker lib
type Client interface {
	lib.Client
}

//resilience:breaker asks
type Asks interface {
	asking.Asking
}

//resilience:breaker fine
type Fine interface {
	Do(f lib.Fine) error
}
