package main

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
)

// clients is how many processes call the dependency.
const clients = 10

// size is that of the dependency: half of the model's, so that four of them and
// their callers fit on a small machine.
const size = .5

// side is one policy at work: a dependency of its own and clients that call it.
type side struct {
	policy policy
	server *server
	guards []Dependency
	stops  []func() error

	mu     sync.Mutex
	phases []figures
}

// figures are what one side made of a phase.
type figures struct {
	seconds []int           // good answers, by the second in which they were asked for
	took    []time.Duration // good answers that count
	refused int
	late    int
}

func startSide(p policy, first overload.Phase) (_ *side, err error) {
	s := &side{policy: p}
	if s.server, err = startServer(first); err != nil {
		return nil, err
	}
	for range clients {
		guarded, stop, err := p.make(newClient(s.server.url))
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		s.guards, s.stops = append(s.guards, guarded), append(s.stops, stop)
	}
	return s, nil
}

func (s *side) stop() (err error) {
	s.server.stop()
	for _, stop := range s.stops {
		err = errors.Join(err, stop())
	}
	return err
}

// enter begins a phase.
func (s *side) enter(phase overload.Phase) {
	s.server.enter(phase)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases = append(s.phases, figures{seconds: make([]int, int(phase.Length/time.Second)+1)})
}

// ask makes a call of one client at a moment of a phase, and counts what came of it.
func (s *side) ask(ctx context.Context, client, phase int, at time.Duration, counts bool) {
	began := time.Now()
	err := s.guards[client].Ask(ctx)
	took := time.Since(began)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.phases[phase]
	switch {
	case err == nil:
		f.seconds[int(at/time.Second)]++
		if counts {
			f.took = append(f.took, took)
		}
	case counts && took >= timeout/2:
		f.late++
	case counts:
		f.refused++
	}
}

// percentile is the duration that a share of the good answers don't exceed.
func (f figures) percentile(share float64) time.Duration {
	if len(f.took) == 0 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(f.took), cmp.Compare)
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// share is how many of the answers that were possible there were.
func (f figures) share(phase overload.Phase) float64 {
	return float64(len(f.took)) / (phase.Possible() * counted(phase).Seconds())
}

// counted is how much of a phase counts: not its beginning, in which limits find
// their way.
func counted(p overload.Phase) time.Duration { return p.Length - min(10*time.Second, p.Length/2) }

// play offers the same calls at the same moments to all sides, phase by phase. Told
// hears of each phase that is over.
func play(ctx context.Context, phases []overload.Phase, sides []*side, told func(phase int)) error {
	var running sync.WaitGroup
	defer running.Wait()
	began := time.Now()
	for n, phase := range phases {
		for _, s := range sides {
			s.enter(phase)
		}
		arrivals(ctx, phase, began, func(at time.Duration) {
			client := rand.IntN(clients)
			for _, s := range sides {
				running.Go(func() { s.ask(ctx, client, n, at, at >= phase.Length-counted(phase)) })
			}
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		began = began.Add(phase.Length)
		told(n)
	}
	return nil
}

// arrivals calls arrive at random moments of a phase, as independent users come.
// The moments depend on nothing that happens: who is late catches up.
func arrivals(ctx context.Context, phase overload.Phase, began time.Time, arrive func(at time.Duration)) {
	for at := time.Duration(0); ; {
		at += time.Duration(rand.ExpFloat64() / phase.Rate * float64(time.Second))
		last := at >= phase.Length
		pause, end := context.WithDeadline(ctx, began.Add(min(at, phase.Length)))
		<-pause.Done()
		end()
		if last || ctx.Err() != nil {
			return
		}
		arrive(at)
	}
}
