// Package named gives a hidden type a name.
package named

import "github.com/resgen-go/resgen/testdata/faults/test-only/lib/internal/hidden"

type Letter = hidden.Letter
