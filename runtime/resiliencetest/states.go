package resiliencetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Open trips a breaker, which leaves OPEN again by its own rules.
func Open(t testing.TB, registry *resilience.Registry, name string) {
	t.Helper()
	breaker, err := registry.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	breaker.Trip("resiliencetest")
}

// Fill takes n permits of a bulkhead, as calls that run, until release. It ends the test
// if there are not so many free. What it took is released at the end of the test.
func Fill(t testing.TB, registry *resilience.Registry, name string, n int) (release func()) {
	t.Helper()
	guard := guarded(t, registry, resilience.Guards{Bulkhead: name})
	calls := make([]resilience.Call, n)
	taken := 0
	release = func() {
		for ; taken > 0; taken-- {
			calls[taken-1].Finish(nil)
		}
	}
	t.Cleanup(release)
	for i := range calls {
		if err := calls[i].Begin(context.Background(), guard); err != nil {
			t.Fatalf("resiliencetest.Fill: permit %d of %d: %v", i+1, n, err)
		}
		taken++
	}
	return release
}

// guarded is the guard of a method that nobody has.
func guarded(t testing.TB, registry *resilience.Registry, guards resilience.Guards) *resilience.Guard {
	t.Helper()
	wiring, err := resilience.Wire(registry, "resiliencetest", "resiliencetest.Client", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	guard := wiring.Guard("Call", guards)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return guard
}

// Refusal is the error with which guard name refuses a call, for code that handles
// errors and need not call through a guard. With KindOpen its RetryAfter counts down
// from after, at most a year; other kinds know none. The kinds are KindOpen,
// KindForcedOpen, KindFull and KindRate.
func Refusal(t testing.TB, kind resilience.Kind, name string, after time.Duration) *resilience.RefusalError {
	t.Helper()
	guards, settings := resilience.Guards{Breaker: name}, fmt.Sprintf(`{"breakers": {%q: {"testDelay": %q}}}`, name, after)
	switch kind {
	case resilience.KindOpen, resilience.KindForcedOpen:
	case resilience.KindFull:
		guards, settings = resilience.Guards{Bulkhead: name}, fmt.Sprintf(`{"bulkheads": {%q: {"maxConcurrentCalls": 1}}}`, name)
	case resilience.KindRate:
		guards, settings = resilience.Guards{RateLimit: name}, fmt.Sprintf(`{"rateLimits": {%q: {"limit": 1}}}`, name)
	default:
		t.Fatalf("resiliencetest.Refusal: no refusal of kind %q; allowed are open, forced open, full and rate", kind)
	}
	registry, err := resilience.New(resilience.Settings("settings", []byte(settings)), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	guard := guarded(t, registry, guards)
	if guards.Breaker != "" {
		breaker, _ := registry.Breaker(name)
		if breaker.Trip("resiliencetest"); kind == resilience.KindForcedOpen {
			breaker.ForceOpen("resiliencetest")
		}
	}
	var first, second resilience.Call
	defer first.Release()
	err = first.Begin(context.Background(), guard)
	if err == nil {
		err = second.Begin(context.Background(), guard)
		first.Finish(nil)
	}
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) {
		t.Fatalf("resiliencetest.Refusal: got %v", err)
	}
	return refusal
}
