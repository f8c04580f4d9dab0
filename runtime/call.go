package resilience

import (
	"context"
	"errors"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
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
	began       breaker.Instant // 0: nobody wants to know how it ends
	turn        ratelimit.Turn
	tokens      *ratelimit.Reservation
	body        *body
	repeats     bool // an attempt before it was counted at its reservation
	over        bool // with a fallback: the limit was over as the call failed without an error
	permit      bulkhead.Permit
	reservation *bulkhead.Reservation
	measured    *measured
	lost        *Guard // with a fallback: the call came to nothing
}

// noCopy makes go vet find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// measured is the part of a call that only calls with a timeout have, and those
// that are observed.
type measured struct {
	caller context.Context
	began  breaker.Instant
	limit  time.Duration      // 0: no timeout
	cancel context.CancelFunc // nil: no timeout
	err    error              // that the caller gets
	record *record            // of which it is a part; nil: nobody records
}

// Begin takes what g says the call needs, in the order gate, rate limit, bulkhead,
// breaker, timeout. The error is a [*RefusalError], or of the settings of [Faults]; then
// everything was given back.
// Otherwise the call must end with Finish. Release must be deferred before Begin,
// in case something panics. The context bounds the wait for a permit and carries
// reservations; a method without a context passes context.Background(), and nil
// means the same.
//
// A call whose context is done does not begin. Reading the clock would cost more
// than everything else, so a deadline that has passed before the context noticed
// is seen only where a timeout or a trial is at stake.
func (c *Call) Begin(ctx context.Context, g *Guard) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		c.guard, c.ctx = g, ctx
		return c.refuse(g.goneRefusal(ctx, err))
	}
	c.guard, c.ctx = g, ctx
	if g.alone { // what one breaker says needs no look at the version of the settings
		if period, passed := g.breaker.Pass(); passed {
			c.period = period
			return nil
		}
		if period, admits := g.breaker.Gate(); !admits && !(g.breaker.Reserves() && c.holdTrial(g.breaker)) {
			return c.refuse(g.openRefusal(period))
		}
	}
	version := g.version.now()
	limit, slowAfter := g.timeout.now(), g.slowAfter() // in force as the call begins, however long it waits
	if (limit > 0 || g.onTrial()) && late(ctx) {
		return c.refuse(g.goneRefusal(ctx, context.DeadlineExceeded))
	}
	waited := false
	if g.enters {
		var refusal *RefusalError
		if g.special {
			waited, refusal = c.enterSpecially(g)
		} else {
			waited, refusal = c.enter(g)
		}
		switch refusal {
		case nil:
		case errGone:
			return c.beginAgain(ctx, g.again())
		default:
			return c.refuse(refusal)
		}
	}
	if g.breaker != nil {
		period, admitted := g.breaker.Free()
		if !admitted {
			if period, admitted = c.admit(g.breaker); !admitted {
				return c.refuse(g.openRefusal(period))
			}
			if instead := period.Instead(); instead != nil {
				g.openInDry(instead)
			}
		}
		c.period = period
	}
	if !waited && !g.version.is(version) {
		return c.beginAgain(ctx, g)
	}
	if slowAfter > 0 {
		c.slowAt = breaker.Now().Add(slowAfter)
	}
	if limit > 0 || g.events.calls {
		c.measure(limit)
	}
	if c.permit.Reserved() && !c.repeats {
		c.permit.Begin(ctx)
	}
	if g.entry != nil {
		g.entry.begun.Add(1)
		c.reservation.Open()
	}
	if g.watched() {
		return c.watch(g)
	}
	return nil
}

// BeginEntry is Begin for an entry some of whose numbers are known to the call alone:
// they are given in the order of the numbers that its [Permits] and [Tokens] name.
// One of zero or less reserves nothing.
func (c *Call) BeginEntry(ctx context.Context, g *Guard, numbers ...int) error {
	if g.recording != nil {
		c.noteNumbers(ctx, g, numbers)
	}
	return c.beginEntry(ctx, g, g.need.with(numbers))
}

func (c *Call) beginEntry(ctx context.Context, g *Guard, n *need) error {
	if ctx == nil {
		ctx = context.Background()
	}
	c.body = &body{Context: ctx, entry: g.entry, need: n}
	return c.Begin(c.body, g)
}

// needs is what the call asks and takes.
func (c *Call) needs(g *Guard) *need {
	if c.body != nil {
		return c.body.need
	}
	return &g.need
}

