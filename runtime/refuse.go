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

// openRefusal is the error of all calls that a guard's own breaker refuses alike.
type openRefusal struct {
	by  refusing
	err *RefusalError
}

// openRefusal refuses a call because of its own breaker in period.
func (g *Guard) openRefusal(period *breaker.Period) *RefusalError {
	return g.openError(period.Refused())
}

// openError is the error of a call that the guard's own breaker refuses in period.
func (g *Guard) openError(period *breaker.Period) *RefusalError {
	retryAt, known := period.RetryAt()
	last := g.open.Load()
	if last == nil || last.by.period != period || last.by.retryAt != retryAt || last.by.known != known {
		last = g.newOpenRefusal(refusing{g.breaker, 1, period, retryAt, known})
		g.open.Store(last)
	}
	return last.err
}

func (g *Guard) newOpenRefusal(by refusing) *openRefusal {
	return &openRefusal{by, &RefusalError{
		Kind: kindOf(by.period), Method: g.method, Name: g.breaker.Name(),
		refused: []refusal{by.refusal()}, retryAt: by.retryAt, known: by.known, registry: g.version,
	}}
}

// gateRefusal is the error of all entries that the same breakers refuse alike.
type gateRefusal struct {
	by  []refusing
	err *RefusalError
}

// gateRefusal refuses an entry because its i-th gate does not admit it: breaker b in
// period. It names all gates that refuse.
func (g *Guard) gateRefusal(n *need, i int, b *breaker.Breaker, period *breaker.Period) *RefusalError {
	if n.demand != nil {
		n.demand.CountGate()
	}
	var few [8]refusing
	by := append(few[:0], g.turnAway(b, n.gates[i].n, period))
	for _, gate := range n.gates[i+1:] {
		if b, period, admits := gate.ask(gate.n); !admits {
			by = append(by, g.turnAway(b, gate.n, period))
		}
	}
	last := g.gated.Load()
	if last == nil || !slices.Equal(last.by, by) {
		last = &gateRefusal{slices.Clone(by), g.newGateError(by)}
		g.gated.Store(last)
	}
	return last.err
}

// turnAway counts an entry that a gate refuses in period: at the entry's own
// breaker as a call.
func (g *Guard) turnAway(gate *breaker.Breaker, n int, period *breaker.Period) refusing {
	if gate == g.breaker {
		period = period.Refused()
	} else {
		period = gate.CountGate(period)
	}
	retryAt, known := period.RetryAt()
	return refusing{gate, n, period, retryAt, known}
}

func (g *Guard) newGateError(by []refusing) *RefusalError {
	err := &RefusalError{
		Kind: KindGate, Method: g.method, Name: by[0].breaker.Name(),
		retryAt: by[0].retryAt, known: by[0].known, registry: g.version,
	}
	for _, r := range by {
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
