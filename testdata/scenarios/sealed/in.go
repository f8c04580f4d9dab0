// Package sealed guards interfaces that only their own package can implement.
package sealed

import (
	"github.com/resgen-go/resgen/testdata/scenarios/sealed/meter"
	"github.com/resgen-go/resgen/testdata/scenarios/sealed/vault"
)

// Meter is that of package meter.
//
//resilience:breaker meters
//resilience:bulkhead meters
type Meter interface{ meter.Meter }

// Store is generic, and a name for that of package meter.
//
//resilience:breaker meter-store
type Store[K comparable, V any] = meter.Store[K, V]

// Mixed has methods that only two packages can declare, and one that only this can.
type Mixed interface {
	meter.Meter
	vault.Vault

	//resilience:breaker mixed
	Open() error

	mixedNext(nextMixed string) error
}
