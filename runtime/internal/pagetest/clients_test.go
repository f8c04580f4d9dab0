package pagetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

//go:generate go tool resgen

// Payments takes money.
//
//resilience:breaker
//resilience:bulkhead
//resilience:timeout
type Payments interface {
	Charge(ctx context.Context) error
}

// Inventory is the warehouse.
//
//resilience:breaker
//resilience:bulkhead
type Inventory interface {
	Pick(ctx context.Context) error
}

// Search finds things.
//
//resilience:breaker
//resilience:bulkhead
type Search interface {
	Find(ctx context.Context) error
}

// Shop needs all of them.
type Shop interface {
	//resilience:anticipate check=payments preload=inventory:4
	Checkout(ctx context.Context) error
}

// service is a dependency that is as well as the test wants.
type service struct {
	down  atomic.Bool
	calls atomic.Int64
	takes time.Duration
}

func (s *service) call(ctx context.Context) error {
	n := s.calls.Add(1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.takes):
	}
	if s.down.Load() || n%40 == 0 {
		return errors.New("answered 503: upstream connect error or disconnect before headers")
	}
	return nil
}

type payments struct{ *service }

func (s payments) Charge(ctx context.Context) error { return s.call(ctx) }

type inventory struct{ *service }

func (s inventory) Pick(ctx context.Context) error { return s.call(ctx) }

type search struct{ *service }

func (s search) Find(ctx context.Context) error { return s.call(ctx) }

type shop struct {
	payments  Payments
	inventory Inventory
}

func (s shop) Checkout(ctx context.Context) error {
	for range 3 {
		if err := s.inventory.Pick(ctx); err != nil {
			return err
		}
	}
	return s.payments.Charge(ctx)
}
