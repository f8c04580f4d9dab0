package resilience_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// The scenarios of bulkheads, reservations and gates that need a guard. Those
// that a bulkhead shows by itself are in internal/bulkhead.

const shop = `{
	"breakers": {
		"pay":   {"failureThreshold": 1, "successThreshold": 2, "testDelay": "10s"},
		"stock": {"failureThreshold": 1, "successThreshold": 2, "testDelay": "30s"}
	},
	"bulkheads": {
		"pay":   {"maxConcurrentCalls": 4, "maxWaitDuration": "1s"},
		"stock": {"maxConcurrentCalls": 4}
	},
	"timeouts": {"pay": {"duration": "2s"}}
}`

func permits(name string, n int) []resilience.Permits {
	return []resilience.Permits{{Bulkhead: name, N: n}}
}

func handle(t *testing.T, registry *resilience.Registry, name string) *resilience.Breaker {
	t.Helper()
	b, err := registry.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantFree checks that all permits of a bulkhead of four are free.
func wantFree(t *testing.T, registry *resilience.Registry, name string) {
	t.Helper()
	if got := bulkheadOf(t, registry, name); got.Available != 4 || got.InUse != 0 || got.ReservedIdle != 0 || got.Waiting != 0 {
		t.Errorf("bulkhead %s is not free: %+v", name, got)
	}
}

// wantUntouched checks that nothing happened to a breaker since then.
func wantUntouched(t *testing.T, registry *resilience.Registry, name string, since resilience.BreakerSnapshot) {
	t.Helper()
	if got := breakerOf(t, registry, name); got.State != since.State || got.Figures != since.Figures || got.Trials != since.Trials {
		t.Errorf("breaker %s: %+v, want %+v", name, got, since)
	}
}

// wantGate checks that err is the refusal of exactly these gates.
func wantGate(t *testing.T, err error, gates ...string) {
	t.Helper()
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) || refusal.Kind != resilience.KindGate || !slices.Equal(refusal.Gates, gates) {
		t.Errorf("got %v, want the refusal of gates %v", err, gates)
	}
	if !errors.Is(err, resilience.ErrGate) || !errors.Is(err, resilience.ErrOpen) || errors.Is(err, resilience.ErrFull) {
		t.Errorf("%v does not match what a gate's refusal is", err)
	}
}

// hold begins a call and returns what ends it.
func hold(t *testing.T, ctx context.Context, guard *resilience.Guard) (end func(error)) {
	t.Helper()
	call := new(resilience.Call)
	if err := call.Begin(ctx, guard); err != nil {
		t.Fatalf("refused: %v", err)
	}
	return func(err error) { call.Finish(err) }
}

// never is a body that must not run.
func never(t *testing.T) func(context.Context) error {
	return func(context.Context) error {
		t.Error("the body ran")
		return nil
	}
}

func TestScenario05ErrorNamesTheBulkheadThatRefusedAndTheBodyDoesNotRun(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Preload: append(permits("stock", 3), permits("pay", 2)...)})
	inStock := newGuard(t, registry, resilience.Guards{Bulkhead: "stock"})
	for range 2 {
		defer hold(t, t.Context(), inStock)(nil)
	}
	err := do(t.Context(), entry, never(t))
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) || !errors.Is(err, resilience.ErrFull) ||
		refusal.Name != "stock" || refusal.Wanted != 3 || refusal.Available != 2 || refusal.Method != "Client.Do" {
		t.Errorf("got %v", err)
	}
	wantFree(t, registry, "pay")
}

func TestScenario06MoreThanTheSizeIsAnErrorOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Lease: permits("pay", 5)})
		begin := time.Now()
		err := do(context.Background(), entry, never(t))
		if !errors.Is(err, resilience.ErrTooLarge) || errors.Is(err, resilience.ErrFull) {
			t.Errorf("got %v, want ErrTooLarge", err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("queued for %v", took)
		}
	})
}

