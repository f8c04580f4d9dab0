package resilience

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/carry"
)

// trials are the context of an entry's body while it holds trials of breakers.
// Calls find them there, through any contexts derived from it. They are made only
// where a breaker that the entry checks does not admit every call.
type trials struct {
	context.Context
	outer  *trials
	held   []breaker.Reserved // by gate; a gate that reserves none has an empty one
	of     gates
	closed atomic.Bool
}

// trialsKey finds the innermost trials of a context.
type trialsKey struct{}

const trialsName = "WithTrials"

// Value makes the trials known to derived contexts.
func (t *trials) Value(key any) any {
	if key == (trialsKey{}) {
		return t
	}
	return t.Context.Value(key)
}

// String names the trials after their parent, as other contexts do.
func (t *trials) String() string { return carry.Name(t.Context) + "." + trialsName }

// trialsFrom returns the innermost trials that ctx carries, or nil.
func trialsFrom(ctx context.Context) *trials {
	t, _ := ctx.Value(trialsKey{}).(*trials)
	for t != nil && t.closed.Load() {
		t = t.outer
	}
	return t
}

// reserveTrials takes the trials of all gates that reserve, or refuses. While their
// breakers admit every call there is nothing to take.
func (c *Call) reserveTrials(g *Guard) *RefusalError {
	if !slices.ContainsFunc(g.gates, gate.holds) {
		return nil
	}
	t := &trials{Context: c.ctx, outer: trialsFrom(c.ctx), held: make([]breaker.Reserved, len(g.gates)), of: g.gates}
	c.trials, c.ctx = t, t
	for i, gate := range g.gates {
		if b := gate.reserves(); b != nil {
			if period, admitted := t.held[i].Take(b, gate.n, gate.anyNumber, t.outer.find(b)); !admitted {
				return g.gateRefusal(i, b, period)
			}
		}
	}
	return nil
}

// find returns the trials of a breaker that t or an entry around it holds, or nil.
func (t *trials) find(b *breaker.Breaker) *breaker.Reserved {
	for ; t != nil; t = t.outer {
		for i, gate := range t.of {
			if gate.base == b && !t.closed.Load() && t.held[i].Serves() {
				return &t.held[i]
			}
		}
	}
	return nil
}

// holdTrial reports whether an entry around the call has a trial left for it.
// Ask it where the breaker reserves some.
func (c *Call) holdTrial(b *breaker.Breaker) bool { return trialsFrom(c.ctx).find(b) != nil }

// admit asks a breaker that does not admit every call: first for a trial that an
// entry around the call holds.
func (c *Call) admit(b *breaker.Breaker) (period *breaker.Period, admitted bool) {
	if b.Reserves() {
		if held := trialsFrom(c.ctx).find(b); held != nil {
			if period, admitted = held.Admit(); admitted {
				return period, true
			}
		}
	}
	return b.Admit()
}

// returnTrial takes the beginning of a call back that is not made.
func (c *Call) returnTrial(b *breaker.Breaker) {
	if b.Reserves() {
		for t := trialsFrom(c.ctx); t != nil; t = t.outer {
			for i, gate := range t.of {
				if gate.base == b && t.held[i].Return(c.period) {
					return
				}
			}
		}
	}
	c.period.Return()
}

// close gives back what no call used.
func (t *trials) close() {
	t.closed.Store(true)
	for i := range t.held {
		t.held[i].Close()
	}
}

// attach returns ctx with the trials.
func (t *trials) attach(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return carry.Attach(ctx, trialsKey{}, t, trialsName)
}
