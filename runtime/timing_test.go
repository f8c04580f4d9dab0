package resilience_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// timed returns the calls of a method that ended in one way.
func timed(t *testing.T, registry *resilience.Registry, method string, outcome resilience.Outcome) resilience.CallsSnapshot {
	t.Helper()
	all := registry.Snapshot().Calls
	i := slices.IndexFunc(all, func(s resilience.CallsSnapshot) bool { return s.Method == method && s.Outcome == outcome })
	if i < 0 {
		t.Fatalf("no calls of %s that are a %v: %+v", method, outcome, all)
	}
	return all[i]
}

func lasts(d time.Duration, err error) func(context.Context) error {
	return func(context.Context) error { time.Sleep(d); return err }
}

func TestTimeKeepsDurationsByOutcome(t *testing.T) {
	for name, guards := range map[string]resilience.Guards{
		"a lone breaker":    {Breaker: "b"},
		"a bulkhead":        {Bulkhead: "h"},
		"breaker and limit": {Breaker: "b", Timeout: "t"},
		"an entry":          {Preload: []resilience.Permits{{Bulkhead: "h", N: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 9}}, "timeouts": {"t": {"duration": "1h"}}}`, resilience.Time())
				guard := newGuard(t, registry, guards)
				for range 8 {
					do(t.Context(), guard, lasts(7*time.Millisecond, nil))
				}
				do(t.Context(), guard, lasts(time.Minute, nil))
				do(t.Context(), guard, lasts(time.Hour, nil))
				do(t.Context(), guard, lasts(2*time.Second, errDown))
				gone, leave := context.WithCancel(t.Context())
				do(gone, guard, func(context.Context) error { time.Sleep(time.Second); leave(); return errDown })
				good := timed(t, registry, "Client.Do", resilience.Success)
				if good.Count != 10 || good.Sum != resilience.Duration(8*7*time.Millisecond+time.Minute+time.Hour) || len(good.Buckets) != 3 {
					t.Errorf("successes are %+v", good)
				}
				if b := good.Buckets[0]; b.Count != 8 || b.UpTo < resilience.Duration(7*time.Millisecond) || b.UpTo > resilience.Duration(8*time.Millisecond) {
					t.Errorf("the first bucket is %+v", b)
				}
				if b := good.Buckets[2]; b.Count != 1 || b.UpTo != 0 {
					t.Errorf("the last bucket is %+v", b)
				}
				if good.P50 != good.Buckets[0].UpTo || good.P90 != good.Buckets[1].UpTo || good.P99 != 0 {
					t.Errorf("quantiles of %+v", good)
				}
				for outcome, sum := range map[resilience.Outcome]time.Duration{resilience.Failure: 2 * time.Second, resilience.Ignored: time.Second} {
					if got := timed(t, registry, "Client.Do", outcome); got.Count != 1 || got.Sum != resilience.Duration(sum) {
						t.Errorf("%v is %+v", outcome, got)
					}
				}
			})
		})
	}
}

func TestTimeCountsCallsThatPanicAndNoneThatAreRefused(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 1}}}`, resilience.Time())
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	func() {
		defer func() { recover() }()
		do(t.Context(), guard, func(context.Context) error { panic("bug") })
	}()
	do(t.Context(), guard, returns(nil))
	for outcome, want := range map[resilience.Outcome]uint64{resilience.Success: 0, resilience.Failure: 1, resilience.Ignored: 0} {
		if got := timed(t, registry, "Client.Do", outcome).Count; got != want {
			t.Errorf("%d calls are a %v, want %d", got, outcome, want)
		}
	}
	if b := registry.Snapshot().Breakers[0]; !b.Counted {
		t.Error("Time does not count successes")
	}
}

func TestWrappersOfOneInterfaceAreTimedTogether(t *testing.T) {
	registry := newRegistry(t, `{}`, resilience.Time())
	var wg sync.WaitGroup
	for range 4 {
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		wg.Go(func() {
			for range 1000 {
				do(context.Background(), guard, returns(nil))
			}
		})
	}
	wg.Wait()
	if got := timed(t, registry, "Client.Do", resilience.Success).Count; got != 4000 {
		t.Errorf("%d calls, want 4000", got)
	}
}

func TestWithoutTimeNothingIsTimed(t *testing.T) {
	registry := newRegistry(t, `{}`, resilience.Count())
	do(t.Context(), newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "h"}), returns(nil))
	if got := registry.Snapshot().Calls; got != nil {
		t.Errorf("calls are %+v", got)
	}
}

type traceKey struct{}

func TestExemplarsAreCallsThatAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{}`, resilience.Exemplars(func(ctx context.Context) (string, bool) {
			id, ok := ctx.Value(traceKey{}).(string)
			if id == "panics" {
				panic("bug")
			}
			return id, ok
		}))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "h"})
		do(context.WithValue(t.Context(), traceKey{}, "panics"), guard, lasts(time.Minute, nil))
		do(context.Background(), guard, lasts(time.Second, nil))
		do(context.WithValue(t.Context(), traceKey{}, "4bf92f"), guard, lasts(time.Second, nil))
		got := timed(t, registry, "Client.Do", resilience.Success)
		if len(got.Buckets) != 2 || got.Buckets[1].Exemplar != nil || got.Buckets[0].Exemplar == nil ||
			*got.Buckets[0].Exemplar != (resilience.Exemplar{Trace: "4bf92f", Took: resilience.Duration(time.Second), At: time.Now()}) {
			t.Errorf("buckets are %+v", got.Buckets)
		}
		if b := bulkheadOf(t, registry, "h"); b.Available != b.MaxConcurrentCalls {
			t.Errorf("permits are lost: %+v", b)
		}
	})
}

func TestTimedCallsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	untraced := func(context.Context) (string, bool) { return "", false }
	for name, option := range map[string]resilience.Option{"timed": resilience.Time(), "with exemplars": resilience.Exemplars(untraced)} {
		guard := newGuard(t, newRegistry(t, `{}`, option), resilience.Guards{Breaker: "b", Bulkhead: "h"})
		ctx := context.Background()
		got := testing.AllocsPerRun(1000, func() {
			var call resilience.Call
			defer call.Release()
			if err := call.Begin(ctx, guard); err != nil {
				t.Fatal(err)
			}
			call.Finish(nil)
		})
		if got > 0 {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
}
