package resilience

import (
	"context"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// Call is one guarded call between Begin and its end. It belongs to the
// goroutine that began it and must not be copied.
type Call struct {
	guard       *Guard          // nil once the call has ended
	ctx         context.Context // the callee's
	period      *breaker.Period // in which the call began
	slowAt      breaker.Instant // 0: slow calls mean nothing
	permit      bulkhead.Permit
	reservation *bulkhead.Reservation
	measured    *measured
}

// measured is what a call with a timeout, or one that is observed, has on top.
type measured struct {
	caller context.Context
	began  breaker.Instant
	limit  time.Duration      // 0: no timeout
	cancel context.CancelFunc // nil: no timeout
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
	outcome := Success
	if err != nil || g.classify != nil {
		outcome = judge(c.caller(), err, g.classify)
		err = c.timedOut(err)
	}
	c.end(outcome, err)
	return err
}

// Release ends a call that did not reach Finish, because it panicked or its
// goroutine exits, as a failure. After Finish, and after a refusal, it does
// nothing.
func (c *Call) Release() {
	if c.guard != nil {
		c.end(Failure, nil)
	}
}

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
	if err == nil || m == nil || m.cancel == nil {
		return err
	}
	if c.ctx.Err() != context.DeadlineExceeded || m.caller.Err() != nil {
		return err
	}
	return &timeoutError{c.guard.method, m.limit, err}
}

func (c *Call) end(outcome Outcome, err error) {
	g := c.guard
	c.guard = nil
	if c.period != nil {
		c.record(outcome)
	}
	c.giveBack()
	if c.measured != nil {
		c.measured.end(g, outcome, err)
	}
}

func (c *Call) record(outcome Outcome) {
	if outcome == Ignored {
		c.period.Ignore()
		return
	}
	slow := c.slowAt != 0 && breaker.Now() > c.slowAt
	if outcome == Success {
		c.period.Success(slow)
	} else {
		c.period.Failure(slow)
	}
}

// giveBack returns what enter took.
func (c *Call) giveBack() {
	if c.reservation != nil {
		c.reservation.Close()
		return
	}
	c.permit.Release()
}

func (m *measured) end(g *Guard, outcome Outcome, err error) {
	if m.cancel != nil {
		m.cancel()
	}
	if g.events.calls {
		took := breaker.Now().Sub(m.began)
		g.events.emitFrequent(CallEnded{time.Now(), g.method, outcome, Duration(took), err})
	}
}