func TestScenario07NumberBelowOneAndOneNameTwiceAreErrorsOfTheConstructor(t *testing.T) {
	for name, guards := range map[string]resilience.Guards{
		"zero":                        {Preload: permits("pay", 0)},
		"a negative number":           {Lease: permits("pay", -1)},
		"preload and lease":           {Preload: permits("pay", 1), Lease: permits("pay", 1)},
		"own bulkhead and preload":    {Bulkhead: "pay", Preload: permits("pay", 1)},
		"the same bulkhead preloaded": {Preload: append(permits("pay", 1), permits("pay", 2)...)},
	} {
		t.Run(name, func(t *testing.T) {
			wiring := newWiring(newRegistry(t, shop), "Client")
			wiring.Guard("Do", guards)
			if err := wiring.Done(); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestScenario12ErrorReleasesExactlyAsSuccessDoes(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Bulkhead: "stock", Preload: permits("pay", 3)})
	inPay := newGuard(t, registry, resilience.Guards{Bulkhead: "pay"})
	for _, result := range []error{nil, errDown} {
		err := do(t.Context(), entry, func(ctx context.Context) error {
			do(ctx, inPay, returns(result))
			return result
		})
		if err != result {
			t.Errorf("got %v, want %v", err, result)
		}
		wantFree(t, registry, "pay")
		wantFree(t, registry, "stock")
	}
	if got := bulkheadOf(t, registry, "pay"); got.UsedFromReservation != 2 || got.ReturnedUnused != 4 {
		t.Errorf("counters: %+v", got)
	}
}

func TestScenario13PanicAndGoexitReleaseAndGoOnUnchanged(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Bulkhead: "stock", Preload: permits("pay", 3)})
	inPay := newGuard(t, registry, resilience.Guards{Bulkhead: "pay"})
	for name, end := range map[string]func(){
		"panic":  func() { panic(errDown) },
		"Goexit": runtime.Goexit,
	} {
		var recovered any
		returned := false
		var ended sync.WaitGroup
		ended.Go(func() {
			defer func() { recovered = recover() }()
			do(t.Context(), entry, func(ctx context.Context) error {
				return do(ctx, inPay, func(context.Context) error {
					end()
					return nil
				})
			})
			returned = true
		})
		ended.Wait()
		if returned || name == "panic" && recovered != error(errDown) {
			t.Errorf("%s: returned %t, recovered %v", name, returned, recovered)
		}
		wantFree(t, registry, "pay")
		wantFree(t, registry, "stock")
	}
}

func TestScenario16GoroutineThatOutlivesTheEntryKeepsItsPermit(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Preload: permits("pay", 3)})
	inPay := newGuard(t, registry, resilience.Guards{Bulkhead: "pay"})
	var end func(error)
	do(t.Context(), entry, func(ctx context.Context) error {
		end = hold(t, ctx, inPay)
		return nil
	})
	if got := bulkheadOf(t, registry, "pay"); got.InUse != 1 || got.ReservedIdle != 0 || got.Available != 3 {
		t.Errorf("after the entry returned: %+v", got)
	}
	end(nil)
	wantFree(t, registry, "pay")
}

func TestScenario17CallAfterTheEntryReturnedTakesFromThePool(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Lease: permits("stock", 4)})
	inStock := newGuard(t, registry, resilience.Guards{Bulkhead: "stock"})
	var kept context.Context
	do(t.Context(), entry, func(ctx context.Context) error {
		kept = ctx
		return nil
	})
	for range 4 {
		defer hold(t, t.Context(), inStock)(nil)
	}
	if err := do(kept, inStock, never(t)); !errors.Is(err, resilience.ErrFull) {
		t.Errorf("got %v, want ErrFull", err)
	}
}

func TestScenario30OverflowEndsWithErrFullWhenTheWaitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Lease: permits("pay", 2)})
		inPay := newGuard(t, registry, resilience.Guards{Bulkhead: "pay"})
		var entries sync.WaitGroup
		for range 2 {
			entries.Go(func() {
				do(t.Context(), entry, func(ctx context.Context) error {
					defer hold(t, ctx, inPay)(nil)
					defer hold(t, ctx, inPay)(nil)
					time.Sleep(time.Second)
					begin := time.Now()
					if err := do(ctx, inPay, never(t)); !errors.Is(err, resilience.ErrFull) || time.Since(begin) != time.Second {
						t.Errorf("got %v after %v", err, time.Since(begin))
					}
					time.Sleep(time.Second)
					return nil
				})
			})
		}
		entries.Wait()
		wantFree(t, registry, "pay")
	})
}

func TestScenario38ClosedBreakerPassesAndCountsNothing(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}, {Breaker: "stock"}}})
	before := breakerOf(t, registry, "pay")
	for range 10 {
		if err := do(t.Context(), entry, returns(nil)); err != nil {
			t.Fatal(err)
		}
	}
	wantUntouched(t, registry, "pay", before)
}

