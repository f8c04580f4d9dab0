package resilience

import (
	"context"
	"slices"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// The errors of refusals are kept and used again while they say the same, so that
// overload allocates nothing.

// goneRefusal refuses a call whose caller has gone. It counts nowhere, because it
// says nothing about any guard.
func (g *Guard) goneRefusal(ctx context.Context, err error) *RefusalError {
	return &RefusalError{Kind: KindDone, Method: g.method, Name: g.first, cause: bulkhead.WithCause(ctx, err)}
}

// refusing is a breaker that does not admit calls, the period it is in, and until
// when at least.
type refusing struct {
	breaker *breaker.Breaker
	calls   int // that it was asked for
	period  *breaker.Period
	retryAt breaker.Instant
	known   bool
}

func newRefusing(b *breaker.Breaker, calls int, period *breaker.Period) refusing {
	retryAt, known := period.RetryAt()
	return refusing{b, calls, period, retryAt, known}
}

// openRefusal is the error of all calls that the same breakers refuse alike.
type openRefusal struct {
	first refusing
	more  []refusing // of an entry: the other gates that refuse
	err   *RefusalError
}

// openRefusal refuses a call because of its own breaker in period.
func (g *Guard) openRefusal(period *breaker.Period) *RefusalError {
	now := newRefusing(g.breaker, 1, period.Refused())
	last := g.open.Load()
	if last == nil || last.first != now {
		last = &openRefusal{first: now, err: &RefusalError{
			Kind: kindOf(now.period), Method: g.method, Name: g.breaker.Name(),
			refused: []refusal{now.refusal()}, retryAt: now.retryAt, known: now.known, registry: g.version,
		}}
		g.open.Store(last)
	}
	return last.err
}

// gateRefusal refuses an entry because its i-th gate does not admit it: breaker b in
// period.
// It names all gates that refuse.
func (g *Guard) gateRefusal(n *need, i int, b *breaker.Breaker, period *breaker.Period) *RefusalError {
	if n.demand != nil {
		n.demand.CountGate()
	}
	first := g.turnAway(b, n.gates[i].n, period)
	var few [8]refusing
	more := few[:0]
	for _, gate := range n.gates[i+1:] {
		if b, period, admits := gate.ask(gate.n); !admits {
			more = append(more, g.turnAway(b, gate.n, period))
		}
	}
	last := g.open.Load()
	if last == nil || last.first != first || !slices.Equal(last.more, more) {
		last = &openRefusal{first, slices.Clone(more), g.newGateError(first, more)}
		g.open.Store(last)
	}
	return last.err
}

// turnAway counts an entry that a gate refuses in period: at the entry's own
// breaker as a call.
func (g *Guard) turnAway(gate *breaker.Breaker, n int, period *breaker.Period) refusing {
	if gate == g.breaker {
		return newRefusing(gate, n, period.Refused())
	}
	return newRefusing(gate, n, gate.CountGate(period))
}

func (g *Guard) newGateError(first refusing, more []refusing) *RefusalError {
	err := &RefusalError{
		Kind: KindGate, Method: g.method, Name: first.breaker.Name(),
		retryAt: first.retryAt, known: first.known, registry: g.version,
	}
	for _, r := range append([]refusing{first}, more...) {
		err.retryAt, err.known = max(err.retryAt, r.retryAt), err.known && r.known
		err.Gates, err.refused = append(err.Gates, r.breaker.Name()), append(err.refused, r.refusal())
	}
	return err
}

func kindOf(period *breaker.Period) Kind {
	switch period.State() {
	case HalfOpen:
		return KindNoTrial
	case ForcedOpen:
		return KindForcedOpen
	}
	return KindOpen
}

// fullRefusal is the error of all calls that a bulkhead refuses alike: they share
// its refusal.
type fullRefusal struct {
	of  *bulkhead.Refusal
	err *RefusalError
}

// fullRefusal refuses a call because a bulkhead refused it.
func (g *Guard) fullRefusal(refused *bulkhead.Refusal) *RefusalError {
	last := g.full.Load()
	if last == nil || last.of != refused {
		last = &fullRefusal{refused, g.newFullError(refused)}
		if refused.Cause == nil {
			g.full.Store(last)
		}
	}
	return last.err
}

// fullKinds are the kinds of a bulkhead's refusals as callers see them.
var fullKinds = [...]Kind{
	bulkhead.Full:      KindFull,
	bulkhead.Cancelled: KindFull,
	bulkhead.TooLarge:  KindTooLarge,
	bulkhead.Done:      KindDone,
}

func (g *Guard) newFullError(refused *bulkhead.Refusal) *RefusalError {
	return &RefusalError{
		Kind:      fullKinds[refused.Kind],
		Method:    g.method,
		Name:      refused.Bulkhead.Name(),
		Wanted:    refused.Wanted,
		Available: refused.Available,
		cause:     refused.Cause,
		circle:    refused.Circle,
		registry:  g.version,
	}
}
