package pagetest

import (
	"context"
	"runtime"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

func TestRateLimitsAndAdaptiveSizesAreShown(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{
		"rateLimits": {"maps": {"limit": 2, "period": "1h"}},
		"bulkheads": {"stock": {"limit": "ADAPTIVE", "maxConcurrentCalls": 200, "targetLatency": "350ms"}}
	}`))
	wiring, err := resilience.Wire(s.registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	limited := wiring.Guard("Find", resilience.Guards{RateLimit: "maps"})
	wiring.Guard("Pick", resilience.Guards{Bulkhead: "stock"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	ended := make(chan struct{})
	defer func() { close(stop); <-ended }()
	go func() {
		defer close(ended)
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				var call resilience.Call
				if call.Begin(t.Context(), limited) == nil {
					call.Finish(nil)
				}
			}
		}
	}()
	b.open(s.url())
	b.shows("1 rate limit reached")
	b.shows("2 in 1h0m0s; 0 may begin now")
	b.shows("too many")
	b.shows("adapts from 1 to 200")
}

func TestRehearsalT6DryRunsAreShown(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{
		"breakers": {"maps": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1, "enforce": false}},
		"bulkheads": {"stock": {"maxConcurrentCalls": 1, "enforce": false}},
		"rateLimits": {"mails": {"limit": 1, "period": "1h", "enforce": false}}
	}`))
	wiring, err := resilience.Wire(s.registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	for name, guards := range map[string]resilience.Guards{
		"Find": {Breaker: "maps"}, "Pick": {Bulkhead: "stock"}, "Send": {RateLimit: "mails"},
	} {
		guard := wiring.Guard(name, guards)
		var one, other resilience.Call
		defer other.Release()
		for _, call := range []*resilience.Call{&one, &other} {
			if err := call.Begin(t.Context(), guard); err != nil {
				t.Fatal(err)
			}
			if name == "Find" {
				call.Finish(context.DeadlineExceeded)
			}
		}
		defer one.Release()
	}
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	b.open(s.url())
	b.shows("dry run: refuses nobody")
	b.shows("2 in use of 1")
	b.shows("not enforced: refuses nobody, 1 would have been refused")
}

func TestShadowsAreShown(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{
		"breakers": {"maps": {"failureThreshold": 3, "shadow": {"failureThreshold": 1, "testDelay": "1h"}}},
		"bulkheads": {"maps": {"maxConcurrentCalls": 2, "shadow": {"maxConcurrentCalls": 1}}}
	}`))
	wiring, err := resilience.Wire(s.registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	guard := wiring.Guard("Find", resilience.Guards{Breaker: "maps", Bulkhead: "maps"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	b.open(s.url())
	var one, other, failed resilience.Call
	for _, call := range []*resilience.Call{&failed, &one, &other} {
		if err := call.Begin(t.Context(), guard); err != nil {
			t.Fatal(err)
		}
		defer call.Release()
		if call == &failed {
			call.Finish(context.DeadlineExceeded)
		}
	}
	b.shows("maps: by the settings of its shadow CLOSED → OPEN, 1 of the last 1 call failed")
	b.shows("a size of 1 would have refused 1")
}

func TestRehearsalT9FaultsAreShown(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"faults": {"maps": {"failPercent": 100, "delay": "1ns", "delayPercent": 50, "until": "`+
		time.Now().Add(time.Hour).Format(time.RFC3339)+`"}}}`, resilience.Faults()))
	wiring, err := resilience.Wire(s.registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	guard := wiring.Guard("Find", resilience.Guards{Breaker: "maps"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	var call resilience.Call
	if err := call.Begin(t.Context(), guard); err != resilience.ErrInjected {
		t.Fatal(err)
	}
	b.open(s.url())
	b.shows("faults injected into 1 name")
	b.shows("The settings inject faults into the calls of maps until")
	b.shows("100 % fail, 1 so far; 50 % take 1ns longer")
	b.shows("maps: the settings begin to inject faults")
}

func TestEntriesRetriesFallbacksAndDurationsAreShown(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{
		"breakers": {"payments": {"testDelay": "1h"}},
		"bulkheads": {"stock": {"maxConcurrentCalls": 1}},
		"retries": {"search": {"initialDelay": "1ms"}},
		"budgets": {"search": {"burst": 1, "percent": 0}},
		"fallbacks": {"search": {}, "off": {"enabled": false}},
		"timeouts": {"search": {"duration": "3s"}}
	}`, resilience.Time()))
	wiring, err := resilience.Wire(s.registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	order := wiring.Guard("Order", resilience.Guards{Check: []resilience.Calls{{Breaker: "payments"}}})
	pick := wiring.Guard("Pick", resilience.Guards{Bulkhead: "stock"})
	find := wiring.Guard("Find", resilience.Guards{Retry: "search", Fallback: "search", Timeout: "search"})
	wiring.Guard("Off", resilience.Guards{Fallback: "off"})
	tenant := wiring.Guard("Serve", resilience.Guards{Breaker: "tenants", BreakerBy: "tenant"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	b.open(s.url())
	b.shows("switched off")

	var entry, holds, refused resilience.Call
	if entry.Begin(t.Context(), order) != nil || holds.Begin(entry.Context(), pick) != nil || refused.Begin(entry.Context(), pick) == nil {
		t.Fatal("the second call on the only permit was not refused")
	}
	holds.Finish(nil)
	entry.Finish(nil)
	for range 3 {
		var attempts resilience.Attempts
		for attempts.Next(t.Context(), find) {
			attempts.Finish(context.DeadlineExceeded)
		}
		attempts.FallsBack(context.DeadlineExceeded)
		attempts.Release()
	}
	tenant.For("acme")
	breaker(t, s.registry, "payments").Trip("ann")
	for _, text := range []string{
		"would not begin: breaker payments", "cut off 1 by bulkhead stock", "undeclared 1 by bulkhead stock",
		"1 made again, 0 recovered", "given up: attempts 1, budget 2", "0 good", "0 of 1 left", "1 budget empty", "budget search is empty and forbids retries",
		"a.Client.Find: failure 3", "1 fallback answering", "answers refusals and failures", "3s", "half within", "1 of 1\u202f000 instances",
		"a.Client.Order: a call under it was refused by what it does not declare",
	} {
		b.shows(text)
	}
	picture(b, "tables", 900, 1300, "")
	picture(b, "tables-phone", 360, 1500, "")
	runtime.KeepAlive(tenant) // an instance ends with the last guard that holds it
}
