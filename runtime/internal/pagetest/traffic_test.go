package pagetest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// traffic lets customers come until ctx is done. Down ends payments.
func traffic(ctx context.Context, t *testing.T, registry *resilience.Registry, load *sync.WaitGroup) (down *atomic.Bool) {
	t.Helper()
	money, wares, words := &service{takes: 20 * time.Millisecond}, &service{takes: 30 * time.Millisecond}, &service{takes: 90 * time.Millisecond}
	charge, err := NewResilientPayments(payments{money}, registry)
	if err != nil {
		t.Fatal(err)
	}
	pick, err := NewResilientInventory(inventory{wares}, registry)
	if err != nil {
		t.Fatal(err)
	}
	find, err := NewResilientSearch(search{words}, registry)
	if err != nil {
		t.Fatal(err)
	}
	front, err := NewResilientShop(shop{charge, pick}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"accounts", "mail", "reviews"} {
		breaker(t, registry, name)
	}
	every(ctx, load, 25*time.Millisecond, front.Checkout)
	every(ctx, load, 90*time.Millisecond, charge.Charge)
	every(ctx, load, 14*time.Millisecond, find.Find)
	return &money.down
}

// every calls do at a fixed rate.
func every(ctx context.Context, load *sync.WaitGroup, pause time.Duration, do func(context.Context) error) {
	load.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				load.Go(func() { do(ctx) })
			}
		}
	})
}
