// Package in has an interface that no other package can implement.
package in

import (
	"testing"

	"github.com/resgen-go/resgen/testdata/faults/sealed/vault"
)

//resilience:breaker tests
type Tests = testing.TB

type Vault interface {
	vault.Vault

	//resilience:breaker vault
	Open() error
}