func TestScenario39OpenBreakerRefusesBeforeAnythingIsReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}, Preload: permits("pay", 2), Bulkhead: "stock"})
		handle(t, registry, "pay").Trip("test")
		before := breakerOf(t, registry, "pay")
		time.Sleep(10*time.Second - 1)
		err := do(t.Context(), entry, never(t))
		wantGate(t, err, "pay")
		var refusal *resilience.RefusalError
		if errors.As(err, &refusal); refusal != nil {
			if left, known := refusal.RetryAfter(); left != 1 || !known {
				t.Errorf("retry after %v, %t", left, known)
			}
		}
		wantUntouched(t, registry, "pay", before)
		wantFree(t, registry, "pay")
		if got := bulkheadOf(t, registry, "pay"); got.Reserved != 0 {
			t.Errorf("counters: %+v", got)
		}
	})
}

func TestScenario40OverdueBreakerPassesAndTheCallInsideMovesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
		toPay := newGuard(t, registry, resilience.Guards{Breaker: "pay"})
		pay := handle(t, registry, "pay")
		pay.Trip("test")
		time.Sleep(10 * time.Second)
		err := do(t.Context(), entry, func(ctx context.Context) error {
			if got := pay.State(); got != resilience.Open {
				t.Errorf("after the gate: %v", got)
			}
			return do(ctx, toPay, func(context.Context) error {
				if got := pay.State(); got != resilience.HalfOpen {
					t.Errorf("in the call: %v", got)
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// halfOpen opens a breaker and lets it become HALF_OPEN by n calls that it
// returns.
func halfOpen(t *testing.T, registry *resilience.Registry, name string, n int) (end []func(error)) {
	t.Helper()
	b := handle(t, registry, name)
	b.Trip("test")
	for !b.Admits() {
		time.Sleep(time.Second)
	}
	guard := newGuard(t, registry, resilience.Guards{Breaker: name})
	for range n {
		end = append(end, hold(t, t.Context(), guard))
	}
	if got := b.State(); got != resilience.HalfOpen {
		t.Fatalf("breaker %s is %v", name, got)
	}
	return end
}

func TestScenario41HalfOpenBreakerWithATrialLeftPassesAndKeepsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
		halfOpen(t, registry, "pay", 1)
		before := breakerOf(t, registry, "pay")
		for range 10 {
			if err := do(t.Context(), entry, returns(nil)); err != nil {
				t.Fatal(err)
			}
		}
		wantUntouched(t, registry, "pay", before)
		hold(t, t.Context(), newGuard(t, registry, resilience.Guards{Breaker: "pay"})) // the trial is still there
	})
}

func TestScenario42HalfOpenBreakerWithoutATrialRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
		halfOpen(t, registry, "pay", 2)
		before := breakerOf(t, registry, "pay")
		wantGate(t, do(t.Context(), entry, never(t)), "pay")
		wantUntouched(t, registry, "pay", before)
	})
}

func TestScenario43ForcedOpenRefusesWhileDisabledAndMetricsOnlyPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
		pay := handle(t, registry, "pay")
		pay.ForceOpen("test")
		time.Sleep(time.Hour)
		wantGate(t, do(t.Context(), entry, never(t)), "pay")
		for _, let := range []func(string){pay.Disable, pay.MetricsOnly, pay.Reset} {
			let("test")
			if err := do(t.Context(), entry, returns(nil)); err != nil {
				t.Errorf("in %v: %v", pay.State(), err)
			}
		}
	})
}

func TestScenario44GateThatPassesKeepsItsTrialWhenAnotherRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}, {Breaker: "stock"}}})
		handle(t, registry, "pay").Trip("test")
		handle(t, registry, "stock").Trip("test")
		time.Sleep(10 * time.Second)
		before := breakerOf(t, registry, "pay")
		wantGate(t, do(t.Context(), entry, never(t)), "stock")
		wantUntouched(t, registry, "pay", before)
	})
}

func TestScenario45BreakerThatOpensAfterTheGateRefusesTheCallOnly(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}, Preload: permits("pay", 1)})
	toPay := newGuard(t, registry, resilience.Guards{Breaker: "pay", Bulkhead: "pay"})
	ranOn := false
	err := do(t.Context(), entry, func(ctx context.Context) error {
		handle(t, registry, "pay").Trip("test")
		if err := do(ctx, toPay, never(t)); !errors.Is(err, resilience.ErrOpen) || errors.Is(err, resilience.ErrGate) {
			t.Errorf("the call got %v, want ErrOpen", err)
		}
		ranOn = true
		return nil
	})
	if err != nil || !ranOn {
		t.Errorf("the body ran on: %t, and returned %v", ranOn, err)
	}
	wantFree(t, registry, "pay")
}

