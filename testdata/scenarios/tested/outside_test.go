package tested_test

import (
	"context"

	"github.com/resgen-go/resgen/testdata/scenarios/tested"
)

// Outside is an interface of the external tests.
//
//resilience:breaker
type Outside interface {
	Do(ctx context.Context, value tested.Value) error
}
