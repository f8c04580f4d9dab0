package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// patient has a bulkhead of one whose calls wait long.
const patient = `{
	"breakers": {
		"a": {"failureThreshold": 1, "testDelay": "1s"},
		"b": {"failureThreshold": 1, "testDelay": "1s"}
	},
	"bulkheads": {"a": {"maxConcurrentCalls": 1, "maxWaitDuration": "30s"}}
}`

func TestFieldF07WaiterIsToldAtOnceThatItsBreakerOpened(t *testing.T) {
	for name, c := range map[string]struct {
		open func(*testing.T, *resilience.Registry)
		kind resilience.Kind
	}{
		"forced open": {func(t *testing.T, r *resilience.Registry) { handle(t, r, "a").ForceOpen("test") }, resilience.KindForcedOpen},
		"tripped":     {func(t *testing.T, r *resilience.Registry) { handle(t, r, "a").Trip("test") }, resilience.KindOpen},
		"by itself": {func(t *testing.T, r *resilience.Registry) {
			do(t.Context(), newGuard(t, r, resilience.Guards{Breaker: "a"}), returns(errDown))
		}, resilience.KindOpen},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, patient)
				guard := newGuard(t, registry, resilience.Guards{Breaker: "a", Bulkhead: "a"})
				defer hold(t, t.Context(), guard)(nil)
				var waiter sync.WaitGroup
				waiter.Go(func() {
					begin := time.Now()
					err := do(t.Context(), guard, never(t))
					var refusal *resilience.RefusalError
					if !errors.As(err, &refusal) || refusal.Kind != c.kind || time.Since(begin) != time.Second {
						t.Errorf("after %v: %v", time.Since(begin), err)
					}
				})
				time.Sleep(time.Second)
				c.open(t, registry)
				waiter.Wait()
				if got := bulkheadOf(t, registry, "a"); got.Waiting != 0 || got.Refused.Gate != 1 || got.Refused.Full != 0 {
					t.Errorf("figures: %+v", got)
				}
				if got := breakerOf(t, registry, "a"); got.RefusedTotal != 1 {
					t.Errorf("breaker: %+v", got)
				}
			})
		})
	}
}

func TestFieldF07WaiterGoesOnWhileItsBreakerAdmitsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, patient)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "a", Bulkhead: "a"})
		end := hold(t, t.Context(), guard)
		var waiter sync.WaitGroup
		waiter.Go(func() {
			if err := do(t.Context(), guard, returns(nil)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		for _, control := range []func(string){handle(t, registry, "a").Reset, handle(t, registry, "a").Disable, handle(t, registry, "a").MetricsOnly} {
			control("test")
			synctest.Wait()
		}
		end(nil)
		waiter.Wait()
	})
}

func TestFieldF07EntryBehindGatesIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, patient)
		defer hold(t, t.Context(), newGuard(t, registry, resilience.Guards{Bulkhead: "a"}))(nil)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "a"}, {Breaker: "b"}}, Preload: permits("a", 1)})
		var waiter sync.WaitGroup
		waiter.Go(func() {
			begin := time.Now()
			wantGate(t, do(t.Context(), entry, never(t)), "b")
			if took := time.Since(begin); took != time.Second {
				t.Errorf("told after %v", took)
			}
		})
		time.Sleep(time.Second)
		handle(t, registry, "b").ForceOpen("test")
		waiter.Wait()
		if got := bulkheadOf(t, registry, "a"); got.Waiting != 0 || got.Refused.Gate != 1 || got.Refused.Full != 0 {
			t.Errorf("figures: %+v", got)
		}
	})
}

