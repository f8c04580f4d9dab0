package breaker

import (
	"math"
	"sync/atomic"
	"time"
)

// Period is the stay of a breaker in one state. It takes the outcomes of the
// calls that it admitted.
//
// A success of a CLOSED period with a window of calls writes nothing while the
// window is full of successes, for one more would not change it. Else it costs
// one atomic addition: it only takes the next number. Failures and slow calls
// take theirs under the lock, so whatever is numbered below one of them and not
// known by then was a success. That keeps every judgement exact, although most
// successes are settled later and many at a time. The first number that must be
// settled at once is published as trigger.
type Period struct {
	breaker *Breaker
	stay    *stay // outcomes belong to it, see goOn
	state   State
	role    role          // in an outage of all processes, and after it
	exit    exit          // of OPEN and FORCED_OPEN; nil of other states
	free    bool          // admits every call without a permit
	wake    atomic.Int64  // an Instant before which no call is admitted, without asking the lock
	retry   atomic.Int64  // an Instant before which another try makes no sense; never: nobody knows
	trigger atomic.Uint64 // first number that needs the lock; see ask, unasked and uncounted
	until   atomic.Int64  // an Instant: till then successes of a time window only take a number

	// These fill a cache line, so that what every call reads is in another one
	// than what it writes.
	began Instant
	since time.Time
	last  Figures // of the period before, for a state that counts nothing

	outcomes atomic.Uint64 // the number of the last one

	// Under the breaker's lock:
	rules     Rules
	window    window // nil: this state counts nothing
	settled   uint64 // outcomes that the window knows of
	milestone uint64 // first number above settled that is judged even if it is a plain success
	passed    uint64 // successes settled since the last judgement
	trials    trials

	why           *cause // nil: of a new breaker
	refusedBefore uint64 // calls, by the breaker in the periods before
}

// Special triggers.
const (
	ask       = 0                  // every success asks the lock, before it takes a number
	unasked   = math.MaxUint64 - 1 // none does
	uncounted = math.MaxUint64     // and none takes a number, which would change nothing
)

// Name is that of the breaker.
func (p *Period) Name() string { return p.breaker.name }

// State is the one state of this period.
func (p *Period) State() State { return p.state }

// RetryAt is the first moment at which time alone lets the period admit a call.
// It is not known where a probe or calls decide that are out.
func (p *Period) RetryAt() (at Instant, known bool) {
	at = Instant(p.retry.Load())
	_, timed := p.exit.(delay)
	if at == never || !timed && at <= Now() {
		return 0, false // another call has come first
	}
	return at, true
}

// Refused counts a call that was turned away because of this period. It returns
// the period to tell the caller of: p, or the one that began because the trials
// of p were lost. One that is told late counts in the period of then. Gate and
// Admit don't count by themselves: a gate may be asked for other reasons.
func (p *Period) Refused() *Period {
	p = p.breaker.notice(p)
	p.breaker.refused.Add(1)
	return p
}

// Success ends a call that p admitted.
func (p *Period) Success(slow bool) {
	if trigger := p.trigger.Load(); slow || trigger != uncounted {
		p.success(slow, trigger)
	}
}

// Failure ends a call that p admitted. Where it counts, the breaker remembers the
// method and the text, which [Describe] makes.
func (p *Period) Failure(slow bool, method, text string) {
	failure := Counts{Calls: 1, Failures: 1}
	if slow {
		failure.Slow = 1
	}
	p.conclude(ending{Counts: failure}, &trouble{method: method, text: text})
}

// Abandon ends a call that p admitted, and that its caller gave up. One that was
// slow by then counts as such where slow calls are judged, for it can't become
// quicker; any other counts nothing.
func (p *Period) Abandon(slow bool) {
	if slow {
		p.conclude(ending{Counts: Counts{Calls: 1, Slow: 1}, abandoned: true}, nil)
	} else {
		p.Ignore()
	}
}

// Ignore ends a call that p admitted and that says nothing.
func (p *Period) Ignore() {
	if p.breaker.same(p) != nil && p.state != Disabled {
		p.breaker.ignored.Add(1)
	}
	p.Return()
}

