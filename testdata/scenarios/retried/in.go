// Package retried has methods that may be called more than once.
package retried

import (
	"context"
	"errors"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Prices is asked again where it fails.
//
//resilience:breaker
//resilience:bulkhead
//resilience:timeout
type Prices interface {
	// Price is the price of a product.
	//
	//resilience:retry
	Price(ctx context.Context, sku string) (cents int, err error)

	// Touch returns nothing but an error.
	//
	//resilience:retry quick when=busy
	Touch(ctx context.Context, sku string) error

	// Drop names the error, its one result.
	//
	//resilience:retry
	Drop(ctx context.Context, sku string) (failure error)

	// Stock has no context, and names that would hide ours.
	//
	//resilience:breaker stock classify=enough
	//resilience:retry stock when=busy
	//resilience:none bulkhead
	Stock(tries, busy, w, resilience string, more ...int) (enough int, failure error)

	// Sell must not happen twice.
	Sell(ctx context.Context, sku string) error
}

// Alone is retried without another guard.
type Alone interface {
	//resilience:retry
	Do(ctx context.Context) (int, error)
}

// ErrBusy is worth another try.
var ErrBusy = errors.New("busy")

func busy(err error) bool { return errors.Is(err, ErrBusy) }

func enough(n int, err error) resilience.Outcome {
	if n == 0 || err != nil {
		return resilience.Failure
	}
	return resilience.Success
}