// enter asks the breaker as a gate and takes a token of the rate limit and a permit
// of the bulkhead.
func (c *Call) enter(g *Guard) (waited bool, refusal *RefusalError) {
	waits := g.waits
	if g.breaker != nil {
		if period, admits := g.breaker.Gate(); !admits {
			if !g.breaker.Reserves() || !c.holdTrial(g.breaker) {
				g.countGate()
				return false, g.openRefusal(period)
			}
			waits = nil
		}
	}
	if g.rateLimit != nil {
		gated := false
		if waited, gated, refusal = c.takeTurn(g, waits); gated {
			return c.enter(g) // the gate says why
		}
		if refusal != nil || g.bulkhead == nil {
			return waited, refusal
		}
	}
	permit, queued, refused := g.bulkhead.Admit(c.ctx, waits)
	if refused != nil && refused.Dry {
		g.fullInDry(refused)
		refused = nil
	}
	switch {
	case refused == nil:
		c.permit = permit
		return waited || queued, nil
	case refused.Kind == bulkhead.Gated:
		return c.enter(g) // the gate says why
	}
	return queued, g.fullRefusal(refused)
}

// enterSpecially is enter for an entry, for a call that is recorded, and for a key,
// whose instances may have gone since the guard was found. Then the call begins anew,
// with errGone.
func (c *Call) enterSpecially(g *Guard) (waited bool, refusal *RefusalError) {
	if g.recording != nil {
		c.arrive(g)
	}
	if g.entry != nil {
		waited, refusal = c.reserve(g)
	} else if waited, refusal = c.enter(g); refusal == nil && g.gone() {
		refusal = errGone
	}
	if waited && g.recording != nil {
		c.measured.record.waited = true
	}
	return waited, refusal
}

var errGone = new(RefusalError)

// takeTurn takes the token of the rate limit, unless the call has it already. It
// reports whether a gate ended the wait for it.
func (c *Call) takeTurn(g *Guard, waits bulkhead.Gates) (waited, gated bool, refusal *RefusalError) {
	if c.turn.Taken() {
		return false, false, nil
	}
	turn, waited, refused := g.rateLimit.Take(c.ctx, waits)
	if refused != nil && refused.Dry {
		g.rateInDry(g.rateLimit, 1, refused)
		refused = nil
	}
	switch {
	case refused == nil:
		c.turn = turn
		return waited, false, nil
	case refused.Kind == ratelimit.Gated:
		return waited, true, nil
	}
	return waited, false, g.rateRefusal(g.rateLimit, 1, refused)
}

// reserve is enter for an entry: it asks all gates and takes all tokens and permits,
// and trials at last, because none should wait for them. If it waited it asks the
// gates again, because a breaker may have opened meanwhile.
func (c *Call) reserve(g *Guard) (waited bool, refusal *RefusalError) {
	n := c.needs(g)
	gates, free := n.waits, n.gates.free()
	if !free {
		if gates, refusal = c.ask(g); refusal != nil {
			return false, refusal
		}
	}
	if g.rateLimit != nil {
		gated := false
		if waited, gated, refusal = c.takeTurn(g, gates); gated {
			return c.reserve(g) // the gates say why
		}
		if refusal != nil {
			return waited, refusal
		}
	}
	if len(n.tokens) > 0 && c.tokens == nil {
		tokens, waits, at, refused := ratelimit.Reserve(c.ctx, n.tokens, gates)
		if refused != nil && refused.Dry {
			g.rateInDry(at.Limiter, at.N, refused)
			refused = nil
		}
		switch {
		case refused == nil:
			c.tokens, c.ctx, waited = tokens, tokens, waited || waits
		case refused.Kind == ratelimit.Gated:
			return c.reserve(g) // the gates say why
		default:
			return waits, g.rateRefusal(at.Limiter, at.N, refused)
		}
	}
	if n.demand != nil {
		reservation, waits, refused := n.demand.Reserve(c.ctx, gates)
		if refused != nil && refused.Dry {
			g.fullInDry(refused)
			refused = nil
		}
		switch {
		case refused == nil:
			c.reservation, c.ctx, waited = reservation, reservation, waited || waits
		case refused.Kind == bulkhead.Gated:
			return c.reserve(g) // the gates say why
		default:
			return waits, g.fullRefusal(refused)
		}
	}
	if waited {
		_, refusal = c.ask(g)
	}
	if refusal == nil && (waited || !free) {
		refusal = c.reserveTrials(g)
	}
	if n.demand == nil {
		c.enterBody(g)
	}
	return waited, refusal
}

// ask asks every gate of an entry and changes nothing. It returns those that may end
// a wait: not those of breakers of which an entry around it holds a trial.
func (c *Call) ask(g *Guard) (waits bulkhead.Gates, refusal *RefusalError) {
	n := c.needs(g)
	left := n.gates
	for i, gate := range n.gates {
		if b, period, admits := gate.ask(gate.n); !admits {
			if !b.Reserves() || !c.holdTrial(b) {
				return nil, g.gateRefusal(n, i, b, period)
			}
			left = left.without(gate)
		}
	}
	if len(left) < len(n.gates) {
		return left, nil
	}
	return n.waits, nil
}

