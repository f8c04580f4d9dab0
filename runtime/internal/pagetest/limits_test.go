package pagetest

import (
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
