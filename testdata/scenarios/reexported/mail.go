// Package reexported wraps an interface whose methods have types that it cannot
// name but by the aliases of another package.
package reexported

import "github.com/resgen-go/resgen/testdata/scenarios/reexported/lib"

// Mail mails.
//
//resilience:breaker mail
type Mail interface {
	lib.Client
	lib.Opener
}
