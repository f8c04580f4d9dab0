package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

var errDown = errors.New("down")

// newRegistry makes a registry from JSON text that is closed when the test ends.
func newRegistry(t testing.TB, text string, options ...resilience.Option) *resilience.Registry {
	t.Helper()
	options = append([]resilience.Option{
		resilience.Settings("resilience.json", []byte(text)), resilience.Logger(nil),
	}, options...)
	registry, err := resilience.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return registry
}

// newWiring begins the wiring of a wrapper whose client does not matter.
func newWiring(registry *resilience.Registry, iface string) *resilience.Wiring {
	wiring, err := resilience.Wire(registry, "example.test/client", iface, struct{}{})
	if err != nil {
		panic(err)
	}
	return wiring
}

// newGuard wires the guard of Client.Do.
func newGuard(t testing.TB, registry *resilience.Registry, guards resilience.Guards) *resilience.Guard {
	t.Helper()
	wiring := newWiring(registry, "Client")
	guard := wiring.Guard("Do", guards)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return guard
}

// do is what a generated method does.
func do(ctx context.Context, guard *resilience.Guard, next func(context.Context) error) error {
	var call resilience.Call
	defer call.Release()
	if err := call.Begin(ctx, guard); err != nil {
		return err
	}
	return call.Finish(next(call.Context()))
}

func returns(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func breakerOf(t testing.TB, registry *resilience.Registry, name string) resilience.BreakerSnapshot {
	t.Helper()
	for _, b := range registry.Snapshot().Breakers {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("no breaker %s", name)
	return resilience.BreakerSnapshot{}
}

func bulkheadOf(t testing.TB, registry *resilience.Registry, name string) resilience.BulkheadSnapshot {
	t.Helper()
	for _, b := range registry.Snapshot().Bulkheads {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("no bulkhead %s", name)
	return resilience.BulkheadSnapshot{}
}

func TestOutcomes(t *testing.T) {
	const lasts, canceled, late = "lasts", "is cancelled", "reaches its deadline" // the caller's context, during the call
	var typedNil *resilience.RefusalError
	ignoreAll := func(error) resilience.Outcome { return resilience.Ignored }
	failOnNil := func(err error) resilience.Outcome {
		if err == nil {
			return resilience.Failure
		}
		return resilience.Success
	}
	cases := []struct {
		name            string
		ctx             string
		classify        func(error) resilience.Outcome
		err             error
		calls, failures int
	}{
		{"no error is a success", lasts, nil, nil, 1, 0},
		{"an error is a failure", lasts, nil, errDown, 1, 1},
		{"a wrapped error is a failure", lasts, nil, fmt.Errorf("x: %w", errDown), 1, 1},
		{"joined errors are a failure", lasts, nil, errors.Join(errDown, errDown), 1, 1},
		{"an error after the caller gave up is ignored", canceled, nil, errDown, 0, 0},
		{"no error after the caller gave up is a success", canceled, nil, nil, 1, 0},
		{"context.Canceled while the caller waits is a failure", lasts, nil, context.Canceled, 1, 1},
		{"the caller's deadline is a failure", late, nil, context.DeadlineExceeded, 1, 1},
		{"a refusal further in is ignored", lasts, nil, fmt.Errorf("x: %w", &resilience.RefusalError{Kind: resilience.KindFull}), 0, 0},
		{"a refusal that is a typed nil is an error and ignored", lasts, nil, typedNil, 0, 0},
		{"classify can ignore", lasts, ignoreAll, errDown, 0, 0},
		{"classify can ignore a success", lasts, ignoreAll, nil, 0, 0},
		{"classify can turn both round: nil", lasts, failOnNil, nil, 1, 1},
		{"classify can turn both round: an error", lasts, failOnNil, errDown, 1, 0},
		{"classify is not asked about the caller's deadline", late, failOnNil, fmt.Errorf("x: %w", context.DeadlineExceeded), 1, 1},
		{"classify is asked about a deadline that is not the caller's", lasts, failOnNil, context.DeadlineExceeded, 1, 0},
		{"classify is not asked when the caller gave up", canceled, failOnNil, errDown, 0, 0},
		{"classify is asked about a failure beside a refusal", lasts, failOnNil, errors.Join(errDown, &resilience.RefusalError{Kind: resilience.KindFull}), 1, 0},
		{"classify is not asked about a refusal further in", lasts, failOnNil, &resilience.RefusalError{Kind: resilience.KindOpen}, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, `{}`)
				guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Classify: c.classify})
				ctx, cancel := context.WithCancel(context.Background())
				if c.ctx == late {
					ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
				}
				defer cancel()
				err := do(ctx, guard, func(ctx context.Context) error {
					if c.ctx == canceled {
						cancel()
					}
					if c.ctx != lasts {
						<-ctx.Done()
					}
					return c.err
				})
				if err != c.err {
					t.Errorf("the caller got %v, want %v unchanged", err, c.err)
				}
				got := breakerOf(t, registry, "b").Figures
				if int(got.Calls) != c.calls || int(got.Failures) != c.failures {
					t.Errorf("counted %d calls and %d failures, want %d and %d", got.Calls, got.Failures, c.calls, c.failures)
				}
			})
		})
	}
}