// Return gives the permit back of a call that p admitted and that was not made.
func (p *Period) Return() {
	if !p.free {
		p.conclude(ending{}, nil)
	}
}

// success reads the trigger again when it has its number: while settings change
// it may have passed a new one unseen.
func (p *Period) success(slow bool, trigger uint64) {
	switch {
	case slow:
		p.conclude(ending{Counts: Counts{Calls: 1, Slow: 1}}, nil)
	case trigger == ask:
		p.succeed()
	case p.outcomes.Add(1) >= trigger || p.trigger.Load() != trigger:
		p.settle()
	}
}

// succeed is a success that may be judged where it stands.
func (p *Period) succeed() {
	if until := Instant(p.until.Load()); until != longAgo && Now() < until {
		p.number()
		return
	}
	p.conclude(ending{Counts: Counts{Calls: 1}}, nil)
}

// number is all that a success does while successes decide nothing.
func (p *Period) number() {
	p.outcomes.Add(1)
	if Instant(p.until.Load()) == longAgo { // a failure is there by now, and successes decide again
		p.judgeLate()
	}
}

// judgeLate judges successes that took their numbers beside a failure.
func (p *Period) judgeLate() {
	b := p.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if p = b.same(p); p == nil || p.window == nil {
		return
	}
	now := p.moment()
	if p.catchUp(p.outcomes.Load(), now); p.passed > 0 && !p.ended() {
		p.passed--
		p.judge(false, now)
	}
}

// ending is how a call ended.
type ending struct {
	Counts         // one call, none for an ignored one
	abandoned bool // by its caller, when it was slow
}

// good reports that the dependency answered, and well.
func (e ending) good() bool { return e.Calls > e.Failures && !e.abandoned }

// conclude takes the end of one call, with what a failure tells.
func (p *Period) conclude(e ending, why *trouble) {
	b := p.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.abandoned && !b.slowJudged {
		e.Counts = Counts{}
		if b.same(p) != nil && p.state != Disabled {
			b.ignored.Add(1)
		}
	}
	current := b.same(p)
	if current == nil {
		b.returned(p.stay.givenUp, Now(), e)
		return
	}
	p = current
	now := p.moment()
	if why != nil && now == undated {
		now = Now() // a failure tells when it came
	}
	switch p.state {
	case Open:
		if p.exit.end(p, e, now) {
			b.note(e, why, now)
		}
	case HalfOpen:
		if _, lost := p.lost(now); lost {
			p.trials.late++
			b.returned(p.trials.newest, now, e)
			return
		}
		p.endTrial(e.Calls > 0)
		p.count(e, why, now)
		p.tellTrial(e)
	default:
		p.count(e, why, now)
	}
}

func (p *Period) count(e ending, why *trouble, now Instant) {
	if e.Calls == 0 || p.window == nil {
		return
	}
	p.breaker.note(e, why, now)
	if !e.plain() {
		p.until.Store(int64(longAgo)) // before it has its number: what comes after sees it
	}
	number := p.outcomes.Add(1)
	p.breaker.failures += e.Failures
	if p.catchUp(number-1, now); p.ended() {
		return
	}
	p.window.add(Tally{now, e.Counts})
	p.settled = number
	p.judge(e.Failures > 0, now)
}

func (p *Period) settle() {
	b := p.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if p = b.same(p); p == nil {
		return
	}
	if p.catchUp(p.outcomes.Load(), p.moment()); !p.ended() {
		p.publish()
	}
}

// moment is now, for an outcome. Where time means nothing to it the clock is
// not read.
func (p *Period) moment() Instant {
	if _, ok := p.window.(*countWindow); ok && p.state != HalfOpen {
		return undated
	}
	return Now()
}

// catchUp settles the outcomes up to number, which are all successes, and
// judges the one at the milestone as of its place.
func (p *Period) catchUp(number uint64, now Instant) {
	for p.settled < number && !p.ended() {
		upTo := min(number, p.milestone)
		n := upTo - p.settled
		p.window.add(Tally{p.window.newest(now), Counts{Calls: n}})
		p.settled = upTo
		p.passed += n
		if upTo == p.milestone {
			p.passed--
			p.judge(false, now)
		}
	}
}

