package resilience

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/carry"
	"github.com/resgen-go/resgen/runtime/internal/retry"
)

// Attempts is one call that is made again where it fails. Each attempt is a guarded
// call of its own, with an outcome of its own. Between two attempts nothing is held
// but the reserved permit of an entry, which serves the call with all its attempts.
//
// The zero value is ready for one call. As a [Call], it belongs to the goroutine that
// makes the call and must not be copied. Release must be deferred before Next.
type Attempts struct {
	call   Call
	guard  *Guard
	rule   *retry.Settings // in force when the call began
	caller context.Context
	within *allTries       // nil: there is no deadline for all attempts
	began  breaker.Instant // when the attempt did; 0: no deadline makes anybody ask
	number int             // of the attempt
	again  bool            // there will be another one
	pause  time.Duration   // before it
	spent  *retry.Budget   // that it was taken from
	ticket bulkhead.Permit // of the attempt that has just ended
	err    error           // of the call so far
}

// allTries is the time for all attempts.
type allTries struct {
	context.Context
	cancel context.CancelFunc
	until  breaker.Instant
}

// Next begins an attempt, after a pause if it is not the first. It reports false where
// there is none: the call has ended, or guards refuse it; then Result has the error.
func (a *Attempts) Next(ctx context.Context, g *Guard) bool {
	return (a.number == 0 || a.again) && a.next(ctx, g) // in this form the compiler inlines it
}

func (a *Attempts) next(ctx context.Context, g *Guard) bool {
	if a.again {
		return a.repeat()
	}
	if ctx == nil {
		ctx = context.Background()
	}
	a.guard, a.rule, a.caller, a.number = g, g.retry.Settings(), ctx, 1
	g.retry.Began()
	if a.rule.MaxDuration != nil {
		return a.beginWithin(*a.rule.MaxDuration)
	}
	if _, bounded := ctx.Deadline(); bounded {
		a.began = breaker.Now()
	}
	err := a.call.Begin(ctx, g)
	if err != nil {
		return a.fails(err)
	}
	return true
}

// fails ends an attempt that did not reach the client: guards refuse it, or the settings
// of faults let it fail. It reports whether another one has begun.
func (a *Attempts) fails(err error) bool {
	if a.call.guard != nil {
		err = a.Finish(err)
	}
	if a.again {
		return a.repeat()
	}
	a.err = err
	return false
}

// beginWithin begins the first attempt where all attempts have a time of their own.
func (a *Attempts) beginWithin(longest time.Duration) bool {
	a.within = &allTries{until: breaker.Now().Add(longest)}
	a.within.Context, a.within.cancel = context.WithTimeout(a.caller, longest)
	if err := a.begin(a.within.Context); err != nil {
		return a.fails(err)
	}
	return true
}

// around is the context of all attempts.
func (a *Attempts) around() context.Context {
	if a.within != nil {
		return a.within.Context
	}
	return a.caller
}

// begin begins an attempt with a context of its own.
func (a *Attempts) begin(ctx context.Context) error {
	if _, bounded := ctx.Deadline(); bounded {
		a.began = breaker.Now()
	}
	err := a.call.Begin(ctx, a.guard)
	if a.call.guard != nil && a.within != nil {
		a.call.endBy(a.caller, a.within.until)
	}
	return err
}

// repeat pauses and begins another attempt, if nothing has changed that forbids it.
func (a *Attempts) repeat() bool {
	a.again = false
	policy := a.guard.retry
	if !a.wait() {
		a.spent.Return()
		a.err = &interrupted{a.err, bulkhead.WithCause(a.caller, a.caller.Err())}
		return false
	}
	last := a.err
	if a.guard.gone() {
		a.guard = a.guard.again()
	}
	if a.guard.breaker == nil || a.guard.breaker.IsFree() {
		a.call = Call{repeats: true}
		a.number++
		if err := a.begin(&attempt{a.around(), a.number - 1}); a.call.guard != nil {
			policy.Retried()
			if a.guard.events.observed {
				a.guard.events.emitFrequent(Retried{time.Now(), a.guard.method, a.number, last, Duration(a.pause)})
			}
			return err == nil || a.fails(err)
		}
	}
	a.spent.Return()
	policy.Stop(retry.Refused)
	return false
}

