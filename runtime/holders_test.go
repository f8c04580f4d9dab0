package resilience_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// pages is a service whose entries all need more of one bulkhead than they hold.
type pages struct {
	t    *testing.T
	size int
	busy int // workers that ask for one page after the other
	page func(ctx context.Context, guards func(resilience.Guards) *resilience.Guard) func(context.Context) error
}

// in counts the pages that are done in a time of a bubble. A worker whose page
// failed tries again a millisecond later.
func (p pages) in(span, wait time.Duration) (done int64) {
	synctest.Test(p.t, func(t *testing.T) {
		registry := newRegistry(t, fmt.Sprintf(`{"bulkheads": {"a": {"maxConcurrentCalls": %d, "maxWaitDuration": %q}}}`, p.size, wait))
		page := p.page(t.Context(), func(g resilience.Guards) *resilience.Guard { return newGuard(t, registry, g) })
		var finished atomic.Int64
		var workers sync.WaitGroup
		end := time.Now().Add(span)
		for range p.busy {
			workers.Go(func() {
				for time.Now().Before(end) {
					if err := page(t.Context()); err != nil {
						time.Sleep(time.Millisecond)
						continue
					}
					finished.Add(1)
				}
			})
		}
		workers.Wait()
		if got := bulkheadOf(t, registry, "a"); got.Available != p.size || got.Waiting != 0 {
			t.Errorf("not free at the end: %+v", got)
		}
		done = finished.Load()
	})
	return done
}

func aMillisecond(context.Context) error {
	time.Sleep(time.Millisecond)
	return nil
}

// nested preloads permits, works and calls an entry that preloads more.
func nested(outer, inner int, body func(context.Context) error) func(context.Context, func(resilience.Guards) *resilience.Guard) func(context.Context) error {
	return func(_ context.Context, guard func(resilience.Guards) *resilience.Guard) func(context.Context) error {
		around, within := guard(resilience.Guards{Preload: permits("a", outer)}), guard(resilience.Guards{Preload: permits("a", inner)})
		return func(ctx context.Context) error {
			return do(ctx, around, func(ctx context.Context) error {
				aMillisecond(ctx)
				return do(ctx, within, body)
			})
		}
	}
}

// leased leases permits and makes calls at once.
func leased(lease, calls int) func(context.Context, func(resilience.Guards) *resilience.Guard) func(context.Context) error {
	return func(_ context.Context, guard func(resilience.Guards) *resilience.Guard) func(context.Context) error {
		entry, call := guard(resilience.Guards{Lease: permits("a", lease)}), guard(resilience.Guards{Bulkhead: "a"})
		return func(ctx context.Context) error {
			return do(ctx, entry, func(ctx context.Context) error {
				var all sync.WaitGroup
				var failed atomic.Pointer[error]
				for range calls {
					all.Go(func() {
						if err := do(ctx, call, aMillisecond); err != nil {
							failed.Store(&err)
						}
					})
				}
				all.Wait()
				if err := failed.Load(); err != nil {
					return *err
				}
				return nil
			})
		}
	}
}

func TestEntryE0WaitingForPermitsMakesNoServiceSlower(t *testing.T) {
	span := 6 * time.Second
	if testing.Short() || raceEnabled {
		span = time.Second
	}
	for name, p := range map[string]pages{
		"20 entries that preload 2 of 10, and 3 inside":  {t, 10, 20, nested(2, 3, aMillisecond)},
		"20 entries that preload 2 of 10, 3 for nothing": {t, 10, 20, nested(2, 3, returns(nil))},
		"12 entries that lease 2 of 9, and call thrice":  {t, 9, 12, leased(2, 3)},
		"2 entries that hold 2 of 4, and want 3 inside":  {t, 4, 2, nested(2, 3, aMillisecond)},
		"5 entries that hold all of 5, and want it all":  {t, 5, 5, nested(1, 5, aMillisecond)},
		"8 entries that lease 1 of 4, and call 3 times":  {t, 4, 8, leased(1, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			p.t = t
			none := p.in(span, 0)
			for _, wait := range []time.Duration{100 * time.Millisecond, 10 * time.Second} {
				if got := p.in(span, wait); got < none {
					t.Errorf("%d pages with a wait of %v, %d without", got, wait, none)
				} else {
					t.Logf("%d pages with a wait of %v, %d without", got, wait, none)
				}
			}
		})
	}
}
