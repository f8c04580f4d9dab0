package resilience_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

const adaptive = `{"bulkheads": {"inventory": {"limit": "ADAPTIVE", "maxConcurrentCalls": 200}}, "timeouts": {"inventory": {"duration": "500ms"}}}`

// calls makes n calls through a guard at once, that each take a time and end with
// an error.
func calls(t *testing.T, g *resilience.Guard, n int, took time.Duration, err error) (refused int) {
	t.Helper()
	running := make([]resilience.Call, n)
	began := make([]bool, n)
	for i := range running {
		began[i] = running[i].Begin(t.Context(), g) == nil
	}
	time.Sleep(took)
	for i := range running {
		if began[i] {
			running[i].Finish(err)
		} else {
			refused++
		}
	}
	return refused
}

func sizeOf(registry *resilience.Registry) int {
	return registry.Snapshot().Bulkheads[0].MaxConcurrentCalls
}

func TestAdaptiveBulkheadFollowsItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []resilience.Limited
		registry := newRegistry(t, adaptive, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if limited, ok := e.(resilience.Limited); ok {
				events = append(events, limited)
			}
		})))
		g := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
		second := func(n int, took time.Duration, err error) {
			calls(t, g, n, took, err)
			time.Sleep(time.Second)
			calls(t, g, 1, took, err)
		}
		second(30, 100*time.Millisecond, nil) // five were refused
		if got := sizeOf(registry); got != 27 {
			t.Fatalf("refused and fast: the size is %d, want 27", got)
		}
		second(20, 400*time.Millisecond, nil)
		if got := sizeOf(registry); got < 23 || got > 24 {
			t.Fatalf("slower than the target: the size is %d, want 24", got)
		}
		second(20, 500*time.Millisecond, errors.New("late"))
		if got := sizeOf(registry); got != 16 {
			t.Fatalf("cut off by the timeout: the size is %d, want 16", got)
		}
		second(20, time.Millisecond, errors.New("connection refused"))
		if got := sizeOf(registry); got != 16 {
			t.Fatalf("fast failures: the size is %d, want 16", got)
		}
		synctest.Wait()
		var whys []string
		for _, e := range events {
			whys = append(whys, e.Why)
		}
		want := "all permits are used, and calls are fast enough; calls take longer than the target; calls outlive their deadlines"
		if got := strings.Join(whys, "; "); got != want || events[0].Bulkhead != "inventory" || events[0].From != 25 || events[0].To != 27 {
			t.Errorf("told %s: %+v", got, events)
		}
		if s := registry.Snapshot().Bulkheads[0].Adaptive; s.Floor != 1 || s.Ceiling != 200 || s.Last.To != 16 ||
			time.Duration(s.Target) != 350*time.Millisecond {
			t.Errorf("the snapshot has %+v", s)
		}
	})
}

// The deadline of the caller cuts calls off as a timeout does. A caller that
// cancels says nothing.
func TestAdaptiveBulkheadHeedsDeadlinesOfCallers(t *testing.T) {
	for name, test := range map[string]struct {
		bound func(context.Context) (context.Context, context.CancelFunc)
		size  int
	}{
		"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 300*time.Millisecond)
		}, 23},
		"cancelled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		}, 25},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, adaptive)
				g := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
				for range 20 {
					ctx, cancel := test.bound(t.Context())
					var call resilience.Call
					if err := call.Begin(ctx, g); err != nil {
						t.Fatal(err)
					}
					<-call.Context().Done()
					call.Finish(call.Context().Err())
					cancel()
				}
				if got := sizeOf(registry); got >= 25 != (test.size >= 25) {
					t.Errorf("the size is %d, want %d", got, test.size)
				}
			})
		})
	}
}

func TestAdaptiveL11OpenBreakersKeepTheSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, strings.Replace(adaptive, "{", `{"breakers": {"stock": {}}, `, 1))
		newGuard(t, registry, resilience.Guards{Breaker: "stock", Bulkhead: "inventory", Timeout: "inventory"})
		g := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
		grow := func() int {
			calls(t, g, 60, 100*time.Millisecond, nil)
			time.Sleep(time.Second)
			calls(t, g, 1, 100*time.Millisecond, nil)
			return sizeOf(registry)
		}
		stock, err := registry.Breaker("stock")
		if err != nil {
			t.Fatal(err)
		}
		stock.Trip("a test")
		if got := grow(); got != 25 {
			t.Errorf("a breaker of its calls is open: the size is %d", got)
		}
		stock.Reset("a test")
		if got := grow(); got != 27 {
			t.Errorf("the breaker is closed: the size is %d", got)
		}
	})
}