// refuse ends a call that does not begin: it returns what the call took.
func (c *Call) refuse(refusal *RefusalError) error {
	g := c.guard
	c.guard = nil
	if !g.alone {
		c.giveBack(g)
	}
	if g.heeded || g.entered.Load() {
		c.tellRefusal(g, refusal)
	}
	return refusal
}

// tellRefusal tells those of a refusal who want to know it.
func (c *Call) tellRefusal(g *Guard, refusal *RefusalError) {
	if g.fallback != nil {
		c.lost = g
	}
	if g.entered.Load() {
		g.noteRefusal(c.outside(), refusal)
	}
	switch {
	case g.recording != nil:
		c.recordRefusal(g, refusal)
	case g.events.observed:
		g.events.emitFrequent(Refused{At: time.Now(), Error: refusal})
	}
	if g.inCall != nil {
		g.tellRefusal(c.ctx, refusal)
	}
}

// beginAgain begins a call anew that may have read one setting from the old file
// and another from the new one, or found an instance that has gone. A call that waited
// has begun under the old file.
func (c *Call) beginAgain(ctx context.Context, g *Guard) error {
	c.undo()
	own := c.body
	*c = Call{repeats: c.repeats, measured: c.measured.again()}
	if own != nil && ctx == own {
		return c.beginEntry(own.Context, g, own.need)
	}
	return c.Begin(ctx, g)
}

// late reports whether a deadline has passed, also before the context has noticed.
func late(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return bounded && !time.Now().Before(deadline)
}

// measure begins the measured part of a call: its deadline, and the time for
// observers of calls.
func (c *Call) measure(limit time.Duration) {
	if g := c.guard; g.recording != nil {
		c.arrive(g)
	} else {
		c.measured = new(measured)
	}
	m := c.measured
	m.caller, m.began, m.limit = c.ctx, breaker.Now(), limit
	if limit > 0 {
		if c.period != nil {
			c.period.Bound(limit)
		}
		c.ctx, m.cancel = context.WithTimeout(c.ctx, limit)
	}
}

// Context is the context to call with: the caller's, with the guard's deadline and
// the entry's reservation where there are any.
func (c *Call) Context() context.Context { return c.ctx }

// Carrier is a value that carries a context, such as an HTTP request.
type Carrier[T any] interface {
	Context() context.Context
	WithContext(context.Context) T
}

// WithContext is a carrier with the context to call with. It is the carrier itself
// where that context is the caller's, so that nothing is copied then.
func WithContext[T Carrier[T]](carrier T, c *Call) T {
	if c.reservation != nil || c.tokens != nil || c.body != nil || c.measured != nil && c.measured.cancel != nil {
		return carrier.WithContext(c.ctx)
	}
	return carrier
}

// Finish ends the call with the error that the dependency returned: it judges the
// error, records the outcome in the breaker of the period in which the call began,
// and gives every permit back. It returns err, which also is [ErrTimeout] where the
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
	if c.period != nil { // calling end(Success) would cost every call a nanosecond
		c.period.Success(c.slow())
	}
	if c.hasMore(g) {
		c.leave(g, Success)
	} else if g.bulkhead != nil {
		c.permit.Release()
	}
	return nil
}

// Settled reports whether the error of a call says by our rules what its outcome
// is, so that no judge is asked: the call outlived its timeout, a guard further in
// refused it, or its caller has gone.
func (c *Call) Settled(err error) bool { return err != nil && c.settled(err) }

func (c *Call) settled(err error) bool {
	if c.guard == nil {
		return true
	}
	_, ruled := c.rule(c.timedOut(err))
	return ruled
}

// FinishAs is Finish for a call that is not [Call.Settled], with the outcome that a
// judge of all its results says.
func (c *Call) FinishAs(outcome Outcome, err error) error {
	if outcome == Success && err == nil {
		return c.Finish(nil)
	}
	if c.guard != nil {
		c.conclude(outcome, err)
	}
	return err
}

// finish is Finish for an error, and for a success that only classify can judge.
func (c *Call) finish(err error) error {
	err = c.timedOut(err)
	c.conclude(c.judge(err), err)
	return err
}

// conclude ends a call with the error that the caller gets.
func (c *Call) conclude(outcome Outcome, err error) { c.end(c.concluded(outcome, err), err) }

