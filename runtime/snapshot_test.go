package resilience_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
)

func TestSnapshotEncodesToStableJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{
			"breakers": {"b": {"failureThreshold": 1, "testDelay": "20s"}},
			"bulkheads": {"b": {"maxConcurrentCalls": 2}},
			"timeouts": {"b": {"duration": "300ms"}},
		}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b", Timeout: "b"})
		do(context.Background(), guard, returns(errDown))
		do(context.Background(), guard, returns(nil))
		time.Sleep(time.Second)
		got, err := json.MarshalIndent(registry.Snapshot(), "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		want := `{
	"at": "2000-01-01T00:00:01Z",
	"breakers": [
		{
			"name": "b",
			"strategy": "STATIC_THRESHOLD",
			"state": "OPEN",
			"since": "2000-01-01T00:00:00Z",
			"reason": "1 of the last 1 call failed",
			"admits": false,
			"retryAt": "2000-01-01T00:00:20Z",
			"refused": 1,
			"refusedTotal": 1,
			"gates": 0,
			"trials": 0,
			"failuresTotal": 1,
			"slowTotal": 0,
			"ignoredTotal": 0,
			"transitions": [
				{
					"from": "CLOSED",
					"to": "OPEN",
					"count": 1
				}
			],
			"lastFailure": {
				"at": "2000-01-01T00:00:00Z",
				"method": "Client.Do",
				"error": "down"
			},
			"opensAt": 10,
			"calls": 1,
			"failures": 1,
			"slowCalls": 0,
			"failureRate": 100,
			"slowCallRate": 0
		}
	],
	"bulkheads": [
		{
			"name": "b",
			"maxConcurrentCalls": 2,
			"inUse": 0,
			"reservedIdle": 0,
			"available": 2,
			"waiting": 0,
			"reserved": 0,
			"refused": {
				"full": 0,
				"tooLarge": 0,
				"cancelled": 0,
				"gate": 1
			},
			"usedFromReservation": 0,
			"overflow": 0,
			"returnedUnused": 0
		}
	],
	"timeouts": [
		{
			"name": "b",
			"duration": "300ms",
			"ended": 0
		}
	],
	"rateLimits": [],
	"retries": [],
	"budgets": [],
	"fallbacks": [],
	"entries": [],
	"settings": {
		"source": "resilience.json",
		"readAt": "2000-01-01T00:00:00Z",
		"accepted": 1,
		"rejected": 0
	},
	"events": {
		"delivered": 0,
		"dropped": 0,
		"panics": 0
	}
}`
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestSettingsSayWhereEachValueComesFrom(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"default": {"maxWaitDuration": "50ms"}, "b": {"maxConcurrentCalls": 2}}}`)
	newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
	want := []resilience.NamedSettings{{
		Section: "bulkheads", Name: "b", Values: []resilience.Value{
			{Setting: "limit", Value: "FIXED", From: "built in"},
			{Setting: "maxConcurrentCalls", Value: 2, From: "file"},
			{Setting: "maxWaitDuration", Value: "50ms", From: "default section"},
			{Setting: "queueCapacity", Value: nil, From: "built in"},
			{Setting: "enforce", Value: true, From: "built in"},
			{Setting: "maxInstances", Value: 1000, From: "built in"},
		},
	}}
	if diff := cmp.Diff(want, registry.Settings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettingsThatMeanSomethingElseAreWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warnings []string
		newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 20}}}`,
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if warning, ok := e.(resilience.SettingWarning); ok {
					warnings = append(warnings, warning.Text)
				}
			})))
		synctest.Wait()
		want := []string{"resilience.json:1:79: breakers.b.slidingWindowSize: minimumNumberOfCalls 50 is above slidingWindowSize (20) and means 20"}
		if diff := cmp.Diff(want, warnings); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTotalsOfABreakerOutliveItsStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, opens)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		for range 3 {
			do(context.Background(), guard, returns(errDown))
			handle(t, registry, "b").Reset("test")
		}
		if got := registry.Snapshot().Breakers[0].FailuresTotal; got != 3 {
			t.Errorf("%d failures in all, want 3", got)
		}
	})
}

// A snapshot says what guards each method, for whoever reads its durations.
func TestMetricsM1TheSnapshotSaysWhatGuardsAMethod(t *testing.T) {
	registry := newRegistry(t, `{}`, resilience.Time())
	wiring := newWiring(registry, "Client")
	wiring.Guard("Do", resilience.Guards{Breaker: "p", Bulkhead: "q", Timeout: "r"})
	wiring.Guard("Enter", resilience.Guards{
		Check: []resilience.Calls{{Breaker: "p"}}, Preload: append(permits("q", 3), resilience.Permits{Bulkhead: "of the call", Number: 1}), Lease: permits("s", 2),
	})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	want := []resilience.MethodSnapshot{
		{Method: "Client.Do", Breaker: "p", Bulkhead: "q", Timeout: "r"},
		{Method: "Client.Enter", Reserves: []resilience.Reserved{{Bulkhead: "q", Permits: 3}, {Bulkhead: "s", Permits: 2, Lease: true}}},
	}
	if diff := cmp.Diff(want, registry.Snapshot().Methods); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := newRegistry(t, `{}`).Snapshot().Methods; got != nil {
		t.Errorf("without durations there are %v", got)
	}
}
