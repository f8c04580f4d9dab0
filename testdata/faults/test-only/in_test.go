package in

import (
	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/faults/test-only/lib"
	"github.com/resgen-go/resgen/testdata/faults/test-only/lib/named"
)

type Letter = named.Letter

func judge(error) resilience.Outcome { return resilience.Success }

//resilience:breaker classify=judge
type Bell interface{ Ring(l Letter) error }

//resilience:breaker
type Horn interface{ lib.Mailer }
