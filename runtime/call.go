package resilience

import (
	"context"
	"errors"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// Call is one guarded call. The zero value is ready to begin, once. It belongs to
// the goroutine that makes the call and must not be copied: it is large, and
// lives where it is declared.
type Call struct {
	_           noCopy
	guard       *Guard          // nil before the call begins and once it has ended
	ctx         context.Context // the callee's
	period      *breaker.Period // in which the call began
	slowAt      breaker.Instant // 0: slow calls mean nothing
	permit      bulkhead.Permit
	reservation *bulkhead.Reservation
	measured    *measured
}

// noCopy makes go vet find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// measured is what a call with a timeout, or one that is observed, has on top.
type measured struct {
	caller context.Context
	began  breaker.Instant
	limit  time.Duration      // 0: no timeout
	cancel context.CancelFunc // nil: no timeout
	err    error              // what the caller gets
}

// Begin takes what g says the call needs, in the order gate, bulkhead, breaker,
// timeout. The error is a [*RefusalError]; then everything was given back.
// Otherwise the call must end with Finish. Release must be deferred before Begin,
// for the case that something panics. The context bounds the wait for a permit
// and carries reservations; a method without one passes context.Background(), and
// nil means that, too.
//
// A call whose context is done does not begin. Reading the clock would cost more
// than all the rest, so a deadline that has passed before the context noticed is
// seen only where a timeout or a trial is at stake.
func (c *Call) Begin(ctx context.Context, g *Guard) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return g.refuseDone(ctx, err)
	}
	c.guard, c.ctx = g, ctx
	if g.alone { // one question has no halves, so the generation of the settings does not matter
		if period, passed := g.breaker.Pass(); passed {
			c.period = period
			return nil
		}
	}
	generation := g.generation.now()
	limit, slowAfter := g.timeout.now(), g.slowAfter() // as it began, however long it waits for a permit
	if (limit > 0 || g.tries()) && late(ctx) {
		c.guard = nil
		return g.refuseDone(ctx, context.DeadlineExceeded)
	}
	waited := false
	if g.bulkhead != nil || g.entry != nil {
		var err error
		if waited, err = g.enter(c); err != nil {
			c.guard = nil
			return err
		}
	}
	if g.breaker != nil {
		period, admitted := g.breaker.Admit()
		if !admitted {
			c.giveBack(g)
			c.guard = nil
			return g.refuseOpen(period)
		}
		c.period = period
		if limit > 0 {
			period.Bound(limit)
		}
		if slowAfter > 0 {
			c.slowAt = breaker.Now().Add(slowAfter)
		}
	}
	if !waited && !g.generation.is(generation) {
		return c.beginAgain(ctx, g)
	}
	if limit > 0 || g.events.calls {
		c.measure(limit)
	}
	c.permit.Begin()
	if c.reservation != nil {
		c.reservation.Open()
	}
	return nil
}

// beginAgain begins a call anew that may have met one half of the old settings
// and the other of new ones. A call that waited has begun under the old ones.
func (c *Call) beginAgain(ctx context.Context, g *Guard) error {
	c.undo()
	*c = Call{}
	return c.Begin(ctx, g)
}

// late reports a deadline that has passed, also before the context has noticed.
func late(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return bounded && !time.Now().Before(deadline)
}

// measure starts what not every call pays for: a deadline, and the time for
// those who observe calls.
func (c *Call) measure(limit time.Duration) {
	c.measured = &measured{caller: c.ctx, began: breaker.Now(), limit: limit}
	if limit > 0 {
		c.ctx, c.measured.cancel = context.WithTimeout(c.ctx, limit)
	}
}

// Context is the one to call with: the caller's, with the guard's deadline and
// the entry's reservation where there are.
func (c *Call) Context() context.Context { return c.ctx }

// Finish ends the call with the error that the dependency returned: judges it,
// records the outcome in the breaker of the period in which the call began, and
// gives every permit back. It returns err, which also is [ErrTimeout] where the
// guard's timeout had passed.
func (c *Call) Finish(err error) error {
	g := c.guard
	if g == nil {
		return err
	}
	if err != nil || g.classify != nil {
		return c.finish(err)
	}
	c.guard = nil
	if g.alone && c.slowAt == 0 {
		c.period.Success(false)
		return nil
	}
	if c.period != nil { // end(Success) would be a call more for every call
		c.period.Success(c.slow())
	}
	c.leave(g, Success)
	return nil
}

