package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

func entryOf(t *testing.T, registry *resilience.Registry, method string) resilience.EntrySnapshot {
	t.Helper()
	for _, e := range registry.Snapshot().Entries {
		if e.Method == method {
			return e
		}
	}
	t.Fatalf("no entry %s in %+v", method, registry.Snapshot().Entries)
	return resilience.EntrySnapshot{}
}

const buyer = "client.Client.Buy"

// shopping is an entry with a reservation of stock, and calls of stock and of tills.
func shopping(t *testing.T, guards resilience.Guards, observers ...resilience.Option) (registry *resilience.Registry, entry, stock, tills *resilience.Guard) {
	registry = newRegistry(t, `{
		"breakers": {"tills": {"failureThreshold": 1, "testDelay": "5m"}},
		"bulkheads": {"stock": {"maxConcurrentCalls": 4}, "tills": {"maxConcurrentCalls": 1}}
	}`, observers...)
	wiring := newWiring(registry, "client.Client")
	entry = wiring.Guard("Buy", guards)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return registry, entry, newGuard(t, registry, resilience.Guards{Bulkhead: "stock"}),
		newGuard(t, registry, resilience.Guards{Breaker: "tills", Bulkhead: "tills"})
}

// entered are entries of every kind that reach tills without declaring them: with a
// reservation, with a gate alone, and with tokens.
var entered = map[string]resilience.Guards{
	"reserves": {Preload: permits("stock", 1)},
	"checks":   {Check: []resilience.Calls{{Breaker: "stock"}}},
	"takes":    {Rate: []resilience.Tokens{{RateLimit: "stock", N: 1}}},
	"all": {Check: []resilience.Calls{{Breaker: "stock"}}, Lease: permits("stock", 1),
		Rate: []resilience.Tokens{{RateLimit: "stock", N: 1}}, Timeout: "stock"},
}

func TestEntryE14ACallOfAnUndeclaredBreakerIsTold(t *testing.T) {
	for name, guards := range entered {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []resilience.Undeclared
				registry, entry, _, tills := shopping(t, guards, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
					if e, is := e.(resilience.Undeclared); is {
						told = append(told, e)
					}
				})))
				do(t.Context(), tills, returns(errors.New("down")))
				for range 3 {
					err := do(t.Context(), entry, func(ctx context.Context) error {
						do(ctx, tills, never(t))
						return do(ctx, tills, never(t))
					})
					if !errors.Is(err, resilience.ErrOpen) {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if len(told) != 1 || told[0].Entry != buyer || told[0].Error.Name != "tills" {
					t.Errorf("told %+v, want once of tills", told)
				}
				got := entryOf(t, registry, buyer)
				cut := []resilience.RefusalsCount{{By: "breaker tills", Kind: resilience.KindOpen, Count: 3}}
				under := []resilience.RefusalsCount{{By: "breaker tills", Kind: resilience.KindOpen, Count: 6}}
				if got.Begun != 3 || !reflect.DeepEqual(got.CutOff, cut) || !reflect.DeepEqual(got.Undeclared, under) || got.Refused != nil {
					t.Errorf("the snapshot is %+v", got)
				}
				time.Sleep(time.Minute)
				do(t.Context(), entry, func(ctx context.Context) error { return do(ctx, tills, never(t)) })
				synctest.Wait()
				if len(told) != 2 {
					t.Errorf("after a minute it is told again; told %d times", len(told))
				}
			})
		})
	}
}

func TestARefusalByADeclaredGuardIsACutOffAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, entry, stock, tills := shopping(t, resilience.Guards{
			Check: []resilience.Calls{{Breaker: "tills"}}, Preload: []resilience.Permits{{Bulkhead: "tills", N: 1}},
		})
		do(t.Context(), entry, func(ctx context.Context) error {
			do(ctx, stock, returns(nil))
			do(ctx, tills, returns(errors.New("down")))
			return do(ctx, tills, never(t))
		})
		got := entryOf(t, registry, buyer)
		if got.Begun != 1 || len(got.CutOff) != 1 || len(got.Undeclared) != 0 {
			t.Errorf("the snapshot is %+v", got)
		}
		if got.Begins || got.RefusedBy != "breaker tills" || time.Until(got.RetryAt) != 5*time.Minute {
			t.Errorf("it would begin: %t, refused by %q until %v", got.Begins, got.RefusedBy, got.RetryAt)
		}
	})
}

// A call after the entry has returned, or with a context of another entry, cuts
// nothing off.
func TestACallThatIsNotUnderAnEntryCutsNothingOff(t *testing.T) {
	for name, guards := range entered {
		t.Run(name, func(t *testing.T) {
			registry, entry, _, tills := shopping(t, guards)
			do(t.Context(), tills, returns(errors.New("down")))
			var late context.Context
			do(t.Context(), entry, func(ctx context.Context) error { late = ctx; return nil })
			do(late, tills, never(t))
			do(t.Context(), tills, never(t))
			if got := entryOf(t, registry, buyer); got.CutOff != nil || got.Begun != 1 {
				t.Errorf("the snapshot is %+v", got)
			}
		})
	}
}

// The innermost entry is the one that is cut off.
func TestARefusalBelongsToTheInnermostEntry(t *testing.T) {
	for outer, around := range entered {
		for inner, within := range entered {
			t.Run(inner+" in "+outer, func(t *testing.T) {
				registry, entry, _, tills := shopping(t, around)
				wiring := newWiring(registry, "client.Client")
				nested := wiring.Guard("Pick", within)
				if err := wiring.Done(); err != nil {
					t.Fatal(err)
				}
				do(t.Context(), tills, returns(errors.New("down")))
				do(t.Context(), entry, func(ctx context.Context) error {
					return do(ctx, nested, func(ctx context.Context) error { return do(ctx, tills, never(t)) })
				})
				if got := entryOf(t, registry, "client.Client.Pick"); len(got.CutOff) != 1 {
					t.Errorf("the inner one is %+v", got)
				}
				if got := entryOf(t, registry, buyer); got.CutOff != nil {
					t.Errorf("the outer one is %+v", got)
				}
			})
		}
	}
}

func TestAnEntryTellsWhyItWouldNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, entry, stock, _ := shopping(t, resilience.Guards{
			Preload: permits("stock", 3), Rate: []resilience.Tokens{{RateLimit: "stock", N: 50}},
		})
		want := func(by string, refused ...resilience.RefusalsCount) {
			t.Helper()
			got := entryOf(t, registry, buyer)
			if got.Begins != (by == "") || got.RefusedBy != by || fmt.Sprint(got.Refused) != fmt.Sprint(refused) {
				t.Errorf("want refused by %q and %v, got %+v", by, refused, got)
			}
		}
		want("")
		end1, end2 := hold(t, t.Context(), stock), hold(t, t.Context(), stock)
		want("bulkhead stock")
		do(t.Context(), entry, never(t))
		full := resilience.RefusalsCount{By: "bulkhead stock", Kind: resilience.KindFull, Count: 1}
		want("bulkhead stock", full)
		end1(nil)
		end2(nil)
		want("", full)
		do(t.Context(), entry, func(ctx context.Context) error { return do(ctx, stock, returns(nil)) })
		got := entryOf(t, registry, buyer)
		if got.Unused != 2 || got.Overflow != 0 || got.Begun != 1 {
			t.Errorf("of three permits one was used: %+v", got)
		}
	})
}
