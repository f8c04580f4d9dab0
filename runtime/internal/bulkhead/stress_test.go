package bulkhead

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestNothingIsLostUnderStress lets entries, nested entries, calls that outlive
// them, cancelled waits and resizes run at the same time. In a bubble it would
// also find whoever waits for ever.
func TestNothingIsLostUnderStress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stress{t: t}
		for i, name := range []string{"a", "b", "c"} {
			s.bulkheads = append(s.bulkheads, named(name, 4+i, time.Duration(i)*time.Millisecond))
		}
		stop := make(chan struct{})
		var watchers sync.WaitGroup
		watchers.Go(func() { s.resize(stop) })
		watchers.Go(func() { s.watch(stop) })
		for range 24 {
			s.users.Go(func() { s.use() })
		}
		s.users.Wait()
		close(stop)
		watchers.Wait()
		for _, b := range s.bulkheads {
			tally := b.now()
			if tally.free() != tally.size() || tally.queued() || b.open.Load() != 0 {
				t.Errorf("left at the end: %+v", b.Snapshot())
			}
		}
	})
}

type stress struct {
	t         *testing.T
	bulkheads []*Bulkhead
	users     sync.WaitGroup
}

func (s *stress) use() {
	for range 60 {
		s.enter(s.t.Context(), 3)
		pause()
	}
}

// enter runs an entry, whose calls and nested entries may outlive it.
func (s *stress) enter(ctx context.Context, depth int) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+rand.IntN(3000))*time.Microsecond)
	defer cancel()
	var wants []Want
	for _, b := range s.bulkheads {
		switch as := Use(rand.IntN(4)); as {
		case Ticket, Lease:
			wants = append(wants, Want{b, 1 + rand.IntN(3), as})
		case Own:
			wants = append(wants, Want{b, 1, Own})
		}
	}
	d, err := NewDemand(wants...)
	if err != nil {
		return // of nothing
	}
	entry, _, refused := d.Reserve(ctx, nil)
	if refused != nil {
		return
	}
	entry.Open()
	defer entry.Close()
	for range rand.IntN(4) {
		s.users.Go(func() { s.call(entry) })
		if depth > 0 && rand.IntN(3) == 0 {
			s.users.Go(func() { s.enter(entry, depth-1) })
		}
	}
	pause()
}

func (s *stress) call(ctx context.Context) {
	permit, _, refused := s.bulkheads[rand.IntN(len(s.bulkheads))].Acquire(ctx, nil)
	if refused != nil {
		return
	}
	defer permit.Release()
	pause()
}

func (s *stress) resize(stop chan struct{}) {
	for ended := false; !ended; {
		pause()
		i := rand.IntN(len(s.bulkheads))
		s.bulkheads[i].Resize(Settings{MaxConcurrentCalls: 1 + rand.IntN(8), MaxWaitDuration: time.Duration(i) * time.Millisecond})
		select {
		case <-stop:
			ended = true
		default:
		}
	}
}

// watch looks at the figures all the time.
func (s *stress) watch(stop chan struct{}) {
	for ended := false; !ended; {
		for _, b := range s.bulkheads {
			f := b.Snapshot()
			sum := f.InUse + f.ReservedIdle + f.Available
			if f.InUse < 0 || f.ReservedIdle < 0 || sum != f.MaxConcurrentCalls && (sum < f.MaxConcurrentCalls || f.Available > 0) {
				s.t.Errorf("not exact: %+v", f)
			}
		}
		pause()
		select {
		case <-stop:
			ended = true
		default:
		}
	}
}

func pause() { time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond) }

// TestNobodyIsForgottenInTheQueue would show a lost wake-up as a refusal after
// an hour, which passes at once when all others are done.
func TestNobodyIsForgottenInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(2, time.Hour)
		pair := demand(t, Want{b, 2, Ticket})
		var users sync.WaitGroup
		for i := range 8 {
			users.Go(func() {
				for range 1000 {
					if i == 0 {
						if entry, _, refused := pair.Reserve(t.Context(), nil); refused == nil {
							entry.Open()
							runtime.Gosched()
							entry.Close()
							continue
						}
					} else if permit, _, refused := b.Acquire(t.Context(), nil); refused == nil {
						runtime.Gosched()
						permit.Release()
						continue
					}
					t.Error("refused, so nobody woke it")
				}
			})
		}
		users.Wait()
		figures{0, 0, 2, 0}.check(t, b)
	})
}