func TestClassifyThatPanicsIsAFailure(t *testing.T) {
	registry := newRegistry(t, `{}`)
	guard := newGuard(t, registry, resilience.Guards{
		Breaker: "b", Bulkhead: "b", Classify: func(error) resilience.Outcome { panic("classify") },
	})
	func() {
		defer func() { recover() }()
		do(context.Background(), guard, returns(nil))
	}()
	wantOneFailureAndNoPermitOut(t, registry)
}

func wantOneFailureAndNoPermitOut(t *testing.T, registry *resilience.Registry) {
	t.Helper()
	if got := breakerOf(t, registry, "b").Figures; got.Calls != 1 || got.Failures != 1 {
		t.Errorf("counted %d calls and %d failures, want one failure", got.Calls, got.Failures)
	}
	if got := bulkheadOf(t, registry, "b"); got.InUse != 0 || got.Available != got.MaxConcurrentCalls {
		t.Errorf("%d permits are out, want none", got.InUse)
	}
}

func TestOpenBreakerRefusesAndSaysUntilWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 1, "testDelay": "20s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		time.Sleep(5 * time.Second)
		err := do(context.Background(), guard, returns(nil))
		var refusal *resilience.RefusalError
		if !errors.As(err, &refusal) || !errors.Is(err, resilience.ErrOpen) || errors.Is(err, resilience.ErrFull) {
			t.Fatalf("got %v, want a refusal that is ErrOpen", err)
		}
		if after, known := refusal.RetryAfter(); !known || after != 15*time.Second {
			t.Errorf("RetryAfter is %v, %v; want 15s", after, known)
		}
		want := "resilience: Client.Do refused: breaker b is OPEN; try again in 15s"
		if err.Error() != want {
			t.Errorf("the error reads\n%s\nwant\n%s", err, want)
		}
		if text, err := json.Marshal(refusal); err != nil || string(text) != `{"kind":"open","method":"Client.Do","name":"b","state":"OPEN","retryAfter":"15s","message":"`+want+`"}` {
			t.Errorf("in JSON it is %s, %v", text, err)
		}
		if again := do(context.Background(), guard, returns(nil)); again != err {
			t.Error("a second refusal of the same period is another error")
		}
		time.Sleep(15 * time.Second)
		if err := do(context.Background(), guard, returns(nil)); err != nil {
			t.Errorf("at the end of the delay the call was refused: %v", err)
		}
	})
}

func TestFullBulkheadRefusesAndBreakerCountsNothing(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
	err := do(context.Background(), guard, func(ctx context.Context) error {
		err := do(ctx, guard, returns(nil))
		if !errors.Is(err, resilience.ErrFull) {
			t.Errorf("got %v, want ErrFull", err)
		}
		if want := "resilience: Client.Do refused: bulkhead b is full (wanted 1, available 0)"; err.Error() != want {
			t.Errorf("the error reads\n%s\nwant\n%s", err, want)
		}
		return err
	})
	if !errors.Is(err, resilience.ErrFull) {
		t.Errorf("the refusal further in did not reach the caller: %v", err)
	}
	if got := breakerOf(t, registry, "b").Figures; got.Calls != 0 {
		t.Errorf("the breaker counted %d calls, want none: refusals say nothing about the dependency", got.Calls)
	}
}