func TestScenario46BreakerThatOpensDuringTheWaitRefusesAtTheSecondLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "stock"}}, Preload: permits("pay", 2)})
		inPay := newGuard(t, registry, resilience.Guards{Bulkhead: "pay"})
		var holders []func(error)
		for range 4 {
			holders = append(holders, hold(t, t.Context(), inPay))
		}
		var entered sync.WaitGroup
		entered.Go(func() { wantGate(t, do(t.Context(), entry, never(t)), "stock") })
		synctest.Wait()
		handle(t, registry, "stock").Trip("test")
		for _, end := range holders {
			end(nil)
		}
		entered.Wait()
		wantFree(t, registry, "pay")
		if got := bulkheadOf(t, registry, "pay"); got.Refused.Gate != 1 {
			t.Errorf("refused: %+v", got.Refused)
		}
	})
}

func TestScenario46SecondLookThatRefusesSpendsNoTicketAround(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		outer := newGuard(t, registry, resilience.Guards{Preload: permits("pay", 1)})
		inner := newGuard(t, registry, resilience.Guards{Bulkhead: "pay", Check: []resilience.Calls{{Breaker: "pay"}}, Preload: permits("stock", 2)})
		inStock := newGuard(t, registry, resilience.Guards{Bulkhead: "stock"})
		var holders []func(error)
		for range 4 {
			holders = append(holders, hold(t, t.Context(), inStock))
		}
		do(t.Context(), outer, func(ctx context.Context) error {
			var entered sync.WaitGroup
			entered.Go(func() { wantGate(t, do(ctx, inner, never(t)), "pay") })
			synctest.Wait()
			handle(t, registry, "pay").Trip("test")
			for _, end := range holders {
				end(nil)
			}
			entered.Wait()
			if got := bulkheadOf(t, registry, "pay"); got.ReservedIdle != 1 || got.UsedFromReservation != 0 {
				t.Errorf("around it: %+v", got)
			}
			return nil
		})
		wantFree(t, registry, "pay")
		wantFree(t, registry, "stock")
	})
}

func TestScenario47BodyThatFailsOrPanicsIsNoOutcomeOfACheckedBreaker(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
	before := breakerOf(t, registry, "pay")
	do(t.Context(), entry, returns(errDown))
	func() {
		defer func() { recover() }()
		do(t.Context(), entry, func(context.Context) error { panic("body") })
	}()
	wantUntouched(t, registry, "pay", before)
}

func TestScenario48BreakerThatIsGatedAndUsedHasOneOutcome(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
	toPay := newGuard(t, registry, resilience.Guards{Breaker: "pay"})
	if err := do(t.Context(), entry, func(ctx context.Context) error { return do(ctx, toPay, returns(nil)) }); err != nil {
		t.Fatal(err)
	}
	if got := breakerOf(t, registry, "pay"); got.Calls != 1 {
		t.Errorf("%d outcomes", got.Calls)
	}
}

func TestScenario49HundredEntriesPassTheGateAndAsManyCallsRunAsThereAreTrials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
		toPay := newGuard(t, registry, resilience.Guards{Breaker: "pay"})
		handle(t, registry, "pay").Trip("test")
		time.Sleep(10 * time.Second)
		var passed, ran, refused atomic.Int64
		var inside, entries sync.WaitGroup
		inside.Add(100)
		for range 100 {
			entries.Go(func() {
				do(t.Context(), entry, func(ctx context.Context) error {
					passed.Add(1)
					inside.Done()
					inside.Wait()
					err := do(ctx, toPay, func(context.Context) error {
						ran.Add(1)
						time.Sleep(time.Second)
						return nil
					})
					if errors.Is(err, resilience.ErrOpen) {
						refused.Add(1)
					}
					return err
				})
			})
		}
		entries.Wait()
		if passed.Load() != 100 || ran.Load() != 2 || refused.Load() != 98 {
			t.Errorf("%d passed, %d ran, %d were refused", passed.Load(), ran.Load(), refused.Load())
		}
	})
}

