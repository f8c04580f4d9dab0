package classified

import . "github.com/resgen-go/resgen/testdata/scenarios/classified/judge"

// Parcels has letters.
//
//resilience:breaker parcels classify=Nothing
type Parcels interface {
	Deliver(l Letter) error
}
