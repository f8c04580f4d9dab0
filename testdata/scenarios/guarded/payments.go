// Package guarded has directives on an interface that hold for all its methods,
// and one on a method that adds to them.
package guarded

import "context"

// Payments talks to the payment provider.
//
//resilience:breaker payments
//resilience:bulkhead
type Payments interface {
	// Charge takes money.
	//
	//resilience:timeout slow
	Charge(ctx context.Context, req ChargeRequest) (*Receipt, error)

	// Refund replaces the type's breaker by its own.
	//
	//resilience:breaker refunds
	Refund(ctx context.Context, receipt *Receipt) error

	// Balance has no context.
	Balance(account string) (cents int64, err error)
}

// ChargeRequest says how much to take.
type ChargeRequest struct{ Cents int64 }

// Receipt proves a payment.
type Receipt struct{ ID string }
