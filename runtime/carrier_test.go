package resilience_test

import (
	"context"
	"reflect"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// carrier carries a context.
type carrier struct{ ctx context.Context }

func (c *carrier) Context() context.Context { return c.ctx }

func (*carrier) WithContext(ctx context.Context) *carrier { return &carrier{ctx} }

// Whatever the guard is: what the callee gets carries the context to call with, and
// is the caller's own where that context is.
func TestClientsC05ACarrierHasTheContextToCallWith(t *testing.T) {
	guards := map[string]resilience.Guards{
		"Breaker": {Breaker: "g"}, "Classify": {Breaker: "g", Classify: func(error) resilience.Outcome { return resilience.Success }},
		"Bulkhead": {Bulkhead: "g"}, "RateLimit": {RateLimit: "g"}, "Timeout": {Timeout: "g"},
		"Fallback": {Fallback: "g"}, "Retry": {Retry: "g"}, "When": {Retry: "g", When: func(error) bool { return true }},
		"BreakerBy": {Breaker: "g", BreakerBy: "tenant"}, "BulkheadBy": {Bulkhead: "g", BulkheadBy: "tenant"},
		"TimeoutBy": {Timeout: "g", TimeoutBy: "tenant"},
		"Check":     {Check: []resilience.Calls{{Breaker: "g"}}}, "Preload": {Preload: []resilience.Permits{{Bulkhead: "g", N: 1}}},
		"Lease": {Lease: []resilience.Permits{{Bulkhead: "g", N: 1}}}, "Rate": {Rate: []resilience.Tokens{{RateLimit: "g", N: 1}}},
	}
	for field := range reflect.TypeFor[resilience.Guards]().Fields() {
		if _, known := guards[field.Name]; !known {
			t.Errorf("no case fills in %s", field.Name)
		}
	}
	for field, filled := range guards {
		t.Run(field, func(t *testing.T) {
			guard := newGuard(t, newRegistry(t, `{"timeouts": {"g": {"duration": "1h"}}}`), filled)
			own := &carrier{t.Context()}
			var call resilience.Call
			defer call.Release()
			if err := call.Begin(own.Context(), guard.For("key")); err != nil {
				t.Fatal(err)
			}
			passed := resilience.WithContext(own, &call)
			if passed.ctx != call.Context() || (passed == own) != (call.Context() == own.ctx) {
				t.Errorf("the callee gets %v; the context to call with is %v", passed.ctx, call.Context())
			}
			if err := call.Finish(nil); err != nil {
				t.Error(err)
			}
		})
	}
}
