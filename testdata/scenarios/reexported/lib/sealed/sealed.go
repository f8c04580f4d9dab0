// Package sealed gives a hidden type a name.
package sealed

import "github.com/resgen-go/resgen/testdata/scenarios/reexported/lib/internal/shape"

// Seal seals.
type Seal = shape.Seal
