// Package lib has an interface with a type that others cannot name.
package lib

import "github.com/resgen-go/resgen/testdata/faults/test-only/lib/internal/hidden"

type Mailer interface{ Send(l hidden.Letter) error }
