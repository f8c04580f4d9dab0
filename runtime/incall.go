package resilience

import (
	"context"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
)

// ObserveInCall lets an observer hear of a call as it happens, in the call's
// goroutine: of its refusal, as [Refused], and of a change of its breaker that the
// call brought about or saw, as a [Transition] without figures. The function gets the
// context of such a call and returns who wants to hear of it, nil where nobody does;
// that costs a call on which nothing is wrong nothing. Several calls ask at the same
// time, and each waits for the observer. A panic is recovered and counted; see
// [EventFigures]. A nil function observes nothing.
func ObserveInCall(observer func(ctx context.Context) Observer) Option {
	return func(s *setup) {
		if observer != nil {
			s.inCall = append(s.inCall, observer)
		}
	}
}

// inCall are those who may want to hear of a call.
type inCall []func(ctx context.Context) Observer

// observer is the i-th for a call, or nil.
func (g *Guard) observer(i int, ctx context.Context) Observer {
	defer func() {
		if recover() != nil {
			g.events.countPanic()
		}
	}()
	return g.inCall[i](ctx)
}

func (g *Guard) tellRefusal(ctx context.Context, refusal *RefusalError) {
	for i := range g.inCall {
		if o := g.observer(i, ctx); o != nil {
			g.events.observe(o, Refused{At: time.Now(), Error: refusal})
		}
	}
}

// tellChange tells of the state that the breaker of g is in now, where a call knew
// another one before.
func (g *Guard) tellChange(ctx context.Context, before *breaker.Period) {
	if before == nil {
		return
	}
	if now, _ := g.breaker.Gate(); now.State() == before.State() {
		return
	}
	for i := range g.inCall {
		if o := g.observer(i, ctx); o != nil {
			s := g.breaker.Snapshot()
			g.events.observe(o, Transition{
				At: s.Since, Breaker: s.Name, From: before.State(), To: s.State, Reason: s.Reason, By: s.By, DryRun: s.Dry,
				LastFailure: Trouble(s.LastFailure), LastProbe: Trouble(s.LastProbe),
			})
		}
	}
}