func TestEntryE10FiftyThatWaitAreToldWithin10ms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, patient)
		call := newGuard(t, registry, resilience.Guards{Breaker: "a", Bulkhead: "a"})
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "a"}}, Preload: permits("a", 1)})
		defer hold(t, t.Context(), call)(nil)
		var waiters sync.WaitGroup
		for i := range 50 {
			waiters.Go(func() {
				guard, want := call, resilience.ErrOpen
				if i%2 == 1 {
					guard, want = entry, resilience.ErrGate
				}
				if err := do(t.Context(), guard, never(t)); !errors.Is(err, want) || !strings.Contains(err.Error(), "FORCED_OPEN") {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		if waiting := bulkheadOf(t, registry, "a").Waiting; waiting != 50 {
			t.Fatalf("%d wait", waiting)
		}
		begin := time.Now()
		handle(t, registry, "a").ForceOpen("test")
		waiters.Wait()
		if took := time.Since(begin); took > 10*time.Millisecond {
			t.Errorf("told after %v", took)
		}
	})
}

func TestFieldF14CauseOfACancellationIsInTheError(t *testing.T) {
	errShutdown := errors.New("shutting down")
	check := func(t *testing.T, err error, and error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errShutdown) || and != nil && !errors.Is(err, and) {
			t.Errorf("got %v", err)
		}
		if !strings.Contains(err.Error(), "context canceled: shutting down") {
			t.Errorf("the text is %s", err)
		}
		var refusal *resilience.RefusalError
		if text, _ := json.Marshal(err); !errors.As(err, &refusal) || !strings.Contains(string(text), `"cause":"context canceled: shutting down"`) {
			t.Errorf("the JSON is %s", text)
		}
	}
	all := map[string]resilience.Guards{
		"breaker":              {Breaker: "a"},
		"bulkhead":             {Bulkhead: "a"},
		"breaker and bulkhead": {Breaker: "a", Bulkhead: "a"},
		"timeout":              {Timeout: "a"},
		"gates":                {Check: []resilience.Calls{{Breaker: "a"}}},
		"entry":                {Preload: permits("a", 1)},
		"entry with a call":    {Bulkhead: "a", Check: []resilience.Calls{{Breaker: "a"}}},
	}
	for name, guards := range all {
		t.Run(name+", before it begins", func(t *testing.T) {
			guard := newGuard(t, newRegistry(t, patient), guards)
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errShutdown)
			check(t, do(ctx, guard, never(t)), nil)
		})
		if guards.Bulkhead == "" && guards.Preload == nil {
			continue
		}
		t.Run(name+", while it waits", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, patient)
				defer hold(t, t.Context(), newGuard(t, registry, resilience.Guards{Bulkhead: "a"}))(nil)
				guard := newGuard(t, registry, guards)
				ctx, cancel := context.WithCancelCause(t.Context())
				var waiter sync.WaitGroup
				waiter.Go(func() { check(t, do(ctx, guard, never(t)), resilience.ErrFull) })
				synctest.Wait()
				cancel(errShutdown)
				waiter.Wait()
			})
		})
	}
	t.Run("deadline with a cause", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, patient)
			guard := newGuard(t, registry, resilience.Guards{Bulkhead: "a"})
			defer hold(t, t.Context(), guard)(nil)
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errShutdown)
			defer cancel()
			if err := do(ctx, guard, never(t)); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, resilience.ErrFull) {
				t.Errorf("got %v", err)
			}
			synctest.Wait() // the context may notice its deadline after the bulkhead
			if err := do(ctx, guard, never(t)); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errShutdown) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// begun is what a bulkhead has counted of calls under entries.
type begun struct{ reserved, used, overflow, unused uint64 }

func (want begun) check(t *testing.T, registry *resilience.Registry) {
	t.Helper()
	s := bulkheadOf(t, registry, "a")
	if got := (begun{s.Reserved, s.UsedFromReservation, s.Overflow, s.ReturnedUnused}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func TestFieldF12RefusedTrialsTakeNothingOffTheFigures(t *testing.T) {
	for name, c := range map[string]struct {
		spent bool // the ticket is, when the trial is refused
		want  begun
	}{
		"on a ticket":   {false, begun{1, 0, 0, 1}},
		"past a ticket": {true, begun{1, 1, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, `{
					"breakers": {"a": {"failureThreshold": 1, "successThreshold": 1, "testDelay": "1s"}},
					"bulkheads": {"a": {"maxConcurrentCalls": 9}}
				}`)
				entry := newGuard(t, registry, resilience.Guards{Preload: permits("a", 1)})
				plain := newGuard(t, registry, resilience.Guards{Bulkhead: "a"})
				guard := newGuard(t, registry, resilience.Guards{Breaker: "a", Bulkhead: "a"})
				handle(t, registry, "a").Trip("test")
				time.Sleep(time.Second)
				do(t.Context(), entry, func(ctx context.Context) error {
					if c.spent {
						do(ctx, plain, returns(nil))
					}
					before := bulkheadOf(t, registry, "a")
					// Between gate and permit somebody else takes the only trial.
					ctx = &meddling{Context: ctx, meddle: func() {
						hold(t, t.Context(), newGuard(t, registry, resilience.Guards{Breaker: "a"}))
					}}
					if err := do(ctx, guard, never(t)); !errors.Is(err, resilience.ErrOpen) {
						t.Errorf("got %v", err)
					}
					if after := bulkheadOf(t, registry, "a"); after != before {
						t.Errorf("figures: %+v, before %+v", after, before)
					}
					return nil
				})
				c.want.check(t, registry)
			})
		})
	}
}