// A bulkhead of a key keeps its size while the breaker of the key is open, or that of
// all keys where there is one for all.
func TestAdaptiveL11OpenBreakersKeepTheSizeOfTheirKey(t *testing.T) {
	for _, c := range []struct{ by, trips, keeps, grows string }{
		{"tenant", "stock/a", "a", "b"},
		{"", "stock", "a", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, strings.Replace(adaptive, "{", `{"breakers": {"stock": {}}, `, 1))
			newGuard(t, registry, resilience.Guards{Breaker: "stock", BreakerBy: c.by, Bulkhead: "inventory", BulkheadBy: "tenant", Timeout: "inventory"}).For("a")
			g := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", BulkheadBy: "tenant", Timeout: "inventory"})
			handle(t, registry, c.trips).Trip("a test")
			for key, want := range map[string]int{c.keeps: 25, c.grows: 27} {
				if key == "" {
					continue
				}
				calls(t, g.For(key), 60, 100*time.Millisecond, nil)
				time.Sleep(time.Second)
				calls(t, g.For(key), 1, 100*time.Millisecond, nil)
				if got := bulkheadOf(t, registry, "inventory/"+key).MaxConcurrentCalls; got != want {
					t.Errorf("breaker %s is open: the size of key %s is %d, want %d", c.trips, key, got, want)
				}
			}
		})
	}
}

func TestAdaptiveL12Reload(t *testing.T) {
	source, registry := newSource(t, strings.Replace(adaptive, "ADAPTIVE", "FIXED", 1))
	g := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
	if got := sizeOf(registry); got != 200 {
		t.Fatalf("FIXED: the size is %d", got)
	}
	reload(t, source, registry, adaptive)
	if got := sizeOf(registry); got != 200 {
		t.Errorf("the size in force was 200, now it is %d", got)
	}
	reload(t, source, registry, strings.Replace(adaptive, "500ms", "100ms", 1)) // the bulkhead's own settings are as before
	if got := registry.Snapshot().Bulkheads[0].Adaptive; time.Duration(got.Target) != 70*time.Millisecond {
		t.Errorf("the target does not follow the timeout: %v", got.Target)
	}
	reload(t, source, registry, strings.NewReplacer("ADAPTIVE", "FIXED", "200", "25").Replace(adaptive))
	if got := calls(t, g, 30, 0, nil); got != 5 || registry.Snapshot().Bulkheads[0].Adaptive != nil {
		t.Errorf("FIXED again: %d of 30 are refused", got)
	}
}

func TestAdaptiveL07FloorOfAnEntry(t *testing.T) {
	registry := newRegistry(t, adaptive)
	newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
	newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "inventory", N: 4}}})
	if got := registry.Snapshot().Bulkheads[0].Adaptive.Floor; got != 4 {
		t.Errorf("the floor is %d where an entry reserves 4", got)
	}
}

func TestAdaptiveL14NothingSaysWhatCallsMayTake(t *testing.T) {
	const unbounded = `{"bulkheads": {"a": {"limit": "ADAPTIVE"}}}`
	const want = "resilience.json:1:16: bulkheads.a.targetLatency: must be set, no timeout bounds its calls"
	t.Run("constructor", func(t *testing.T) {
		registry := newRegistry(t, unbounded)
		wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int))
		if err != nil {
			t.Fatal(err)
		}
		wiring.Guard("Do", resilience.Guards{Bulkhead: "a"})
		if err := wiring.Done(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
	t.Run("reload", func(t *testing.T) {
		source, registry := newSource(t, `{"bulkheads": {"a": {}}}`)
		newGuard(t, registry, resilience.Guards{Bulkhead: "a"})
		source.set(unbounded)
		if err := registry.Reload(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if registry.Snapshot().Bulkheads[0].Adaptive != nil {
			t.Error("refused settings are in force")
		}
		reload(t, source, registry, strings.Replace(unbounded, `"limit"`, `"targetLatency": "1s", "limit"`, 1))
	})
}

// A bulkhead that adapts costs a call without a timeout no allocation.
func TestAdaptiveCallsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	registry := newRegistry(t, `{"bulkheads": {"a": {"limit": "ADAPTIVE", "targetLatency": "1s"}}}`)
	g := newGuard(t, registry, resilience.Guards{Bulkhead: "a"})
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		var call resilience.Call
		if call.Begin(ctx, g) == nil {
			call.Finish(nil)
		}
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// An instance of an adaptive bulkhead knows its calls as the base does.
func TestAdaptiveInstances(t *testing.T) {
	registry := newRegistry(t, adaptive)
	wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int), resilience.Instance("8.8.8.8"))
	if err != nil {
		t.Fatal(err)
	}
	wiring.Guard("Do", resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	for _, b := range registry.Snapshot().Bulkheads {
		if b.Name == "inventory/8.8.8.8" && time.Duration(b.Adaptive.Target) == 350*time.Millisecond {
			return
		}
	}
	t.Errorf("bulkheads are %+v", registry.Snapshot().Bulkheads)
}

// Calls that use all permits make it grow, although nobody was refused.
func TestAdaptiveBulkheadGrowsWhereItIsJustFull(t *testing.T) {
	for n, size := range map[int]int{24: 25, 25: 27} {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, adaptive)
			g := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", Timeout: "inventory"})
			if refused := calls(t, g, n, 100*time.Millisecond, nil); refused > 0 {
				t.Fatalf("%d calls were refused", refused)
			}
			time.Sleep(time.Second)
			calls(t, g, 1, 100*time.Millisecond, nil)
			if got := sizeOf(registry); got != size {
				t.Errorf("after %d calls at once the size is %d, want %d", n, got, size)
			}
		})
	}
}
