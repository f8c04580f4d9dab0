// Package in has classify functions that do not fit.
package in

import (
	"errors"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/faults/classify/outcomes"
	. "github.com/resgen-go/resgen/testdata/faults/classify/outcomes"
)

type Store interface {
	//resilience:breaker a classify=clasifyStore
	Missing() error

	//resilience:breaker a classify=wrong
	Wrong() error

	//resilience:breaker a classify=variable
	Variable() error

	//resilience:breaker a classify=generic
	Generic() error

	//resilience:breaker a classify=errors.New
	Other() error

	//resilience:breaker a classify=errors.new
	Hidden() error

	//resilience:breaker a classify=erors.New
	NoImport() error

	//resilience:breaker a classify=outcomes.Clasify
	OtherPackage() error

	//resilience:breaker a classify=Clasify
	DotImport() error

	//resilience:breaker a classify=storeErrors
	Unlike() error
}

func classifyStore(error) resilience.Outcome { return resilience.Success }

func wrong(error) int { return 0 }

func generic[T any](error) resilience.Outcome { return resilience.Success }

var variable = classifyStore

var _, _, _ = errors.New, outcomes.Classify, Classify