// concluded is the outcome that counts, which a fallback may want to know.
func (c *Call) concluded(outcome Outcome, err error) Outcome {
	if c.measured != nil {
		c.measured.err = err
	}
	if outcome == Failure && err == nil && c.cancelled() {
		outcome = abandoned // what its results say is not the dependency's fault
	}
	c.lose(c.guard, outcome, err)
	return outcome
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
// while Begin derived another from it, the dependency was not called.
func (c *Call) breakOff() {
	if m := c.measured; m != nil && m.limit > 0 && m.cancel == nil {
		c.undo()
		return
	}
	c.end(Failure, errBroken)
}

// errBroken stands for the error of a call that returned none.
var errBroken = errors.New("it panicked, or its goroutine ended")

// caller is the caller's context. A reservation ends when its parent does, so only
// a deadline of ours makes a difference.
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
	c.guard.timeout.count()
	return &timeoutError{c.guard.method, m.limit, err}
}

// passed reports whether the limit is over. It asks the clock too: a client that
// has its deadline from the context may notice before the context does.
func (m *measured) passed(ctx context.Context) bool {
	return m.cancel != nil &&
		(ctx.Err() == context.DeadlineExceeded || breaker.Now().Sub(m.began) >= m.limit)
}

// end ends a call that was made.
func (c *Call) end(outcome Outcome, err error) {
	g := c.guard
	if g.recording != nil {
		c.noteEnd()
	}
	c.record(outcome, err)
	c.guard = nil
	c.leave(g, outcome)
}

// record tells the breaker how the call ended. The method of an error may panic; then
// Release must still be able to end the call.
func (c *Call) record(outcome Outcome, err error) {
	if c.period == nil {
		return
	}
	switch slow := c.slow(); outcome {
	case Success:
		c.period.Success(slow)
	case Failure:
		c.period.Failure(slow, c.guard.method, failureText(err))
	case abandoned:
		c.period.Abandon(slow)
	default:
		c.period.Ignore()
	}
}

// failureText is the text that a breaker keeps of a failure.
func failureText(err error) string {
	if err == nil {
		return "no error, but classify says that it failed"
	}
	return breaker.Describe(err)
}

func (c *Call) slow() bool { return c.slowAt != 0 && breaker.Now() > c.slowAt }

// hasMore reports whether leave has to do more than to release a permit.
func (c *Call) hasMore(g *Guard) bool { return g.entry != nil || c.measured != nil || c.began != 0 }

// leave returns what a call took that was made, and tells observers of calls.
func (c *Call) leave(g *Guard, outcome Outcome) {
	c.letGo(g)
	c.tell(g, outcome)
}

// letGo returns what a call took that was made.
func (c *Call) letGo(g *Guard) {
	if g.bulkhead != nil {
		c.permit.Release()
	}
	if c.tokens != nil {
		c.tokens.Close()
	}
	if c.body != nil {
		c.body.close()
	}
	if c.reservation != nil {
		g.close(c.reservation)
	}
	if c.measured != nil && c.measured.cancel != nil {
		c.measured.cancel()
	}
}

// tell tells those who want to know it how a call ended.
func (c *Call) tell(g *Guard, outcome Outcome) {
	if g.recording != nil {
		c.endRecord(g, outcome)
	}
	if outcome == abandoned {
		outcome = Ignored // only a breaker knows the difference
	}
	if c.measured != nil && g.recording == nil {
		c.measured.tell(g, outcome)
	}
	if c.began != 0 {
		c.tellEnd(g, outcome)
	}
}

// undo takes a beginning back, as if there had been none: the dependency was not
// called.
func (c *Call) undo() {
	g := c.guard
	c.guard = nil
	if c.period != nil {
		c.returnTrial(g.breaker)
	}
	c.giveBack(g)
}

// giveBack returns what a call took that is not made.
func (c *Call) giveBack(g *Guard) {
	c.turn.Return()
	if c.tokens != nil {
		c.tokens.Close()
	}
	if c.body != nil {
		c.body.close()
	}
	if c.permit != (bulkhead.Permit{}) {
		c.permit.Return()
	}
	if c.reservation != nil {
		g.close(c.reservation)
	}
}

func (m *measured) tell(g *Guard, outcome Outcome) {
	if g.events.calls {
		took := breaker.Now().Sub(m.began)
		g.events.emitFrequent(CallEnded{time.Now(), g.method, outcome, Duration(took), m.err})
	}
}

// close gives back what an entry reserved, and tells observers where the
// declaration does not fit the body.
func (g *Guard) close(r *bulkhead.Reservation) {
	unused, overflow := r.Close()
	if unused == 0 && overflow == 0 {
		return
	}
	g.entry.unused.Add(uint64(unused))
	g.entry.overflow.Add(uint64(overflow))
	if unused == 0 || overflow == 0 || !g.events.observed {
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
