package main

import (
	"context"
	"fmt"
	"sync"
)

//go:generate go tool resgen

// Payments is the client of the payment service.
//
//resilience:breaker classify=classifyStatus
//resilience:bulkhead
//resilience:timeout
type Payments interface {
	// Charge takes money and returns the number of the receipt. The provider sells
	// so many charges in a second.
	//
	//resilience:ratelimit
	Charge(ctx context.Context, order string, cents int) (receipt string, err error)

	// Ping asks whether the service is there. Its breaker asks it while OPEN.
	//
	//resilience:probe
	//resilience:none
	Ping(ctx context.Context) error
}

// Inventory is the client of the warehouse.
//
//resilience:breaker classify=classifyStatus
//resilience:bulkhead
//resilience:timeout
type Inventory interface {
	// Pick reserves one item for an order. The warehouse knows an order that it has
	// seen, so that another try picks nothing twice.
	//
	//resilience:retry
	Pick(ctx context.Context, order, item string) error

	// Delivery says in how many days an order arrives. It is asked when the money is
	// taken, so that no order fails for want of a date, and needs no permit.
	//
	//resilience:fallback with=usualDelivery
	//resilience:none bulkhead
	Delivery(ctx context.Context, order string) (days int, err error)
}

// usualDelivery is a promise that the warehouse can keep without being asked.
func usualDelivery(context.Context, string) (days int, err error) { return 7, nil }

// Shop is what the front-end serves.
type Shop interface {
	// Checkout picks the items of a cart and charges for them. It starts only
	// where both services would take its calls, the provider a charge, and the
	// warehouse has room for all four picks.
	//
	//resilience:anticipate check=payments,inventory rate=payments:1 preload=inventory:4
	Checkout(ctx context.Context, cart Cart) (Order, error)
}

// Cart is what a customer wants.
type Cart struct {
	ID    string
	Items []string
	Cents int
}

// Order is what the customer got.
type Order struct {
	ID      string
	Receipt string
	Days    int // until it arrives
}

// shop is the Shop made of the two services.
type shop struct {
	payments  Payments
	inventory Inventory
}

// Checkout picks the items in parallel, each on a permit that its entry holds,
// then charges, and asks when the order arrives.
func (s *shop) Checkout(ctx context.Context, cart Cart) (Order, error) {
	if err := s.pickAll(ctx, cart); err != nil {
		return Order{}, err
	}
	receipt, err := s.payments.Charge(ctx, cart.ID, cart.Cents)
	if err != nil {
		return Order{}, fmt.Errorf("charge %s: %w", cart.ID, err)
	}
	days, err := s.inventory.Delivery(ctx, cart.ID)
	if err != nil {
		return Order{}, fmt.Errorf("deliver %s: %w", cart.ID, err)
	}
	return Order{ID: cart.ID, Receipt: receipt, Days: days}, nil
}

func (s *shop) pickAll(ctx context.Context, cart Cart) error {
	failed := make([]error, len(cart.Items))
	var picks sync.WaitGroup
	for i, item := range cart.Items {
		picks.Go(func() { failed[i] = s.inventory.Pick(ctx, cart.ID, item) })
	}
	picks.Wait()
	for i, err := range failed {
		if err != nil {
			return fmt.Errorf("pick %s: %w", cart.Items[i], err)
		}
	}
	return nil
}
