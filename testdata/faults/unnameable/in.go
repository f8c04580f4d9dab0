// Package in embeds an interface with types that cannot be named here.
package in

import "github.com/resgen-go/resgen/testdata/faults/unnameable/lib"

//resilience:breaker lib
type Client interface {
	lib.Client
}