func TestWaitThatEndsWithTheContextIsFullAndTheContextsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1, "maxWaitDuration": "1m"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		do(context.Background(), guard, func(context.Context) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			err := do(ctx, guard, returns(nil))
			if !errors.Is(err, resilience.ErrFull) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want ErrFull and DeadlineExceeded", err)
			}
			return nil
		})
	})
}

func TestTimeout(t *testing.T) {
	cases := []struct {
		name     string
		limit    string
		caller   time.Duration
		work     time.Duration
		own      error
		timedOut bool
		failures int
	}{
		{"the guard's deadline makes ErrTimeout", "1s", time.Hour, 2 * time.Second, nil, true, 1},
		{"an error of the dependency's own after it is ErrTimeout too", "1s", time.Hour, 2 * time.Second, errDown, true, 1},
		{"the caller's earlier deadline does not", "1s", time.Second / 2, 2 * time.Second, nil, false, 1},
		{"an error in time does not", "1s", time.Hour, 0, errDown, false, 1},
		{"a name that is configured nowhere bounds nothing", "", 10 * time.Second, 2 * time.Second, errDown, false, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				settings := `{}`
				if c.limit != "" {
					settings = `{"timeouts": {"b": {"duration": "` + c.limit + `"}}}`
				}
				registry := newRegistry(t, settings)
				guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "b"})
				caller, cancel := context.WithTimeout(context.Background(), c.caller)
				defer cancel()
				err := do(caller, guard, func(ctx context.Context) error { return work(ctx, c.work, c.own) })
				if got := errors.Is(err, resilience.ErrTimeout); got != c.timedOut {
					t.Errorf("%v: is ErrTimeout %v, want %v", err, got, c.timedOut)
				}
				if c.timedOut && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v is not DeadlineExceeded", err)
				}
				if c.own != nil && !errors.Is(err, c.own) {
					t.Errorf("%v hides what the dependency returned", err)
				}
				if got := breakerOf(t, registry, "b").Figures; int(got.Failures) != c.failures {
					t.Errorf("counted %d failures, want %d", got.Failures, c.failures)
				}
			})
		})
	}
}

// work takes its time or the context's, then returns its own error if it has one.
func work(ctx context.Context, takes time.Duration, own error) error {
	pause, end := context.WithTimeout(ctx, takes)
	defer end()
	<-pause.Done()
	if err := ctx.Err(); err != nil && own == nil {
		return fmt.Errorf("request: %w", err)
	}
	return own
}

func TestABreakerAloneTracksSlowCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {
			"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED", "slowCallDurationThreshold": "1s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, func(context.Context) error {
			time.Sleep(2 * time.Second)
			return nil
		})
		if got := breakerOf(t, registry, "b").Figures; got.Calls != 1 || got.SlowCalls != 1 {
			t.Errorf("of %d calls %d were slow, want one of one", got.Calls, got.SlowCalls)
		}
	})
}

func TestAnEntryWithABreakerOfItsOwnAsksItsGates(t *testing.T) {
	registry := newRegistry(t, `{}`)
	entry := newGuard(t, registry, resilience.Guards{Breaker: "own", Check: []resilience.Calls{{Breaker: "other"}}})
	handle(t, registry, "other").ForceOpen("test")
	if err := do(context.Background(), entry, returns(nil)); !errors.Is(err, resilience.ErrGate) {
		t.Errorf("got %v, want ErrGate", err)
	}
}

func TestGatesSayWhatEndsTheRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"a": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "a"}}})
		b, err := registry.Breaker("a")
		if err != nil {
			t.Fatal(err)
		}
		b.Reset("test")
		b.Trip("test")
		want := "resilience: Client.Do refused: gate: breaker a is OPEN until a probe or a trial succeeds; try again in 1s"
		if err := do(context.Background(), entry, returns(nil)); err == nil || err.Error() != want {
			t.Errorf("the error reads\n%v\nwant\n%s", err, want)
		}
	})
}

func TestGatesNameAllThatRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"a": {"testDelay": "10s"}, "b": {"testDelay": "30s"}}}`)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "a"}, {Breaker: "b"}, {Breaker: "c"}}})
		for _, name := range []string{"a", "b"} {
			b, err := registry.Breaker(name)
			if err != nil {
				t.Fatal(err)
			}
			b.Trip("test")
		}
		err := do(context.Background(), entry, returns(nil))
		if !errors.Is(err, resilience.ErrGate) || !errors.Is(err, resilience.ErrOpen) {
			t.Fatalf("got %v, want ErrGate and ErrOpen", err)
		}
		want := "resilience: Client.Do refused: gate: breaker a is OPEN, breaker b is OPEN; try again in 30s"
		if err.Error() != want {
			t.Errorf("the error reads\n%s\nwant\n%s", err, want)
		}
	})
}

func TestPreloadedPermitsServeTheCallsUnderAnEntry(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"stock": {"maxConcurrentCalls": 3}}}`)
	entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "stock", N: 2}}})
	inner := newGuard(t, registry, resilience.Guards{Bulkhead: "stock"})
	err := do(context.Background(), entry, func(ctx context.Context) error {
		if got := bulkheadOf(t, registry, "stock"); got.ReservedIdle != 2 || got.Available != 1 {
			t.Errorf("reserved %d, available %d; want 2 and 1", got.ReservedIdle, got.Available)
		}
		return do(context.Background(), inner, func(context.Context) error { // a stranger takes the last
			if err := do(context.Background(), inner, returns(nil)); !errors.Is(err, resilience.ErrFull) {
				t.Errorf("a second stranger got %v, want ErrFull", err)
			}
			return do(ctx, inner, returns(nil))
		})
	})
	if err != nil {
		t.Error(err)
	}
	if got := bulkheadOf(t, registry, "stock"); got.Available != 3 || got.ReservedIdle != 0 {
		t.Errorf("after the entry: %d available, %d reserved", got.Available, got.ReservedIdle)
	}
}

func TestReservationReachesAContextThatIsNotDerived(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"stock": {"maxConcurrentCalls": 1}}}`)
	entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "stock", N: 1}}})
	inner := newGuard(t, registry, resilience.Guards{Bulkhead: "stock"})
	var kept resilience.Reservation
	do(context.Background(), entry, func(ctx context.Context) error {
		reservation, ok := resilience.ReservationFrom(ctx)
		if !ok {
			t.Fatal("the entry's context carries no reservation")
		}
		kept = reservation
		if err := do(context.Background(), inner, returns(nil)); !errors.Is(err, resilience.ErrFull) {
			t.Errorf("without the handle: %v, want ErrFull", err)
		}
		if err := do(reservation.Attach(context.Background()), inner, returns(nil)); err != nil {
			t.Errorf("with the handle: %v", err)
		}
		return nil
	})
	if _, ok := resilience.ReservationFrom(kept.Attach(context.Background())); ok {
		t.Error("the reservation is still found after its entry returned")
	}
}

// wrapping is an error whose methods can't bear a nil pointer.
type wrapping struct{ inner error }

func (w *wrapping) Error() string { return "wrapping" }
func (w *wrapping) Unwrap() error { return w.inner }

func TestErrorThatCannotBeLookedIntoIsAFailure(t *testing.T) {
	registry := newRegistry(t, opens)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	if err := do(t.Context(), guard, returns((*wrapping)(nil))); err != error((*wrapping)(nil)) {
		t.Errorf("the error became %#v", err)
	}
	if got := breakerOf(t, registry, "b").State; got != resilience.Open {
		t.Errorf("the breaker is %v", got)
	}
}

func TestWiringWithTwoProbesOfABreakerStartsNone(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
	probe := func(context.Context) error { t.Error("started"); return nil }
	wiring := newWiring(registry, "Client")
	wiring.Probe("b", probe)
	wiring.Probe("b", probe)
	if err := wiring.Done(); err == nil || err.Error() != "Client: breaker b has a probe already" {
		t.Errorf("the error is %v", err)
	}
	wiring = newWiring(registry, "Client")
	wiring.Probe("b", func(context.Context) error { return nil })
	if err := wiring.Done(); err != nil {
		t.Error(err)
	}
}

func TestWiringTellsAHundredFaultsAndHowManyMore(t *testing.T) {
	registry := newRegistry(t, `{}`, resilience.Strict())
	wiring := newWiring(registry, "Client")
	for i := range 1000 {
		name := fmt.Sprint("n", i)
		wiring.Guard("Do", resilience.Guards{Breaker: name})
		wiring.Guard("Go", resilience.Guards{Breaker: name})
	}
	err := wiring.Done()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 101 || lines[100] != "and 900 more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestSecondProbeOfABreakerIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{}`)
		for _, want := range []bool{true, false} {
			wiring := newWiring(registry, "Client")
			wiring.Guard("Do", resilience.Guards{Breaker: "b"})
			wiring.Probe("b", func(context.Context) error { return nil })
			if err := wiring.Done(); (err == nil) != want {
				t.Errorf("Done returned %v", err)
			}
		}
		registry.Close()
	})
}

