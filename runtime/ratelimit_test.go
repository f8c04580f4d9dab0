package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// tenASecond is a rate limit of ten calls in a second, with more settings.
func tenASecond(more, rest string) string {
	return `{"rateLimits": {"maps": {"limit": 10` + more + `}}` + rest + `}`
}

// begins makes n calls that must begin.
func begins(t *testing.T, guard *resilience.Guard, n int) {
	t.Helper()
	for i := range n {
		if err := do(context.Background(), guard, returns(nil)); err != nil {
			t.Fatalf("call %d of %d: %v", i+1, n, err)
		}
	}
}

// reached makes a call that the rate limit must refuse, with ms until another try
// makes sense.
func reached(t *testing.T, guard *resilience.Guard, ms int) {
	t.Helper()
	err := do(context.Background(), guard, returns(nil))
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) || refusal.Kind != resilience.KindRate || !errors.Is(err, resilience.ErrRate) {
		t.Fatalf("got %v, want a refusal by the rate limit", err)
	}
	if wait, known := refusal.RetryAfter(); !known || wait != time.Duration(ms)*time.Millisecond {
		t.Errorf("try again after %v, %v, want %d ms", wait, known, ms)
	}
}

func TestRateG1RefusalsSayWhenToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, tenASecond(`, "burst": 10`, ""))
		guard := newGuard(t, registry, resilience.Guards{RateLimit: "maps"})
		begins(t, guard, 10)
		reached(t, guard, 100)
		err := do(context.Background(), guard, returns(nil))
		if got, want := err.Error(), "resilience: Client.Do refused: rate limit maps is reached (10 calls in 1s); try again in 100ms"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if text, _ := json.Marshal(err); !strings.Contains(string(text), `"kind":"rate"`) || !strings.Contains(string(text), `"retryAfter":"100ms"`) {
			t.Errorf("in JSON it is %s", text)
		}
		time.Sleep(99 * time.Millisecond)
		if wait, _ := err.(*resilience.RefusalError).RetryAfter(); wait != time.Millisecond {
			t.Errorf("later, try again after %v", wait)
		}
		if got := registry.Snapshot().RateLimits[0]; got.Refused.Rate != 2 || got.Limit != 10 || got.Available != 0 {
			t.Errorf("the snapshot has %+v", got)
		}
	})
}

func TestRateG9ARefusalIsNoDeadlineExceeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, tenASecond(`, "maxWaitDuration": "250ms"`, ""))
		guard := newGuard(t, registry, resilience.Guards{RateLimit: "maps"})
		begins(t, guard, 1)
		ctx, cancel := context.WithTimeout(context.Background(), 80*time.Millisecond)
		defer cancel()
		err := do(ctx, guard, returns(nil))
		if !errors.Is(err, resilience.ErrRate) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that can't end in time: %v", err)
		}
		cancelled, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		err = do(cancelled, guard, returns(nil))
		if !errors.Is(err, resilience.ErrRate) || !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that its caller cancels: %v", err)
		}
	})
}

func TestRateG10TokensComeBackWhereAnotherGuardRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, tenASecond("", `, "bulkheads": {"maps": {"maxConcurrentCalls": 1}}, "breakers": {"maps": {"testDelay": "0s"}}`))
		full := newGuard(t, registry, resilience.Guards{RateLimit: "maps", Bulkhead: "maps"})
		var inside resilience.Call
		if err := inside.Begin(context.Background(), newGuard(t, registry, resilience.Guards{Bulkhead: "maps"})); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if err := do(context.Background(), full, returns(nil)); !errors.Is(err, resilience.ErrFull) {
				t.Fatalf("got %v", err)
			}
		}
		entry := newGuard(t, registry, resilience.Guards{RateLimit: "maps", Preload: []resilience.Permits{{Bulkhead: "maps", N: 1}}})
		if err := do(context.Background(), entry, returns(nil)); !errors.Is(err, resilience.ErrFull) {
			t.Fatalf("got %v", err)
		}
		inside.Finish(nil)
		begins(t, full, 1)
		reached(t, full, 100)
	})
}

