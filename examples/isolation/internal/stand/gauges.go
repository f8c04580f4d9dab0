package stand

import (
	"context"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Gauges is what a service holds at one moment.
type Gauges struct {
	At                 time.Duration // since the watching began
	Pools              map[string]resilience.BulkheadSnapshot
	ServingA, ServingB int // goroutines that serve requests of /a and /b
}

// Gauges reads them.
func (s *Service) Gauges() Gauges {
	g := Gauges{
		Pools:    make(map[string]resilience.BulkheadSnapshot),
		ServingA: int(s.servingA.Load()),
		ServingB: int(s.servingB.Load()),
	}
	for _, pool := range s.registry.Snapshot().Bulkheads {
		g.Pools[pool.Name] = pool
	}
	return g
}

// Watch reads the gauges at every interval until ctx is done.
func (s *Service) Watch(ctx context.Context, every time.Duration) []Gauges {
	began := time.Now()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var seen []Gauges
	for {
		select {
		case <-ctx.Done():
			return seen
		case <-tick.C:
			g := s.Gauges()
			g.At = time.Since(began)
			seen = append(seen, g)
		}
	}
}
