package resilience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// given is what the generated method of an entry does whose numbers its call knows.
func given(ctx context.Context, guard *resilience.Guard, next func(context.Context) error, numbers ...int) error {
	var call resilience.Call
	defer call.Release()
	if err := call.BeginEntry(ctx, guard, numbers...); err != nil {
		return err
	}
	return call.Finish(next(call.Context()))
}

func TestEntryE8AnEntryReservesAsManyPermitsAsItsCallKnows(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"p": {"maxConcurrentCalls": 5}}}`)
	entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "p", Number: 1}}})
	for _, n := range []int{-1, 0, 1, 5} {
		err := given(t.Context(), entry, func(context.Context) error {
			if got := bulkheadOf(t, registry, "p").ReservedIdle; got != max(0, n) {
				t.Errorf("of %d items %d permits are reserved", n, got)
			}
			return nil
		}, n)
		if err != nil {
			t.Errorf("of %d items: %v", n, err)
		}
	}
	var refused *resilience.RefusalError
	if err := given(t.Context(), entry, never(t), 6); !errors.As(err, &refused) || !errors.Is(err, resilience.ErrTooLarge) || refused.Wanted != 6 || refused.Available != 5 {
		t.Errorf("of 6 items: %v", err)
	}
	if err := given(t.Context(), entry, never(t), 1<<40); !errors.Is(err, resilience.ErrTooLarge) {
		t.Errorf("of far too many: %v", err)
	}
	if got := bulkheadOf(t, registry, "p"); got.Available != 5 {
		t.Errorf("%+v", got)
	}
}

// The gate asks for as many calls as the call knows, and reserves trials for them.
func TestEntryE8GatesAskForTheNumbersOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, `"testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 4`)
		entry, call := buying(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "p", Number: 1}}})
		open(t, registry)
		end := hold(t, t.Context(), call)
		wantGate(t, given(t.Context(), entry, never(t), 4), "p")
		if err := given(t.Context(), entry, func(ctx context.Context) error {
			if got := breakerOf(t, registry, "p").Trials; got != 4 {
				t.Errorf("%d trials are out, want that of the call and three reserved", got)
			}
			return buy(ctx, call, 3)
		}, 3); err != nil {
			t.Error(err)
		}
		end(nil)
		open(t, registry)
		for range 2 {
			if err := given(t.Context(), entry, returns(nil), 0); err != nil {
				t.Errorf("an entry of no calls: %v", err)
			}
		}
		if got := breakerOf(t, registry, "p").Trials; got != 0 {
			t.Errorf("%d trials are out", got)
		}
	})
}

// Numbers are in the order in which they are named, of rate limits, leases and an
// entry's own guards, too.
func TestEntryE8NumbersGoToWhatNamesThem(t *testing.T) {
	registry := newRegistry(t, `{
		"bulkheads": {"a": {"maxConcurrentCalls": 9}, "b": {"maxConcurrentCalls": 9}, "own": {}},
		"rateLimits": {"r": {"limit": 1, "period": "1h", "burst": 9}}
	}`)
	entry := newGuard(t, registry, resilience.Guards{
		Bulkhead: "own", Timeout: "own", Rate: []resilience.Tokens{{RateLimit: "r", Number: 1}},
		Preload: []resilience.Permits{{Bulkhead: "a", Number: 2}}, Lease: []resilience.Permits{{Bulkhead: "b", Number: 3}},
	})
	err := given(t.Context(), entry, func(context.Context) error {
		s := registry.Snapshot()
		if a, b, own := s.Bulkheads[0].ReservedIdle, s.Bulkheads[1].ReservedIdle, s.Bulkheads[2].InUse; a != 3 || b != 4 || own != 1 || s.RateLimits[0].Available != 7 {
			t.Errorf("reserved %d of a, %d of b, %d of its own, %d tokens left", a, b, own, s.RateLimits[0].Available)
		}
		return nil
	}, 2, 3, 4)
	if err != nil {
		t.Error(err)
	}
	if err := given(t.Context(), entry, returns(nil), 0, 0, 0); err != nil {
		t.Errorf("with nothing to reserve: %v", err)
	}
	time.Sleep(0)
	if s := registry.Snapshot(); s.Bulkheads[0].Available != 9 || s.Bulkheads[1].Available != 9 || s.RateLimits[0].Available != 9 {
		t.Errorf("%+v", s)
	}
}
