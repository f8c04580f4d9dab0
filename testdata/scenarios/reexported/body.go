package reexported

import (
	"github.com/resgen-go/resgen/testdata/scenarios/reexported/lib"
	"github.com/resgen-go/resgen/testdata/scenarios/reexported/lib/sealed"
)

// Seals has a type that a package names which only bodies mention.
//
//resilience:breaker seals
type Seals interface{ lib.Seals }

func seal() any { return sealed.Seal{} }

var _ = seal