func TestRateG11AnOpenBreakerUsesNoTokens(t *testing.T) {
	registry := newRegistry(t, tenASecond("", ""))
	guard := newGuard(t, registry, resilience.Guards{Breaker: "maps", RateLimit: "maps"})
	maps, err := registry.Breaker("maps")
	if err != nil {
		t.Fatal(err)
	}
	maps.ForceOpen("a test")
	for range 1000 {
		if err := do(context.Background(), guard, returns(nil)); !errors.Is(err, resilience.ErrOpen) {
			t.Fatalf("got %v", err)
		}
	}
	if got := registry.Snapshot().RateLimits[0]; got.Available != 1 || got.Refused.Gate != 1000 {
		t.Errorf("the snapshot has %+v", got)
	}
	maps.Reset("a test")
	begins(t, guard, 1)
}

func TestRateG11AWaitEndsWhenTheBreakerOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, tenASecond(`, "maxWaitDuration": "1h"`, `, "breakers": {"maps": {}}`))
		guards := map[string]resilience.Guards{
			"call":  {Breaker: "maps", RateLimit: "maps"},
			"entry": {Check: []resilience.Calls{{Breaker: "maps"}}, RateLimit: "maps"},
		}
		maps, err := registry.Breaker("maps")
		if err != nil {
			t.Fatal(err)
		}
		for name, guards := range guards {
			guard := newGuard(t, registry, guards)
			begins(t, guard, 1)
			time.AfterFunc(50*time.Millisecond, func() { maps.ForceOpen("a test") })
			began := time.Now()
			if err := do(context.Background(), guard, returns(nil)); !errors.Is(err, resilience.ErrOpen) || time.Since(began) != 50*time.Millisecond {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			maps.Reset("a test")
			time.Sleep(time.Second)
		}
	})
}