// wait pauses. It reports whether the caller is still there.
func (a *Attempts) wait() bool {
	if a.pause > 0 {
		timer := time.NewTimer(a.pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-a.caller.Done():
		}
	}
	return a.caller.Err() == nil
}

// Context is the context to call with, as that of [Call.Context].
func (a *Attempts) Context() context.Context { return a.call.ctx }

// Finish ends an attempt with the error that the dependency returned, as
// [Call.Finish] ends a call.
func (a *Attempts) Finish(err error) error {
	c := &a.call
	if c.guard == nil {
		return err
	}
	if err == nil && a.guard.classify == nil {
		c.Finish(nil)
		a.guard.retry.Budget().Success()
		if a.number > 1 {
			a.recovered(nil)
		}
		return nil
	}
	err = c.timedOut(err)
	return a.end(c.judge(err), err)
}

// Settled is that of the attempt, as [Call.Settled].
func (a *Attempts) Settled(err error) bool { return a.call.Settled(err) }

// FinishAs ends an attempt with the outcome that a judge of all its results says, as
// [Call.FinishAs] ends a call.
func (a *Attempts) FinishAs(outcome Outcome, err error) error {
	if a.call.guard == nil {
		return err
	}
	return a.end(outcome, err)
}

// recovered counts a call of which a later attempt succeeded, and that returns err.
func (a *Attempts) recovered(err error) {
	a.guard.retry.Recovered()
	a.err = err
}

// end ends an attempt and decides whether there is another one. Its permit goes back
// to its reservation if there is, else to the pool.
func (a *Attempts) end(outcome Outcome, err error) error {
	c := &a.call
	if outcome == Success {
		c.conclude(outcome, err)
		a.guard.retry.Budget().Success()
		if a.number > 1 {
			a.recovered(err)
		}
		return err
	}
	wanted, trial := a.wanted(outcome, err), c.period != nil && c.period.Trial()
	a.ticket, c.permit = c.permit, bulkhead.Permit{}
	c.conclude(outcome, err)
	a.err = err
	if wanted && a.decide(trial, err) {
		a.again = true
		a.ticket.Return()
	} else {
		a.ticket.Release()
	}
	return err
}

// wanted reports whether the call would be made again if it may be: it failed, its
// caller is there, and no guard refused it, however deep. When judges errors in place
// of the outcome.
func (a *Attempts) wanted(outcome Outcome, err error) bool {
	var refusal *RefusalError
	switch when := a.guard.when; {
	case a.rule.MaxAttempts == 1 || a.caller.Err() != nil || err != nil && errors.As(err, &refusal):
		return false
	case when != nil && err != nil:
		return when(err)
	}
	return outcome == Failure
}

// decide decides whether there is another attempt, and counts why not.
func (a *Attempts) decide(trial bool, err error) bool {
	policy, b := a.guard.retry, a.guard.breaker
	a.spent = policy.Budget()
	why, possible := a.possible(err)
	switch {
	case trial:
		why = retry.Trial
	case !possible:
	case b != nil && !b.IsFree():
		why = retry.Refused
	case Retries(a.caller) > 0: // an attempt around it decides
		return false
	case a.spent.Take():
		return true
	default:
		why = retry.Exhausted
	}
	policy.Stop(why)
	return false
}

// possible reports whether another attempt could end in time, and sets the pause
// before it.
func (a *Attempts) possible(err error) (why retry.Reason, possible bool) {
	if a.number >= a.rule.MaxAttempts {
		return retry.Attempts, false
	}
	a.pause = a.rule.Delay(a.number+1, rand.Float64())
	if hint, known := hinted(err); known {
		if hint > a.rule.MaxDelay {
			return retry.Hint, false
		}
		a.pause = max(a.pause, hint)
	}
	if a.began == 0 {
		return 0, true
	}
	now := breaker.Now()
	took := now.Sub(a.began)
	if limit := a.guard.timeout.now(); limit > 0 {
		took = min(took, limit)
	}
	deadline, _ := a.around().Deadline()
	return retry.Deadline, a.pause+took <= time.Until(deadline)
}

// hinted is the pause that an error asks for.
func hinted(err error) (hint time.Duration, known bool) {
	var hints interface{ RetryAfter() (time.Duration, bool) }
	if err != nil && errors.As(err, &hints) {
		return hints.RetryAfter()
	}
	return 0, false
}