func TestFieldF12CallThatMeetsAReloadIsCountedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		preload, calls int
		want           begun
	}{
		"on a ticket":   {2, 0, begun{2, 1, 0, 1}},
		"past a ticket": {1, 1, begun{1, 1, 1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			source, registry := newSource(t, `{"bulkheads": {"a": {"maxConcurrentCalls": 9}}}`)
			entry := newGuard(t, registry, resilience.Guards{Preload: permits("a", c.preload)})
			guard := newGuard(t, registry, resilience.Guards{Breaker: "a", Bulkhead: "a"})
			inside := newGuard(t, registry, resilience.Guards{Bulkhead: "a", Check: []resilience.Calls{{Breaker: "a"}}})
			for _, guard := range []*resilience.Guard{guard, inside} {
				before := bulkheadOf(t, registry, "a")
				do(t.Context(), entry, func(ctx context.Context) error {
					for range c.calls {
						do(ctx, guard, returns(nil))
					}
					size := bulkheadOf(t, registry, "a").MaxConcurrentCalls
					ctx = &meddling{Context: ctx, meddle: func() {
						reload(t, source, registry, fmt.Sprintf(`{"bulkheads": {"a": {"maxConcurrentCalls": %d}}}`, size+1))
					}}
					return do(ctx, guard, returns(nil))
				})
				s := bulkheadOf(t, registry, "a")
				got := begun{s.Reserved - before.Reserved, s.UsedFromReservation - before.UsedFromReservation,
					s.Overflow - before.Overflow, s.ReturnedUnused - before.ReturnedUnused}
				if got != c.want {
					t.Errorf("counted %+v, want %+v", got, c.want)
				}
			}
		})
	}
}

func TestEntryE0RefusalSaysThatItWouldWaitForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"bulkheads": {"a": {"maxConcurrentCalls": 4, "maxWaitDuration": "1h"}}}`)
		outer := newGuard(t, registry, resilience.Guards{Preload: permits("a", 2)})
		inner := newGuard(t, registry, resilience.Guards{Preload: permits("a", 3)})
		var pages sync.WaitGroup
		for i := range 2 {
			pages.Go(func() {
				do(t.Context(), outer, func(ctx context.Context) error {
					time.Sleep(time.Duration(i+1) * time.Second)
					begin := time.Now()
					err := do(ctx, inner, returns(nil))
					if i == 0 && err != nil {
						t.Errorf("the older one: %v", err)
					}
					const want = "bulkhead a is full (wanted 3, available 2) and would wait for itself: " +
						"entries that wait for more of it hold all of it; reserve in the outer entry what the inner ones need"
					if i == 1 && (!errors.Is(err, resilience.ErrFull) || !strings.HasSuffix(err.Error(), want) || time.Since(begin) > 0) {
						t.Errorf("the newer one after %v: %v", time.Since(begin), err)
					}
					return err
				})
			})
		}
		pages.Wait()
		// The same figures without a circle are told without it.
		defer hold(t, t.Context(), newGuard(t, registry, resilience.Guards{Preload: permits("a", 2)}))(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := do(ctx, inner, never(t)); !errors.Is(err, resilience.ErrFull) || strings.Contains(err.Error(), "itself") {
			t.Errorf("got %v", err)
		}
	})
}
