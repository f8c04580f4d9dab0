package bulkhead

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// TestFiguresAndCountersAreOfOneMoment counts in an order that makes known, of
// half of the moments, whether a call ran.
func TestFiguresAndCountersAreOfOneMoment(t *testing.T) {
	b := sized(1, 0)
	tooMuch := demand(t, Want{b, 2, Ticket})
	var stop atomic.Bool
	var counts sync.WaitGroup
	defer counts.Wait()
	defer stop.Store(true)
	counts.Go(func() {
		step := func() { // between its counters the figure is known
			b.CountGate()
			tooMuch.Reserve(context.Background(), nil)
			for range 200 { // so that snapshots find a quiet moment
				stop.Load()
			}
		}
		for !stop.Load() {
			permit, _, _ := b.Acquire(context.Background(), nil)
			step()
			permit.Release()
			step()
		}
	})
	for range 50_000 {
		s := b.Snapshot()
		if runs := int(s.Refused.Gate % 2); s.Refused.Gate > s.Refused.TooLarge && s.InUse != runs {
			t.Fatalf("%d calls run, but of these counters %d do: %+v", s.InUse, runs, s)
		}
	}
}