func TestRateRefusalsCountInNoBreakerAndAllocateNothing(t *testing.T) {
	registry := newRegistry(t, `{"rateLimits": {"maps": {"limit": 1, "period": "1h"}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "maps", RateLimit: "maps"})
	outer := newGuard(t, registry, resilience.Guards{Breaker: "outer"})
	begins(t, guard, 1)
	var err error
	refuse := func() {
		var call resilience.Call
		err = call.Begin(context.Background(), guard)
	}
	if allocated := testing.AllocsPerRun(100, refuse); allocated > 0 && !raceEnabled {
		t.Errorf("%v allocations a refusal", allocated)
	}
	for range 10 {
		do(context.Background(), outer, returns(err))
	}
	for _, b := range registry.Snapshot().Breakers {
		if b.Failures > 0 || b.State != resilience.Closed {
			t.Errorf("%s has counted them: %+v", b.Name, b.Figures)
		}
	}
}

// rated are the guards of an entry that takes n tokens, and of a call under it.
func rated(t *testing.T, registry *resilience.Registry, n int) (entry, call *resilience.Guard) {
	t.Helper()
	entry = newGuard(t, registry, resilience.Guards{Rate: []resilience.Tokens{{RateLimit: "maps", N: n}}})
	return entry, newGuard(t, registry, resilience.Guards{RateLimit: "maps"})
}

func TestRateG6EntriesTakeTheirTokensAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, tenASecond(`, "burst": 10`, ""))
		entry, _ := rated(t, registry, 4)
		var first, second resilience.Call
		if first.Begin(context.Background(), entry) != nil || second.Begin(context.Background(), entry) != nil {
			t.Fatal("refused")
		}
		reached(t, entry, 200)
		time.Sleep(200 * time.Millisecond)
		begins(t, entry, 1)
	})
}

func TestRateG13TokensWithoutACallComeBack(t *testing.T) {
	ends := map[string]func(*resilience.Call){
		"returns": func(c *resilience.Call) { c.Finish(nil) },
		"fails":   func(c *resilience.Call) { c.Finish(errDown) },
		"panics":  func(c *resilience.Call) { c.Release() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, tenASecond(`, "burst": 4`, ""))
				entry, call := rated(t, registry, 4)
				var body resilience.Call
				if err := body.Begin(context.Background(), entry); err != nil {
					t.Fatal(err)
				}
				reached(t, call, 100)
				if err := do(body.Context(), call, returns(nil)); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond)
				end(&body)
				if err := do(body.Context(), call, returns(nil)); err != nil {
					t.Fatal("after the entry a call takes its token from the bucket:", err)
				}
				begins(t, call, 2)
				reached(t, call, 90)
			})
		})
	}
}

func TestRateTokensComeBackWhereTheEntryIsRefused(t *testing.T) {
	registry := newRegistry(t, `{"rateLimits": {"maps": {"limit": 1, "period": "1h", "burst": 4}, "other": {"limit": 1, "period": "1h"}},
		"bulkheads": {"maps": {"maxConcurrentCalls": 1}}}`)
	available := func() int { return registry.Snapshot().RateLimits[0].Available }
	full := newGuard(t, registry, resilience.Guards{Bulkhead: "maps"})
	var inside resilience.Call
	if err := inside.Begin(context.Background(), full); err != nil {
		t.Fatal(err)
	}
	defer inside.Release()
	tokens := func(n int) []resilience.Tokens {
		return []resilience.Tokens{{RateLimit: "maps", N: n}, {RateLimit: "other", N: 1}}
	}
	permits := []resilience.Permits{{Bulkhead: "maps", N: 1}}
	if err := do(context.Background(), newGuard(t, registry, resilience.Guards{Rate: tokens(3), Preload: permits}), returns(nil)); !errors.Is(err, resilience.ErrFull) || available() != 4 {
		t.Errorf("without a permit: %v, %d tokens are left", err, available())
	}
	begins(t, newGuard(t, registry, resilience.Guards{RateLimit: "other"}), 1)
	if err := do(context.Background(), newGuard(t, registry, resilience.Guards{Rate: tokens(3)}), returns(nil)); !errors.Is(err, resilience.ErrRate) || available() != 4 {
		t.Errorf("without a token of the other: %v, %d tokens are left", err, available())
	}
}

func TestRateMoreThanABurstIsWarnedOf(t *testing.T) {
	var warnings []string
	registry := newRegistry(t, tenASecond(`, "burst": 3`, ""), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
		if warning, ok := e.(resilience.SettingWarning); ok {
			warnings = append(warnings, warning.Text)
		}
	})))
	entry, _ := rated(t, registry, 4)
	err := do(context.Background(), entry, returns(nil))
	if want := "rate limit maps is reached (10 calls in 1s; it can never let 4 begin at once, at most 3)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	registry.Close()
	want := "resilience.json: rateLimits.maps.burst: 3 is below the 4 tokens that Client.Do reserves: all its calls are refused"
	if len(warnings) != 1 || warnings[0] != want {
		t.Errorf("warned of %q", warnings)
	}
}

func TestRateTokensReachOtherContexts(t *testing.T) {
	registry := newRegistry(t, `{"rateLimits": {"maps": {"limit": 1, "period": "1h"}}}`)
	entry, call := rated(t, registry, 1)
	err := do(context.Background(), entry, func(ctx context.Context) error {
		reservation, ok := resilience.ReservationFrom(ctx)
		if !ok {
			t.Fatal("the context has no reservation")
		}
		return do(reservation.Attach(context.Background()), call, returns(nil))
	})
	if err != nil {
		t.Error(err)
	}
}

func BenchmarkRateLimit(b *testing.B) {
	registry := newRegistry(b, `{"rateLimits": {"wide": {"limit": 1000000000, "burst": 1000000000}, "spent": {"limit": 1, "period": "1h"}, "none": {}}}`)
	for name, guards := range map[string]resilience.Guards{
		"timeout only":         {Timeout: "none"},
		"without a limit":      {Timeout: "none", RateLimit: "none"},
		"admitted":             {Timeout: "none", RateLimit: "wide"},
		"admitted, breaker":    {Breaker: "b", RateLimit: "wide"},
		"refused":              {RateLimit: "spent"},
		"refused at a breaker": {Breaker: "b", RateLimit: "spent"},
	} {
		guard := newGuard(b, registry, guards)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := context.Background()
			for b.Loop() {
				var call resilience.Call
				if call.Begin(ctx, guard) == nil {
					call.Finish(nil)
				}
			}
		})
	}
}