func TestBreakerThatRefusesGivesTheBulkheadsPermitBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1, "maxWaitDuration": "1m"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
		other := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		b, err := registry.Breaker("b")
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan error)
		do(context.Background(), other, func(context.Context) error {
			go func() { waited <- do(context.Background(), guard, returns(nil)) }()
			synctest.Wait() // it has passed the gate and waits for the permit
			b.Trip("test")
			return nil
		})
		if err := <-waited; !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("got %v, want ErrOpen", err)
		}
		if got := bulkheadOf(t, registry, "b"); got.InUse != 0 {
			t.Errorf("%d permits are out", got.InUse)
		}
		if got := breakerOf(t, registry, "b"); got.Refused != 1 {
			t.Errorf("counted %d refusals, want 1", got.Refused)
		}
	})
}

// brittle is a context whose deadline can be asked for only so many times.
type brittle struct {
	context.Context
	lasts int
}

func (b *brittle) Deadline() (time.Time, bool) {
	if b.lasts--; b.lasts < 0 {
		panic("deadline")
	}
	return b.Context.Deadline()
}

func TestPanicOfAContextLosesNoPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{
			"breakers": {"b": {"failureThreshold": 1, "testDelay": "1s"}},
			"bulkheads": {"b": {"maxConcurrentCalls": 1, "maxWaitDuration": "1s"}, "a": {"maxConcurrentCalls": 2}},
			"timeouts": {"b": {"duration": "1s"}},
		}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b", Timeout: "b"})
		entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "a", N: 2}, {Bulkhead: "b", N: 1}}})
		try := func(guard *resilience.Guard, lasts int) {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not reach the caller")
				}
			}()
			do(&brittle{context.Background(), lasts}, guard, returns(nil))
		}
		nextIsATrial(guard)
		try(guard, 1) // until a context is derived from it
		do(context.Background(), newGuard(t, registry, resilience.Guards{Bulkhead: "b"}), func(context.Context) error {
			try(entry, 0) // until it waits
			return nil
		})
		for _, name := range []string{"a", "b"} {
			if got := bulkheadOf(t, registry, name); got.Available != got.MaxConcurrentCalls {
				t.Errorf("bulkhead %s: %+v", name, got)
			}
		}
		if got := breakerOf(t, registry, "b"); got.State != resilience.HalfOpen || got.Trials != 0 || got.Calls != 0 {
			t.Errorf("the breaker is %v with %d trials out and %d calls", got.State, got.Trials, got.Calls)
		}
	})
}

func TestClientThatNoticesTheDeadlineFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"timeouts": {"b": {"duration": "1s"}}}`)
		asked := false
		lenient := func(error) resilience.Outcome { asked = true; return resilience.Success }
		own := newGuard(t, registry, resilience.Guards{Breaker: "own", Classify: lenient, Timeout: "b"})
		callers := newGuard(t, registry, resilience.Guards{Breaker: "callers", Classify: lenient})
		socket := func(context.Context) error { // its timer fires before that of the context
			time.Sleep(time.Second)
			return fmt.Errorf("read: %w", os.ErrDeadlineExceeded)
		}
		if err := do(late{context.Background()}, own, socket); !errors.Is(err, resilience.ErrTimeout) {
			t.Errorf("got %v, want ErrTimeout", err)
		}
		if err := do(late{context.Background()}, callers, socket); errors.Is(err, resilience.ErrTimeout) {
			t.Errorf("got %v, want the caller's deadline to be no timeout of ours", err)
		}
		for _, name := range []string{"own", "callers"} {
			if got := breakerOf(t, registry, name); got.Failures != 1 {
				t.Errorf("%s: %d failures counted, want 1", name, got.Failures)
			}
		}
		if asked {
			t.Error("classify was asked about a deadline")
		}
	})
}

// late is a context whose deadline is in a second, and whose end nobody notices.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) {
	return time.Date(2000, 1, 1, 0, 0, 1, 0, time.UTC), true
}

func TestSlowWorkBeforeAGuardFurtherInIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"timeouts": {"b": {"duration": "1s"}}}`)
		outer := newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "b"})
		inner := newGuard(t, registry, resilience.Guards{Bulkhead: "inner"})
		err := do(context.Background(), outer, func(ctx context.Context) error {
			time.Sleep(2 * time.Second)
			return do(ctx, inner, returns(nil))
		})
		if !errors.Is(err, resilience.ErrTimeout) {
			t.Errorf("got %v, want ErrTimeout", err)
		}
		if got := breakerOf(t, registry, "b").Failures; got != 1 {
			t.Errorf("counted %d failures, want 1", got)
		}
	})
}

func TestContextOfACallIsDoneWhenItHasEnded(t *testing.T) {
	registry := newRegistry(t, `{"timeouts": {"b": {"duration": "1h"}}}`)
	guard := newGuard(t, registry, resilience.Guards{Timeout: "b"})
	var inside context.Context
	do(context.Background(), guard, func(ctx context.Context) error { inside = ctx; return nil })
	if inside.Err() == nil {
		t.Error("the timer of the timeout goes on after the call")
	}
}

func TestGateRefusalsAreCountedAtTheBreakersThatRefuse(t *testing.T) {
	registry := newRegistry(t, `{}`)
	entry := newGuard(t, registry, resilience.Guards{Breaker: "own", Check: []resilience.Calls{{Breaker: "a"}, {Breaker: "own"}, {Breaker: "b"}, {Breaker: "a"}}})
	for _, name := range []string{"own", "a"} {
		b, err := registry.Breaker(name)
		if err != nil {
			t.Fatal(err)
		}
		b.ForceOpen("test")
	}
	err := do(context.Background(), entry, returns(nil))
	if want := "resilience: Client.Do refused: gate: breaker own is FORCED_OPEN by an operator, breaker a is FORCED_OPEN by an operator"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for name, want := range map[string][2]uint64{"own": {1, 0}, "a": {0, 1}, "b": {0, 0}} {
		got := breakerOf(t, registry, name)
		if got.Refused != want[0] || got.Gates != want[1] {
			t.Errorf("%s: %d refusals and %d of gates, want %v", name, got.Refused, got.Gates, want)
		}
	}
}

func TestRetryAfterOfABreakerByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"testDelay": "20s"}}}`)
		b, err := registry.Breaker("b")
		if err != nil {
			t.Fatal(err)
		}
		if after, known := b.RetryAfter(); after != 0 || !known || !b.Admits() {
			t.Errorf("CLOSED: %v, %v", after, known)
		}
		b.Trip("test")
		time.Sleep(5 * time.Second)
		if after, known := b.RetryAfter(); after != 15*time.Second || !known || b.Admits() {
			t.Errorf("OPEN for 5s: %v, %v; want 15s", after, known)
		}
		b.ForceOpen("test")
		if _, known := b.RetryAfter(); known {
			t.Error("FORCED_OPEN: known")
		}
	})
}
