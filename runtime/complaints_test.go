package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// The tests named by a number are what users of other libraries suffered, at the
// level of guards and registries. Those of breakers and bulkheads alone are with
// them.

// oneTrial is a breaker that opens at one failure and admits one trial after a
// second, and a bulkhead of one.
const oneTrial = `{
	"breakers": {"b": {"failureThreshold": 1, "failureThresholdCapacity": 1, "successThreshold": 1, "testDelay": "1s"}},
	"bulkheads": {"b": {"maxConcurrentCalls": 1}},
}`

// nextIsATrial brings the breaker of oneTrial to where its next call is a trial.
func nextIsATrial(guard *resilience.Guard) {
	do(context.Background(), guard, returns(errDown))
	time.Sleep(time.Second)
}

func TestT03PanicOrGoexitOfATrialLosesNoPermit(t *testing.T) {
	value := new(int)
	bodies := map[string]func(context.Context) error{
		"panic":  func(context.Context) error { panic(value) },
		"Goexit": func(context.Context) error { runtime.Goexit(); return nil },
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, oneTrial)
				guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
				nextIsATrial(guard)
				recovered := make(chan any)
				go func() {
					defer func() { recovered <- recover() }()
					do(context.Background(), guard, body)
				}()
				if got := <-recovered; name == "panic" && got != value {
					t.Errorf("recovered %v, want the value that was thrown", got)
				}
				if got := breakerOf(t, registry, "b"); got.State != resilience.Open || got.Trials != 0 {
					t.Errorf("the breaker is %v with %d trials out, want OPEN with none", got.State, got.Trials)
				}
				if got := bulkheadOf(t, registry, "b"); got.InUse != 0 || got.Available != 1 {
					t.Errorf("%d permits in use and %d available, want 0 and 1", got.InUse, got.Available)
				}
			})
		})
	}
}

func TestT13TrialThatTheBulkheadRefusesIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, oneTrial)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
		other := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		nextIsATrial(guard)
		do(context.Background(), other, func(context.Context) error {
			if err := do(context.Background(), guard, returns(nil)); !errors.Is(err, resilience.ErrFull) {
				t.Errorf("got %v, want ErrFull", err)
			}
			if got := breakerOf(t, registry, "b"); got.Trials != 0 || !got.Admits {
				t.Errorf("%d trials are out and it admits: %v; want none and true", got.Trials, got.Admits)
			}
			return nil
		})
		if err := do(context.Background(), guard, returns(nil)); err != nil {
			t.Errorf("the trial was refused: %v", err)
		}
	})
}