// Result is the error of the call, for err of the last attempt: that, or the refusal
// of the first, or, where the caller cancelled a pause, an error that is both.
func (a *Attempts) Result(err error) error {
	if a.err != nil {
		return a.err
	}
	return err
}

// Release ends an attempt that did not reach Finish, as [Call.Release] does, and the
// call.
func (a *Attempts) Release() {
	if a.call.guard != nil || a.within != nil || a.ticket != (bulkhead.Permit{}) {
		a.release()
	}
}

func (a *Attempts) release() {
	if a.within != nil {
		defer a.within.cancel()
	}
	a.ticket.Release()
	a.call.Release()
}

// endBy ends the call, as a timeout of its guard would, when the time for all
// attempts of the caller is over.
func (c *Call) endBy(caller context.Context, until breaker.Instant) {
	left := until.Sub(breaker.Now())
	if c.measured == nil {
		c.measured = &measured{began: breaker.Now()}
	}
	m := c.measured
	m.caller = caller
	if m.cancel == nil || left < m.limit {
		m.limit = left
	}
	if m.cancel == nil {
		m.cancel = func() {} // the context has the deadline already
	}
}

// attempt is the context of a second or later attempt.
type attempt struct {
	context.Context
	retries int
}

// attemptKey finds the innermost attempt of a context.
type attemptKey struct{}

// Value makes the attempt known to derived contexts.
func (a *attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// String names the attempt after its parent, as other contexts do.
func (a *attempt) String() string { return carry.Name(a.Context) + ".WithAttempt" }

// Retries tells a client how many attempts of the call came before the one with ctx:
// 0 in the first. Calls with retries under a later attempt make none of their own.
func Retries(ctx context.Context) int {
	if a, is := ctx.Value(attemptKey{}).(*attempt); is {
		return a.retries
	}
	return 0
}

// interrupted is the error of an attempt whose caller has gone before the next one.
type interrupted struct{ last, cause error }

func (e *interrupted) Error() string {
	return e.last.Error() + "; not tried again, because its caller has gone: " + e.cause.Error()
}

func (e *interrupted) Unwrap() []error { return []error{e.last, e.cause} }

// Retried is an attempt that follows another one.
type Retried struct {
	At      time.Time `json:"at"`
	Method  string    `json:"method"`
	Attempt int       `json:"attempt"` // 2 for the first retry
	Err     error     `json:"-"`       // of the attempt before; "error" in JSON
	Delay   Duration  `json:"delay"`   // the pause before it
}

func (Retried) event() {}

// MarshalJSON writes the error as text.
func (e Retried) MarshalJSON() ([]byte, error) {
	type fields Retried
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

// BudgetSpent says that a budget forbade a retry, for the first time since it had
// some left.
type BudgetSpent struct {
	At     time.Time `json:"at"`
	Budget string    `json:"budget"`
}

func (BudgetSpent) event() {}

// RetrySnapshot is the retries of one name.
type RetrySnapshot struct {
	Name        string `json:"name"`
	MaxAttempts int    `json:"maxAttempts"` // 1: there are none
	Budget      string `json:"budget"`

	// Since they were made:
	Counted   bool              `json:"counted,omitempty"` // calls are, by the option Count
	Calls     uint64            `json:"calls,omitempty"`   // 0 if they are not counted
	Retries   uint64            `json:"retries"`           // attempts after the first
	Recovered uint64            `json:"recovered"`         // calls that succeeded after a retry
	Stopped   map[string]uint64 `json:"stopped,omitempty"` // calls that failed and were not made again: for attempts, deadline, budget, refused, hint or trial
}

// BudgetSnapshot is one budget of retries.
type BudgetSnapshot struct {
	Name    string  `json:"name"`
	Left    float64 `json:"left"` // retries that could be made now
	Burst   int     `json:"burst"`
	Refused uint64  `json:"refused"` // retries that it forbade, since it was made
}

// budget is that of a name. The lock of the registry must be held.
func (r *Registry) budget(name string) *retry.Budget {
	b := r.budgets.made[name]
	if b == nil {
		b = r.budgets.create(name, r.budgets.settings(r.settings, name))
		r.budgets.made[name] = b
	}
	return b
}
