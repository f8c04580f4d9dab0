package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// heard is what a call hears of itself; it is the value of its context.
type heard struct{ events []string }

func (h *heard) Observe(e resilience.Event) {
	switch e := e.(type) {
	case resilience.Refused:
		h.events = append(h.events, fmt.Sprint("refused: ", e.Error.Kind))
	case resilience.Transition:
		h.events = append(h.events, fmt.Sprintf("%s: %v to %v, %s", e.Breaker, e.From, e.To, e.Reason))
	}
}

type heardKey struct{}

func hearing() (context.Context, *heard) {
	h := new(heard)
	return context.WithValue(context.Background(), heardKey{}, h), h
}

var inCall = resilience.ObserveInCall(func(ctx context.Context) resilience.Observer {
	if h, ok := ctx.Value(heardKey{}).(*heard); ok {
		return h
	}
	return nil
})

func TestACallHearsOfItsRefusalAndOfItsBreakersChanges(t *testing.T) {
	for name, guards := range map[string]resilience.Guards{
		"a lone breaker":       {Breaker: "b"},
		"breaker and bulkhead": {Breaker: "b", Bulkhead: "h"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, opens, inCall)
				guard := newGuard(t, registry, guards)
				expect := func(when string, call func(context.Context) error, want ...string) {
					t.Helper()
					ctx, h := hearing()
					do(ctx, guard, call)
					if !slices.Equal(h.events, want) {
						t.Errorf("%s: heard %q, want %q", when, h.events, want)
					}
				}
				expect("while all is well", returns(nil))
				expect("the failure that opens it", returns(errDown), "b: CLOSED to OPEN, 1 of the last 2 calls failed")
				expect("while it is open", returns(nil), "refused: open")
				time.Sleep(time.Second)
				expect("the trial", returns(nil), "b: OPEN to HALF_OPEN, its delay of 1s is over", "b: HALF_OPEN to CLOSED, 1 of 1 trial succeeded")
				expect("who sees the change of another", func(context.Context) error {
					handle(t, registry, "b").ForceOpen("ann")
					return nil
				}, "b: CLOSED to FORCED_OPEN, forced open")
				gone, h := hearing()
				gone, leave := context.WithCancel(gone)
				leave()
				do(gone, guard, returns(nil))
				if !slices.Equal(h.events, []string{"refused: " + resilience.KindDone.String()}) {
					t.Errorf("one that had gone: heard %q", h.events)
				}
			})
		})
	}
}

func TestTheCallUnderAnEntryHearsOfItsRefusal(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"h": {"maxConcurrentCalls": 1}}}`, inCall)
	entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "h", N: 1}}})
	inner := newGuard(t, registry, resilience.Guards{Bulkhead: "h"})
	ctx, h := hearing()
	do(ctx, entry, func(ctx context.Context) error {
		return do(ctx, inner, func(context.Context) error { return do(ctx, inner, returns(nil)) })
	})
	if !slices.Equal(h.events, []string{"refused: full"}) {
		t.Errorf("heard %q", h.events)
	}
}

func TestAnObserverInACallThatPanicsBreaksNothing(t *testing.T) {
	for name, observer := range map[string]func(context.Context) resilience.Observer{
		"as it is asked": func(context.Context) resilience.Observer { panic("bug") },
		"as it hears": func(context.Context) resilience.Observer {
			return resilience.ObserverFunc(func(resilience.Event) { panic("bug") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			registry := newRegistry(t, opens, resilience.ObserveInCall(observer), resilience.ObserveInCall(nil))
			guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "h"})
			if err := do(t.Context(), guard, returns(errDown)); err != errDown {
				t.Error(err)
			}
			if err := do(t.Context(), guard, returns(nil)); !errors.Is(err, resilience.ErrOpen) {
				t.Error(err)
			}
			if got := registry.Snapshot().Events.Panics; got != 2 {
				t.Errorf("%d panics are counted", got)
			}
			if b := bulkheadOf(t, registry, "h"); b.Available != b.MaxConcurrentCalls {
				t.Errorf("permits are lost: %+v", b)
			}
		})
	}
}

func TestCallsOfWhichNobodyHearsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	registry := newRegistry(t, `{}`, inCall)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	ctx := context.Background()
	one := func() {
		var call resilience.Call
		defer call.Release()
		if call.Begin(ctx, guard) == nil {
			call.Finish(nil)
		}
	}
	if got := testing.AllocsPerRun(1000, one); got > 0 {
		t.Errorf("%v allocations a call", got)
	}
	handle(t, registry, "b").ForceOpen("ann")
	if got := testing.AllocsPerRun(1000, one); got > 0 {
		t.Errorf("%v allocations a refusal", got)
	}
}