func TestT17CallerWhoCancelsIsNoFailureOfTheDependency(t *testing.T) {
	registry := newRegistry(t, `{}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for range 10 {
		do(gone, guard, returns(fmt.Errorf("client: %w", context.Canceled)))
	}
	if got := breakerOf(t, registry, "b"); got.Calls != 0 {
		t.Errorf("%d calls of callers who had gone were counted", got.Calls)
	}
	for range 3 {
		do(context.Background(), guard, returns(context.Canceled))
	}
	if got := breakerOf(t, registry, "b").State; got != resilience.Open {
		t.Errorf("after three calls cancelled from inside it is %v, want OPEN", got)
	}
}

func TestT18CallersDeadlineIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		do(ctx, guard, func(ctx context.Context) error { return work(ctx, time.Minute, nil) })
		if got := breakerOf(t, registry, "b").Failures; got != 1 {
			t.Errorf("counted %d failures, want 1", got)
		}
	})
}

func TestT19RefusalsOfABulkheadDoNotOpenTheBreaker(t *testing.T) {
	registry := newRegistry(t, oneTrial)
	outer := newGuard(t, registry, resilience.Guards{Breaker: "outer"})
	inner := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
	do(context.Background(), inner, func(context.Context) error {
		for range 50 {
			do(context.Background(), outer, func(ctx context.Context) error { return do(ctx, inner, returns(nil)) })
		}
		return nil
	})
	for _, name := range []string{"outer", "b"} {
		if got := breakerOf(t, registry, name); got.State != resilience.Closed || got.Failures != 0 {
			t.Errorf("%s is %v with %d failures, want CLOSED with none", name, got.State, got.Failures)
		}
	}
	if got := bulkheadOf(t, registry, "b").Refused.Full; got != 50 {
		t.Errorf("counted %d refusals, want 50", got)
	}
}

func TestT45ObserverMayUseTheRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var registry *resilience.Registry
		var guard, entry *resilience.Guard
		var seen []string
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			transition, ok := e.(resilience.Transition)
			if !ok {
				return
			}
			registry.Snapshot()
			b := handle(t, registry, "b")
			seen = append(seen, fmt.Sprint(transition.To, " ", b.State()))
			switch transition.To {
			case resilience.Open:
				wantGate(t, do(context.Background(), entry, never(t)), "b")
				if do(context.Background(), guard, returns(nil)) == nil {
					t.Error("the call from the observer was not refused")
				}
				b.Reset("observer")
			case resilience.ForcedOpen:
				b.Disable("observer")
			}
		})
		registry = newRegistry(t, opens, resilience.Observe(observer))
		guard = newGuard(t, registry, resilience.Guards{Breaker: "b"})
		entry = newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "b"}}})
		do(context.Background(), guard, returns(errDown))
		synctest.Wait()
		handle(t, registry, "b").ForceOpen("test")
		synctest.Wait()
		want := "OPEN OPEN, CLOSED CLOSED, FORCED_OPEN FORCED_OPEN, DISABLED DISABLED"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("saw %s, want %s", got, want)
		}
	})
}

func TestT12CancelledTrialMakesRoomAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, opens)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(t.Context(), guard, returns(errDown))
		time.Sleep(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		err := do(ctx, guard, func(ctx context.Context) error {
			if err := do(t.Context(), guard, never(t)); !errors.Is(err, resilience.ErrOpen) {
				t.Errorf("beside the trial: %v", err)
			}
			cancel()
			return ctx.Err()
		})
		if err != context.Canceled {
			t.Errorf("the trial returned %v", err)
		}
		if err := do(t.Context(), guard, returns(nil)); err != nil || breakerOf(t, registry, "b").State != resilience.Closed {
			t.Errorf("the next trial: %v", err)
		}
	})
}

func TestT40OneEventForEachRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		registry := newRegistry(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}}}`, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if _, ok := e.(resilience.Refused); ok {
				refused++
			}
		})))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		entry := newGuard(t, registry, resilience.Guards{Preload: permits("b", 1)})
		defer hold(t, t.Context(), guard)(nil)
		for range 10 {
			do(t.Context(), guard, never(t))
			do(t.Context(), entry, never(t))
		}
		synctest.Wait()
		if got := bulkheadOf(t, registry, "b").Refused.Full; refused != 20 || got != 20 {
			t.Errorf("%d events and %d counted, want 20", refused, got)
		}
	})
}

