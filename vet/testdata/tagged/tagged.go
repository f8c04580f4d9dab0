// want package:`.*`

// Package tagged is wired without guards in this build only.
package tagged

import (
	"context"
	"net/http"
)

// Payments is the client of the payment service.
//
//resilience:breaker
type Payments interface {
	Charge(ctx context.Context, cents int) error
}

type client struct{}

func (client) Charge(context.Context, int) error {
	_, err := http.Get("")
	return err
}

type shop struct{ payments Payments }

func (s shop) Checkout(ctx context.Context) error { return s.payments.Charge(ctx, 1) }
