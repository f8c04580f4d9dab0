package resilience

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/carry"
)

// body is the context of an entry's body. Calls find it there, through any contexts
// derived from it. It holds the trials of those breakers that do not admit every
// call; while all do, an entry that reserves permits needs none, because its
// reservation is such a context, too. One whose numbers are known to the call alone
// begins with it.
type body struct {
	context.Context
	entry  *entry
	need   *need
	trials []breaker.Reserved // by gate; empty: it holds none
	cutOff atomic.Bool        // a call under it was refused
	closed atomic.Bool
}

// bodyKey finds the innermost body of a context.
type bodyKey struct{}

const bodyName = "WithEntry"

// Value makes the body known to derived contexts.
func (b *body) Value(key any) any {
	if key == (bodyKey{}) {
		return b
	}
	return b.Context.Value(key)
}

// String names the body after its parent, as other contexts do.
func (b *body) String() string { return carry.Name(b.Context) + "." + bodyName }

// bodyFrom returns the innermost body that ctx carries and that goes on, or nil.
func bodyFrom(ctx context.Context) *body {
	b, _ := ctx.Value(bodyKey{}).(*body)
	if b != nil && b.closed.Load() {
		return b.outer()
	}
	return b
}

// outer is the body around b, or nil.
func (b *body) outer() *body { return bodyFrom(b.Context) }

// reserveTrials takes the trials of all gates that reserve, or refuses. While their
// breakers admit every call there is nothing to take.
func (c *Call) reserveTrials(g *Guard) *RefusalError {
	if !slices.ContainsFunc(c.needs(g).gates, gate.holds) {
		return nil
	}
	c.enterBody(g)
	b := c.body
	b.trials = make([]breaker.Reserved, len(b.need.gates))
	around := b.outer()
	for i, gate := range b.need.gates {
		if of := gate.reserves(); of != nil {
			period, admitted := b.trials[i].Take(of, gate.n, gate.anyNumber, around.trialsOf(of))
			if !admitted {
				return g.gateRefusal(b.need, i, of, period)
			}
			if instead := period.Instead(); instead != nil {
				g.gateInDry(b.need, i, of, instead)
			}
		}
	}
	return nil
}

// enterBody begins the body of an entry, for the calls under it, if it has not begun.
func (c *Call) enterBody(g *Guard) {
	if c.body == nil {
		c.body = &body{Context: c.ctx, entry: g.entry, need: &g.need}
		c.ctx = c.body
	}
}

// trialsOf returns the trials of a breaker that b or a body around it holds, or nil.
func (b *body) trialsOf(of *breaker.Breaker) *breaker.Reserved {
	for ; b != nil; b = b.outer() {
		for i := range b.trials {
			if b.need.gates[i].base == of && b.trials[i].Serves() {
				return &b.trials[i]
			}
		}
	}
	return nil
}

// holdTrial reports whether an entry around the call has a trial left for it.
// Ask it where the breaker reserves some.
func (c *Call) holdTrial(b *breaker.Breaker) bool { return bodyFrom(c.ctx).trialsOf(b) != nil }

// admit asks a breaker that does not admit every call: first for a trial that an
// entry around the call holds.
func (c *Call) admit(b *breaker.Breaker) (period *breaker.Period, admitted bool) {
	if b.Reserves() {
		if held := bodyFrom(c.ctx).trialsOf(b); held != nil {
			if period, admitted = held.Admit(); admitted {
				return period, true
			}
		}
	}
	if c.guard.inCall == nil {
		return b.Admit()
	}
	before, _ := b.Gate()
	period, admitted = b.Admit()
	c.guard.tellChange(c.ctx, before)
	return period, admitted
}

// returnTrial takes the beginning of a call back that is not made.
func (c *Call) returnTrial(b *breaker.Breaker) {
	if b.Reserves() {
		for around := bodyFrom(c.ctx); around != nil; around = around.outer() {
			for i := range around.trials {
				if around.need.gates[i].base == b && around.trials[i].Return(c.period) {
					return
				}
			}
		}
	}
	c.period.Return()
}

// close gives back what no call used.
func (b *body) close() {
	b.closed.Store(true)
	for i := range b.trials {
		b.trials[i].Close()
	}
}

// attach returns ctx with the body.
func (b *body) attach(ctx context.Context) context.Context {
	if b == nil {
		return ctx
	}
	return carry.Attach(ctx, bodyKey{}, b, bodyName)
}

// outside is the context of the caller, without what the call has put around it.
func (c *Call) outside() context.Context {
	for ctx := c.ctx; ; {
		switch ctx {
		case context.Context(c.body):
			ctx = c.body.Context
		case context.Context(c.reservation):
			ctx = c.reservation.Context
		case context.Context(c.tokens):
			ctx = c.tokens.Context
		default:
			return ctx
		}
	}
}