// finish is Finish for an error, and for results that only classify can tell.
func (c *Call) finish(err error) error {
	err = c.timedOut(err)
	outcome := c.judge(err)
	if c.measured != nil {
		c.measured.err = err
	}
	c.end(outcome, err)
	return err
}

// Release ends a call that did not reach Finish, because it panicked or its
// goroutine exits, as a failure. After Finish, and after a refusal, it does
// nothing.
func (c *Call) Release() {
	if c.guard != nil {
		c.breakOff()
	}
}

// breakOff ends a call that did not return. Where the caller's context panicked
// as Begin derived one from it, the dependency was not called.
func (c *Call) breakOff() {
	if m := c.measured; m != nil && m.limit > 0 && m.cancel == nil {
		c.undo()
		return
	}
	c.end(Failure, errBroken)
}

// errBroken stands for the error of a call that returned none.
var errBroken = errors.New("it panicked, or its goroutine ended")

// caller is the context that the caller gave. A reservation has the end of its
// parent, so only a deadline of ours makes a difference.
func (c *Call) caller() context.Context {
	if c.measured != nil {
		return c.measured.caller
	}
	return c.ctx
}

// timedOut marks an error that came after our deadline, and not after the
// caller's.
func (c *Call) timedOut(err error) error {
	m := c.measured
	if err == nil || m == nil || !m.passed(c.ctx) || m.caller.Err() != nil {
		return err
	}
	return &timeoutError{c.guard.method, m.limit, err}
}

// passed reports whether the limit is over. The clock is asked too: a client that
// has its deadline from the context may notice before the context does.
func (m *measured) passed(ctx context.Context) bool {
	return m.cancel != nil &&
		(ctx.Err() == context.DeadlineExceeded || breaker.Now().Sub(m.began) >= m.limit)
}

func (c *Call) end(outcome Outcome, err error) {
	g, slow, why := c.guard, c.slow(), ""
	if c.period != nil && outcome == Failure {
		why = failureText(err) // the error's own method may do anything, so Release still is to come
	}
	c.guard = nil
	if c.period != nil {
		switch outcome {
		case Success:
			c.period.Success(slow)
		case Failure:
			c.period.Failure(slow, g.method, why)
		case abandoned:
			c.period.Abandon(slow)
		default:
			c.period.Ignore()
		}
	}
	if outcome == abandoned {
		outcome = Ignored // so it is for all but the breaker
	}
	c.leave(g, outcome)
}

// failureText is what a breaker keeps of a failure.
func failureText(err error) string {
	if err == nil {
		return "no error, but classify says that it failed"
	}
	return breaker.Describe(err)
}

func (c *Call) slow() bool { return c.slowAt != 0 && breaker.Now() > c.slowAt }

// leave returns what the call took, and tells who observes calls.
func (c *Call) leave(g *Guard, outcome Outcome) {
	if g.bulkhead != nil {
		c.permit.Release()
	}
	if c.reservation != nil {
		g.close(c.reservation)
	}
	if c.measured != nil {
		c.measured.end(g, outcome)
	}
}

// undo takes a beginning back, as if there had been none: the dependency was not
// called.
func (c *Call) undo() {
	g := c.guard
	c.guard = nil
	if c.period != nil {
		c.period.Ignore()
	}
	c.giveBack(g)
}

// giveBack returns what enter took for a call that is not made.
func (c *Call) giveBack(g *Guard) {
	if g.bulkhead != nil {
		c.permit.Return()
	}
	if c.reservation != nil {
		g.close(c.reservation)
	}
}

func (m *measured) end(g *Guard, outcome Outcome) {
	if m.cancel != nil {
		m.cancel()
	}
	if g.events.calls {
		took := breaker.Now().Sub(m.began)
		g.events.emitFrequent(CallEnded{time.Now(), g.method, outcome, Duration(took), m.err})
	}
}