// judge asks the judge about the last settled outcome.
func (p *Period) judge(failed bool, now Instant) {
	verdict := Verdict{}
	if p.rules.Judge != nil {
		verdict = p.rules.Judge.Judge(Evidence{
			Counts: p.window.counts(now), Failed: failed, Passed: p.passed, period: p, now: now,
		})
	}
	p.passed = 0
	if verdict.Reason != "" {
		if now == undated {
			now = Now()
		}
		p.milestone = p.settled + 1 // later successes are not in the figures
		p.breaker.move(verdict.To, now, now, cause{reason: verdict.Reason})
		return
	}
	p.setMilestone()
}

// observe puts the strategy's rules for the state in force.
func (p *Period) observe() {
	switch strategy := p.breaker.strategy; p.state {
	case Closed:
		p.rules = strategy.Closed()
	case MetricsOnly:
		p.rules = strategy.Closed()
		p.rules.Judge = nil
	case HalfOpen:
		p.rules = p.trialRules()
		p.rules.Trials.Longest = p.breaker.patient(p.rules.Trials.Longest)
		p.publishTrials()
	case Disabled:
		p.trigger.Store(uncounted)
		return
	default:
		return
	}
	p.window = p.rules.Window.open()
	p.setMilestone()
}

// reobserve puts changed rules in force. What the window holds stays as far as
// the new one holds it, and the next outcome is judged.
func (p *Period) reobserve(now Instant) {
	if p.window == nil {
		return
	}
	p.catchUpQuietly(now)
	old := p.window
	p.observe()
	p.window = old.into(p.rules.Window, now)
	p.passed = 0
	if p.rules.Judge != nil {
		p.milestone = p.settled + 1
	}
	p.publish()
	p.catchUp(p.outcomes.Load(), now) // what took its number before it could see the new trigger
}

// setMilestone finds the next success that can decide. In a window of calls a
// success never raises a rate, so that is the one that brings the window to the
// minimum. In a window of time there is none while all is well, and else each
// asks.
func (p *Period) setMilestone() {
	p.milestone = unasked
	if w, ok := p.window.(*countWindow); ok && p.rules.Judge != nil {
		if minimum := uint64(p.rules.Minimum); w.held.Calls < minimum {
			p.milestone = p.settled + minimum - w.held.Calls
		}
	}
	p.publish()
}

// publish tells successes when they need the lock.
func (p *Period) publish() {
	trigger, until := uint64(ask), longAgo
	switch w := p.window.(type) {
	case *countWindow:
		if p.state != HalfOpen {
			trigger = p.nextToSettle(w.untilPlain())
		}
	case *timeWindow:
		if p.rules.Judge == nil || w.held.plain() && p.milestone == unasked {
			until = w.until()
		}
	}
	p.until.Store(int64(until))
	p.trigger.Store(trigger)
}

// nextToSettle is the first number that needs the lock, if after so many
// successes more the window holds nothing else.
func (p *Period) nextToSettle(untilPlain uint64) uint64 {
	switch {
	case p.breaker.totals:
		return p.milestone
	case untilPlain == 0 && p.milestone == unasked:
		return uncounted
	}
	return min(p.milestone, p.settled+untilPlain)
}

// catchUpQuietly settles what can be settled without a judgement. A success at
// the milestone is on its way to the lock; it and those after it count from
// then on.
func (p *Period) catchUpQuietly(now Instant) {
	p.catchUp(min(p.outcomes.Load(), p.milestone-1), now)
}

func (p *Period) ended() bool { return p.breaker.period.Load() != p }

// end frees late successes from asking.
func (p *Period) end() {
	p.until.Store(int64(longAgo))
	if p.free {
		p.trigger.Store(uncounted)
	}
}

func (p *Period) figures(now Instant) Figures {
	if p.window == nil {
		return p.last
	}
	p.catchUpQuietly(now)
	return newFigures(p.window.counts(now), p.rules.Minimum)
}

func (p *Period) wakeAt() Instant { return Instant(p.wake.Load()) }

// asleep reports that no call is admitted yet, without asking the lock.
func (p *Period) asleep() bool {
	wake := p.wakeAt()
	return wake == never || wake != longAgo && Now() < wake
}
