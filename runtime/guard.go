package resilience

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// Guard stands before one method of a wrapper. Generated constructors make it
// with [Wiring.Guard]. It is safe for concurrent use, and a call on which
// nothing is wrong costs no allocation (a timeout and an entry's reservation
// excepted, as they derive a context, and [ObserveCalls]).
type Guard struct {
	method   string // such as "payments.Client.Do"
	breaker  *breaker.Breaker
	bulkhead *bulkhead.Bulkhead // nil too where the entry's demand takes its permit
	timeout  *timeout
	entry    *entry
	waits    bulkhead.Gates // end its waits for permits; nil where there are none
	classify func(error) Outcome
	events   *events
	alone    bool // the breaker is all there is

	generation *generation                 // of the settings
	refusal    atomic.Pointer[openRefusal] // the last one; its period tells whether it still holds
	full       atomic.Pointer[fullRefusal]
}

// slowAfter is the duration above which a call is slow, 0 if none is.
func (g *Guard) slowAfter() time.Duration {
	if g.breaker == nil {
		return 0
	}
	return g.breaker.SlowAfter()
}

// enter takes what comes before the breaker: gates, bulkhead, reservations. It
// reports whether it had to wait for them.
func (g *Guard) enter(call *Call) (waited bool, err error) {
	if g.entry != nil {
		return g.entry.enter(g, call)
	}
	if g.breaker != nil {
		if period, admits := g.breaker.Gate(); !admits {
			g.bulkhead.CountGate()
			return false, g.refuseOpen(period)
		}
	}
	permit, waited, refused := g.bulkhead.Admit(call.ctx, g.waits)
	switch {
	case refused == nil:
		call.permit = permit
		return waited, nil
	case refused.Kind == bulkhead.Gated:
		return g.enter(call) // the gate says why
	}
	return waited, g.refuseFull(refused)
}

// tries reports that a call would be a trial.
func (g *Guard) tries() bool { return g.breaker != nil && g.breaker.State() == HalfOpen }

// refuseDone refuses a call whose caller has gone. It counts nowhere, for it
// says nothing about any guard.
func (g *Guard) refuseDone(ctx context.Context, err error) error {
	refusal := &RefusalError{Kind: KindDone, Method: g.method, Name: g.first(), cause: bulkhead.WithCause(ctx, err)}
	g.observeRefusal(refusal)
	return refusal
}

// first is the name of the guard that would have been asked first.
func (g *Guard) first() string {
	switch {
	case g.breaker != nil:
		return g.breaker.Name()
	case g.entry != nil:
		return g.entry.first()
	case g.bulkhead != nil:
		return g.bulkhead.Name()
	case g.timeout != nil:
		return g.timeout.name
	}
	return ""
}

// openRefusal is the error of all calls that a breaker refuses alike, so that a
// refusal need not allocate.
type openRefusal struct {
	refusing
	err *RefusalError
}

func (g *Guard) refuseOpen(period *breaker.Period) error {
	now := newRefusing(g.breaker, period.Refused())
	last := g.refusal.Load()
	if last == nil || last.refusing != now {
		last = &openRefusal{now, &RefusalError{
			Kind: kindOf(now.period), Method: g.method, Name: g.breaker.Name(),
			refused: []refusal{now.refusal()}, retryAt: now.retryAt, known: now.known, registry: g.generation,
		}}
		g.refusal.Store(last)
	}
	g.observeRefusal(last.err)
	return last.err
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

// fullRefusal is the error of all calls that a bulkhead refuses alike.
type fullRefusal struct {
	of  *bulkhead.Refusal
	err *RefusalError
}

// refuseFull turns a bulkhead's refusal into the caller's error. Requests that
// the bulkhead refuses alike share a refusal, and so an error.
func (g *Guard) refuseFull(refused *bulkhead.Refusal) error {
	last := g.full.Load()
	if last == nil || last.of != refused {
		last = &fullRefusal{refused, g.newFullRefusal(refused)}
		if refused.Cause == nil {
			g.full.Store(last)
		}
	}
	g.observeRefusal(last.err)
	return last.err
}

// fullKinds are the kinds of a bulkhead's refusals as callers see them.
var fullKinds = [...]Kind{
	bulkhead.Full:      KindFull,
	bulkhead.Cancelled: KindFull,
	bulkhead.TooLarge:  KindTooLarge,
	bulkhead.Done:      KindDone,
}

func (g *Guard) newFullRefusal(refused *bulkhead.Refusal) *RefusalError {
	return &RefusalError{
		Kind:      fullKinds[refused.Kind],
		Method:    g.method,
		Name:      refused.Bulkhead.Name(),
		Wanted:    refused.Wanted,
		Available: refused.Available,
		cause:     refused.Cause,
		circle:    refused.Circle,
		registry:  g.generation,
	}
}

func (g *Guard) observeRefusal(err *RefusalError) {
	if g.events.observed {
		g.events.emitFrequent(Refused{At: time.Now(), Error: err})
	}
}