func TestT47GuardsAndHandlesOutliveAReload(t *testing.T) {
	source, registry := newSource(t, `{"breakers": {"b": {"failureThreshold": 2}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	b := handle(t, registry, "b")
	do(t.Context(), guard, returns(errDown))
	reload(t, source, registry, `{"breakers": {"b": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2}}}`)
	do(t.Context(), guard, returns(errDown))
	if got := breakerOf(t, registry, "b"); b.State() != resilience.Open || got.State != resilience.Open {
		t.Errorf("the handle of before says %v, the snapshot %v; want OPEN by the failures before and after", b.State(), got.State)
	}
}

func TestT46ObserverThatPanicsIsCountedAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen int
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if _, ok := e.(resilience.Transition); ok {
				seen++
				panic("observer")
			}
		})
		registry := newRegistry(t, opens, resilience.Observe(observer))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		time.Sleep(time.Second)
		do(context.Background(), guard, returns(nil))
		synctest.Wait()
		if got := registry.Snapshot().Events.Panics; got != 3 || seen != 3 {
			t.Errorf("%d events seen and %d panics counted, want 3 and 3", seen, got)
		}
	})
}

func TestT49MisspeltNamesAreTold(t *testing.T) {
	t.Run("an unknown name has the defaults and shows as an event", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var seen []resilience.Event
			observer := resilience.ObserverFunc(func(e resilience.Event) { seen = append(seen, e) })
			registry := newRegistry(t, `{"breakers": {"payments": {}}}`, resilience.Observe(observer))
			newGuard(t, registry, resilience.Guards{Breaker: "paymnets"})
			synctest.Wait()
			if len(seen) != 1 {
				t.Fatalf("saw %v, want one event", seen)
			}
			unknown, ok := seen[0].(resilience.UnknownName)
			if !ok || unknown.Name != "paymnets" || unknown.Nearest != "payments" || unknown.Section != "breakers" {
				t.Errorf("saw %+v", seen[0])
			}
		})
	})
	t.Run("with Strict it is the constructor's error", func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"payments": {}}}`, resilience.Strict())
		wiring := newWiring(registry, "Client")
		wiring.Guard("Do", resilience.Guards{Breaker: "paymnets"})
		wiring.Guard("Undo", resilience.Guards{Breaker: "paymnets"})
		want := `Client: resilience.json: breakers has no "paymnets", the nearest unused is "payments"`
		if err := wiring.Done(); err == nil || err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	})
	t.Run("control by hand suggests", func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"payments": {}}}`)
		want := `resilience: no breaker "paymnets", did you mean "payments"?`
		if _, err := registry.Breaker("paymnets"); err == nil || err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	})
}

func TestT54ResultsAreNeverRacedWithTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"timeouts": {"b": {"duration": "1s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b", Timeout: "b"})
		err := do(context.Background(), guard, func(context.Context) error {
			time.Sleep(2 * time.Second)
			if got := bulkheadOf(t, registry, "b"); got.InUse != 1 {
				t.Errorf("%d permits in use after the timeout, want the one that still runs", got.InUse)
			}
			return nil
		})
		if err != nil {
			t.Errorf("a late success became %v", err)
		}
		if got := breakerOf(t, registry, "b").Figures; got.Failures != 0 || got.Calls != 1 {
			t.Errorf("counted %d failures of %d calls, want a success", got.Failures, got.Calls)
		}
	})
}

func TestT55RefusalsAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, oneTrial)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		full := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "b"}}})
		large := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "b", N: 2}}})
		refused := map[resilience.Kind]error{
			resilience.KindTooLarge: do(context.Background(), large, returns(nil)),
		}
		nextIsATrial(guard)
		do(context.Background(), guard, func(context.Context) error { // the one trial
			refused[resilience.KindNoTrial] = do(context.Background(), guard, returns(nil))
			return errDown
		})
		refused[resilience.KindOpen] = do(context.Background(), guard, returns(nil))
		refused[resilience.KindGate] = do(context.Background(), entry, returns(nil))
		do(context.Background(), full, func(context.Context) error {
			refused[resilience.KindFull] = do(context.Background(), full, returns(nil))
			return nil
		})
		matches := map[resilience.Kind][]error{
			resilience.KindOpen:     {resilience.ErrOpen},
			resilience.KindNoTrial:  {resilience.ErrOpen},
			resilience.KindGate:     {resilience.ErrOpen, resilience.ErrGate},
			resilience.KindFull:     {resilience.ErrFull},
			resilience.KindTooLarge: {resilience.ErrTooLarge},
		}
		for kind, err := range refused {
			var refusal *resilience.RefusalError
			if !errors.As(err, &refusal) || refusal.Kind != kind || refusal.Name != "b" || refusal.Method != "Client.Do" {
				t.Errorf("%v: got %#v", kind, err)
			}
			for _, sentinel := range []error{resilience.ErrOpen, resilience.ErrGate, resilience.ErrFull, resilience.ErrTooLarge} {
				want := false
				for _, match := range matches[kind] {
					want = want || match == sentinel
				}
				if got := errors.Is(err, sentinel); got != want {
					t.Errorf("%v: Is(%v) is %v", kind, sentinel, got)
				}
			}
		}
	})
}

func TestT02LostTrialsWedgeNoBreakerBehindAGate(t *testing.T) {
	for name, guards := range map[string]resilience.Guards{
		"a bulkhead before the breaker": {Breaker: "b", Bulkhead: "b"},
		"an entry that checks":          {Check: []resilience.Calls{{Breaker: "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "permittedNumberOfCallsInHalfOpenState": 2}}}`)
				wiring := newWiring(registry, "Client")
				direct := wiring.Guard("Do", resilience.Guards{Breaker: "b"})
				gated := wiring.Guard("Go", guards)
				wiring.Probe("b", func(context.Context) error { return nil })
				if err := wiring.Done(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second)
				for range 2 {
					defer hold(t, t.Context(), direct)(nil)
				}
				time.Sleep(2 * time.Minute) // they hang
				for range 3 {
					do(t.Context(), gated, returns(nil))
					time.Sleep(10 * time.Second)
				}
				if err := do(t.Context(), gated, returns(nil)); err != nil {
					t.Errorf("two trials that hang refuse calls for ever: %v", err)
				}
			})
		})
	}
}
