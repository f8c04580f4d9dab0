package resilience

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// entry is what an anticipated method does before its body: it asks the gates
// of all breakers that the work will need, then reserves permits for the calls
// under it.
type entry struct {
	gates   gates              // the method's own breaker first
	own     *bulkhead.Bulkhead // the method's; its permit is part of the demand
	demand  *bulkhead.Demand   // nil: gates only
	refusal atomic.Pointer[gateRefusal]
}

// gates are the breakers that a call or an entry asks before it waits for
// permits.
type gates []*breaker.Breaker

// gates are those that end the guard's waits for permits, nil without one.
func (g *Guard) gates() bulkhead.Gates {
	switch {
	case g.entry != nil && len(g.entry.gates) > 0:
		return g.entry.gates
	case g.entry == nil && g.breaker != nil:
		return gates{g.breaker}
	}
	return nil
}

// Watch sends to news when one of the breakers changes.
func (g gates) Watch(news chan<- struct{}) {
	for _, gate := range g {
		gate.Watch(news)
	}
}

// Unwatch ends Watch.
func (g gates) Unwatch(news chan<- struct{}) {
	for _, gate := range g {
		gate.Unwatch(news)
	}
}

// Refuse reports whether one of the breakers is open. HALF_OPEN ends no wait,
// because trials may be free by the end of it.
func (g gates) Refuse() bool {
	for _, gate := range g {
		if period, admits := gate.Gate(); !admits && period.State() != HalfOpen {
			return true
		}
	}
	return false
}

// enter asks the gates again where it waited for permits, since a breaker may
// have opened meanwhile.
func (e *entry) enter(g *Guard, call *Call) (waited bool, err error) {
	if err := e.ask(g); err != nil || e.demand == nil {
		return false, err
	}
	reservation, waited, refused := e.demand.Reserve(call.ctx, g.waits)
	switch {
	case refused == nil:
	case refused.Kind == bulkhead.Gated:
		return e.enter(g, call) // the gates say why
	default:
		return waited, g.refuseFull(refused)
	}
	call.reservation, call.ctx = reservation, reservation
	if !waited {
		return false, nil
	}
	if err := e.ask(g); err != nil {
		call.giveBack(g)
		return true, err
	}
	return true, nil
}

// ask asks every gate and changes nothing.
func (e *entry) ask(g *Guard) error {
	for i, gate := range e.gates {
		if period, admits := gate.Gate(); !admits {
			return e.refuse(g, e.turnedAway(g, gate, period), e.gates[i+1:])
		}
	}
	return nil
}

// first is the name of the gate or bulkhead that is asked first.
func (e *entry) first() string {
	if len(e.gates) > 0 {
		return e.gates[0].Name()
	}
	return e.demand.First().Name()
}

// refusing is a breaker that does not admit calls, in the period it is in, and
// until when at least.
type refusing struct {
	gate    *breaker.Breaker
	period  *breaker.Period
	retryAt breaker.Instant
	known   bool
}

func newRefusing(gate *breaker.Breaker, period *breaker.Period) refusing {
	retryAt, known := period.RetryAt()
	return refusing{gate, period, retryAt, known}
}

// turnedAway counts an entry that a gate refused in period, where the call is
// counted that the entry itself would be.
func (e *entry) turnedAway(g *Guard, gate *breaker.Breaker, period *breaker.Period) refusing {
	if gate == g.breaker {
		return newRefusing(gate, period.Refused())
	}
	return newRefusing(gate, gate.CountGate(period))
}

// gateRefusal is the error of all entries that the same breakers refuse.
type gateRefusal struct {
	all []refusing
	err *RefusalError
}

// refuse names the first gate that refused, and those of the rest that do too.
func (e *entry) refuse(g *Guard, first refusing, rest []*breaker.Breaker) error {
	var few [8]refusing
	all := append(few[:0], first)
	for _, gate := range rest {
		if period, admits := gate.Gate(); !admits {
			all = append(all, e.turnedAway(g, gate, period))
		}
	}
	last := e.refusal.Load()
	if last == nil || !slices.Equal(last.all, all) {
		last = &gateRefusal{slices.Clone(all), newGateError(g, all)}
		e.refusal.Store(last)
	}
	if e.demand != nil {
		e.demand.CountGate()
	}
	g.observeRefusal(last.err)
	return last.err
}

func newGateError(g *Guard, all []refusing) *RefusalError {
	err := &RefusalError{Kind: KindGate, Method: g.method, Name: all[0].gate.Name(), registry: g.generation}
	for i, r := range all {
		if i == 0 {
			err.retryAt, err.known = r.retryAt, r.known
		}
		err.retryAt, err.known = max(err.retryAt, r.retryAt), err.known && r.known
		err.Gates, err.refused = append(err.Gates, r.gate.Name()), append(err.refused, r.refusal())
	}
	return err
}

// close gives back what an entry reserved.
func (g *Guard) close(r *bulkhead.Reservation) {
	if mismatched := r.Close(); mismatched {
		g.tellMismatch(r)
	}
}

// tellMismatch tells observers of a declaration that does not fit the body.
func (g *Guard) tellMismatch(r *bulkhead.Reservation) {
	if !g.events.observed {
		return
	}
	for _, used := range r.Usage() {
		if used.Unused > 0 || used.Overflow > 0 {
			g.events.emitFrequent(Mismatch{
				At: time.Now(), Method: g.method, Bulkhead: used.Bulkhead.Name(),
				Reserved: used.Reserved, Unused: used.Unused, Overflow: used.Overflow,
			})
		}
	}
}