func TestScenario50CanaryGateRefusesUntilAProbeHalfOpensIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"pay": {"strategy": "CANARY_RATE_THRESHOLD", "probeInterval": "1s"}}}`)
		var alive atomic.Bool
		wiring := newWiring(registry, "Payments")
		wiring.Probe("pay", func(context.Context) error {
			if alive.Load() {
				return nil
			}
			return errDown
		})
		if err := wiring.Done(); err != nil {
			t.Fatal(err)
		}
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}}})
		for range 20 {
			wantGate(t, do(t.Context(), entry, never(t)), "pay")
			time.Sleep(time.Second)
		}
		alive.Store(true)
		time.Sleep(2 * time.Second)
		if err := do(t.Context(), entry, returns(nil)); err != nil {
			t.Errorf("after a good probe: %v", err)
		}
		if got := handle(t, registry, "pay").State(); got != resilience.HalfOpen {
			t.Errorf("state: %v", got)
		}
		if err := registry.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestScenario51GateRefusalHasACounterOfItsOwn(t *testing.T) {
	registry := newRegistry(t, shop)
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "pay"}, {Breaker: "stock"}}, Preload: permits("pay", 2), Lease: permits("stock", 1)})
	handle(t, registry, "pay").Trip("test")
	for range 3 {
		wantGate(t, do(t.Context(), entry, never(t)), "pay")
	}
	for _, name := range []string{"pay", "stock"} {
		got := bulkheadOf(t, registry, name).Refused
		if got.Gate != 3 || got.Full+got.TooLarge+got.Cancelled != 0 {
			t.Errorf("bulkhead %s: refused %+v", name, got)
		}
	}
}

func TestScenario52TrialOfACallThatNeverStartedIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		halfOpen(t, registry, "stock", 1)
		inStock := newGuard(t, registry, resilience.Guards{Bulkhead: "stock"})
		for range 4 {
			defer hold(t, t.Context(), inStock)(nil)
		}
		both := newGuard(t, registry, resilience.Guards{Breaker: "stock", Bulkhead: "stock"})
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		before := breakerOf(t, registry, "stock")
		for range 5 {
			if err := do(t.Context(), both, never(t)); !errors.Is(err, resilience.ErrFull) {
				t.Errorf("got %v, want ErrFull", err)
			}
			if err := do(cancelled, both, never(t)); !errors.Is(err, context.Canceled) || errors.Is(err, resilience.ErrFull) {
				t.Errorf("got %v, want Canceled", err)
			}
		}
		wantUntouched(t, registry, "stock", before)

		// A trial whose work is refused by something inside is no outcome either.
		outer := newGuard(t, registry, resilience.Guards{Breaker: "stock"})
		do(t.Context(), outer, func(ctx context.Context) error { return do(ctx, inStock, never(t)) })
		wantUntouched(t, registry, "stock", before)
	})
}

func TestScenario53CallerWhoCancelsIsIgnoredAndOurTimeoutIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "pay", Timeout: "pay"})
		hang := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		before := breakerOf(t, registry, "pay")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := do(ctx, guard, hang); !errors.Is(err, context.Canceled) || errors.Is(err, resilience.ErrTimeout) {
			t.Errorf("cancelled: %v", err)
		}
		wantUntouched(t, registry, "pay", before)

		if err := do(t.Context(), guard, hang); !errors.Is(err, resilience.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("our timeout: %v", err)
		}
		if got := handle(t, registry, "pay").State(); got != resilience.Open {
			t.Errorf("after a failure: %v", got)
		}
	})
}

func TestScenario54PanicInATrialIsAFailureAndLosesNoPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, shop)
		halfOpen(t, registry, "pay", 1)[0](nil)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "pay", Bulkhead: "pay"})
		func() {
			defer func() {
				if got := recover(); got != "trial" {
					t.Errorf("recovered %v", got)
				}
			}()
			do(t.Context(), guard, func(context.Context) error { panic("trial") })
		}()
		if got := handle(t, registry, "pay").State(); got != resilience.Open {
			t.Errorf("after a failed trial: %v", got)
		}
		wantFree(t, registry, "pay")
		time.Sleep(10 * time.Second)
		for range 2 {
			if err := do(t.Context(), guard, returns(nil)); err != nil {
				t.Errorf("a trial of the next round: %v", err)
			}
		}
		if got := handle(t, registry, "pay").State(); got != resilience.Closed {
			t.Errorf("after two good trials: %v", got)
		}
	})
}
