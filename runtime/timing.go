package resilience

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/durations"
)

// CallsSnapshot is how long those calls of a method took that ended in one way, with
// the option [Time]. The time is that since a call was admitted, without the wait for
// permits; a refused call has none, and of a call that is made again each attempt
// counts. Methods of one name count together, also those of several wrappers and
// instances.
type CallsSnapshot struct {
	Method  string   `json:"method"` // such as "payments.Client.Charge"
	Outcome Outcome  `json:"outcome"`
	Count   uint64   `json:"count"`
	Sum     Duration `json:"sum"` // of all durations

	// The durations of a half, of nine in ten, and of 99 in 100 calls are at most:
	P50 Duration `json:"p50,omitzero"`
	P90 Duration `json:"p90,omitzero"`
	P99 Duration `json:"p99,omitzero"`

	Buckets []Bucket `json:"buckets,omitempty"` // those that have calls, the shortest first
}

// Bucket is the calls that took longer than the bounds of the buckets before.
type Bucket struct {
	UpTo     Duration  `json:"upTo,omitzero"` // 0: above all bounds
	Count    uint64    `json:"count"`
	Exemplar *Exemplar `json:"exemplar,omitempty"` // nil: none; see [Exemplars]
}

// Exemplar is one call of a bucket.
type Exemplar struct {
	Trace string    `json:"trace"` // by which tracing knows the call
	Took  Duration  `json:"took"`
	At    time.Time `json:"at"` // when it ended
}

// timing is the durations of a method's calls, by outcome.
type timing struct {
	trace func(context.Context) (id string, ok bool) // nil: nobody wants exemplars
	took  [Ignored + 1]durations.Histogram
}

// timing returns that of a method, nil without the option Time.
func (r *Registry) timing(method string) *timing {
	if r.timings == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timings[method] == nil {
		r.timings[method] = &timing{trace: r.trace}
	}
	return r.timings[method]
}

// watched reports whether somebody wants to know how a call ends.
func (g *Guard) watched() bool { return g.told || g.bulkhead != nil && g.bulkhead.Adapts() }

// unclocked is when a call began of which nobody wants to know what it takes. A field
// of its own would cost calls that nobody watches half a nanosecond.
const unclocked breaker.Instant = 1

// watch notes that a call is watched, and reads the clock where it matters. An error is
// one that the settings of faults inject.
func (c *Call) watch(g *Guard) error {
	adapts := g.bulkhead != nil && g.bulkhead.Adapts()
	switch {
	case g.timing != nil || adapts:
		c.began = breaker.Now()
	case g.inCall != nil:
		c.began = unclocked
	}
	if adapts {
		g.bulkhead.Began()
	}
	if g.faults != nil && g.faults.Active() {
		return c.inject(g)
	}
	return nil
}

// tellEnd tells those who watch a call how it ended, when it has given back what it
// took.
func (c *Call) tellEnd(g *Guard, outcome Outcome) {
	if c.began != unclocked {
		c.tellTime(g, outcome)
	}
	if g.inCall != nil {
		g.tellChange(c.ctx, c.period)
	}
}

func (c *Call) tellTime(g *Guard, outcome Outcome) {
	now := breaker.Now()
	took := now.Sub(c.began)
	if g.timing != nil {
		g.timing.add(c.ctx, outcome, now, took)
	}
	if g.bulkhead != nil {
		c.endAdaptive(g.bulkhead, outcome, now, took)
	}
}

func (t *timing) add(ctx context.Context, outcome Outcome, now breaker.Instant, took time.Duration) {
	h := &t.took[min(outcome, Ignored)] // a judge may have made an outcome up
	h.Add(took)
	if t.trace != nil {
		h.Exemplify(took, int64(now), func() (string, bool) { return t.traceOf(ctx) })
	}
}

// traceOf asks for a call's trace.
func (t *timing) traceOf(ctx context.Context) (id string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return t.trace(ctx)
}

// callsSnapshot is nil without the option Time. The lock must be held.
func (r *Registry) callsSnapshot() (all []CallsSnapshot) {
	for _, method := range slices.Sorted(maps.Keys(r.timings)) {
		for outcome := range r.timings[method].took {
			all = append(all, newCallsSnapshot(method, Outcome(outcome), &r.timings[method].took[outcome]))
		}
	}
	return all
}

func newCallsSnapshot(method string, outcome Outcome, h *durations.Histogram) CallsSnapshot {
	filled, sum := h.Snapshot()
	s := CallsSnapshot{Method: method, Outcome: outcome, Sum: Duration(sum)}
	for _, b := range filled {
		s.Count += b.Count
		shown := Bucket{UpTo: Duration(b.UpTo), Count: b.Count}
		if e := b.Exemplar; e != nil {
			shown.Exemplar = &Exemplar{e.Trace, Duration(e.Took), e.At}
		}
		s.Buckets = append(s.Buckets, shown)
	}
	s.P50, s.P90, s.P99 = s.quantile(.5), s.quantile(.9), s.quantile(.99)
	return s
}

// quantile is the bound of the bucket that has it; 0 where it has none.
func (s *CallsSnapshot) quantile(q float64) Duration {
	below, rank := uint64(0), uint64(math.Ceil(q*float64(s.Count)))
	for _, b := range s.Buckets {
		if below += b.Count; below >= rank {
			return b.UpTo
		}
	}
	return 0
}
