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
// window is full of successes, because one more would not change the window. Any
// other success costs one atomic addition: it takes the next number. Failures and
// slow calls take their numbers under the lock. So a number below theirs that the
// window does not know yet belongs to a success. That keeps every judgement exact,
// although most successes are settled later, and many at a time. The field trigger
// is the first number that must be settled at once.
type Period struct {
	breaker *Breaker
	stay    *stay // outcomes belong to it, see goOn
	state   State
	role    role          // in an outage of all processes, and after it
	exit    exit          // of OPEN and FORCED_OPEN; nil of other states
	free    bool          // admits every call without a permit
	quick   atomic.Bool   // it is free, and the breaker has no shadow
	wake    atomic.Int64  // an Instant before which no call is admitted, so that calls need not take the lock
	retry   atomic.Int64  // an Instant before which another try makes no sense; never: unknown
	trigger atomic.Uint64 // first number that needs the lock; see ask, unasked and uncounted
	until   atomic.Int64  // an Instant up to which successes of a time window only take a number

	// These fill a cache line: calls read what is above and write what is below.
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

	beside  *Period // of calls that are let through in a dry run; nil: there were none
	instead *Period // that they are let through beside
	pair    *pair   // it stands for those of a breaker and its shadow; nil: for itself

	why           *cause // nil: of a new breaker
	refusedBefore uint64 // calls, by the breaker in the periods before
}

// Special triggers.
const (
	ask       = 0                  // every success takes the lock, before it takes a number
	unasked   = math.MaxUint64 - 1 // no success takes the lock
	uncounted = math.MaxUint64     // nor a number, which would change nothing
)

// Name is that of the breaker.
func (p *Period) Name() string { return p.breaker.name }

// Free reports whether the period admits every call, so that none is a trial.
func (p *Period) Free() bool { return p.free }

// Trial reports whether a call that p admitted is the only one, or one of a few.
func (p *Period) Trial() bool { return !p.free && !p.breaker.dry.Load() }

// State is the one state of this period.
func (p *Period) State() State { return p.state }

// RetryAt is the first moment at which time alone lets the period admit a call.
// It is unknown while a probe, or a call that is under way, decides.
func (p *Period) RetryAt() (at Instant, known bool) {
	if at = Instant(p.retry.Load()); at == never {
		return 0, false
	}
	if _, timed := p.exit.(delay); !timed && at <= Now() {
		return 0, false // another call has come first
	}
	return at, true
}

// Refused counts a call that was refused because of this period. It returns the
// period to tell the caller of: p, or the one that began because the trials of p
// were lost. A refusal that is counted late counts in the period of that moment.
// Gate and Admit don't count, because a gate may be asked for other reasons.
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
	if two := p.pair; two != nil {
		two.own.Failure(slow, method, text)
		two.shadow.Failure(two.slow(), method, text)
		return
	}
	failure := Counts{Calls: 1, Failures: 1}
	if slow {
		failure.Slow = 1
	}
	p.conclude(ending{Counts: failure}, &trouble{method: method, text: text})
}

// FailedLater counts a failure of a call that has ended, and that p admitted: it
// failed while its caller read what it had returned.
func (p *Period) FailedLater(method, text string) {
	if two := p.pair; two != nil {
		two.own.FailedLater(method, text)
		two.shadow.FailedLater(method, text)
		return
	}
	b := p.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	failure, why := ending{Counts: Counts{Calls: 1, Failures: 1}}, &trouble{method: method, text: text}
	if p.instead != nil {
		b.countThrough(failure, why)
		return
	}
	if p = b.same(p); p == nil || p.state == Open {
		return
	}
	p.count(failure, why, Now())
}

// Abandon ends a call that p admitted, and that its caller gave up. If the call
// was slow by then, it counts as slow where slow calls are judged, because it can't
// become quicker. Otherwise it counts nothing.
func (p *Period) Abandon(slow bool) {
	if two := p.pair; two != nil {
		two.own.Abandon(slow)
		two.shadow.Abandon(two.slow())
		return
	}
	if slow {
		p.conclude(ending{Counts: Counts{Calls: 1, Slow: 1}, abandoned: true}, nil)
	} else {
		p.Ignore()
	}
}

// Ignore ends a call that p admitted and that says nothing.
func (p *Period) Ignore() {
	if two := p.pair; two != nil {
		two.own.Ignore()
		two.shadow.Ignore()
		return
	}
	if p.instead != nil || p.breaker.same(p) != nil && p.state != Disabled {
		p.breaker.ignored.Add(1)
	}
	p.Return()
}

// Return gives the permit back of a call that p admitted and that was not made.
func (p *Period) Return() {
	if two := p.pair; two != nil {
		two.own.Return()
		two.shadow.Return()
		return
	}
	if !p.free {
		p.conclude(ending{}, nil)
	}
}

// success reads the trigger again after it has its number, because a change of
// settings may have published a trigger below that number meanwhile.
func (p *Period) success(slow bool, trigger uint64) {
	if two := p.pair; two != nil {
		two.own.Success(slow)
		two.shadow.Success(two.slow())
		return
	}
	switch {
	case slow:
		p.conclude(ending{Counts: Counts{Calls: 1, Slow: 1}}, nil)
	case trigger == ask:
		p.succeed()
	case p.outcomes.Add(1) >= trigger || p.trigger.Load() != trigger:
		p.settle()
	}
}

// succeed is a success that may have to be judged at once.
func (p *Period) succeed() {
	if until := Instant(p.until.Load()); until != longAgo && Now() < until {
		p.number()
		return
	}
	p.conclude(ending{Counts: Counts{Calls: 1}}, nil)
}

// number takes a number and nothing else, while successes decide nothing.
func (p *Period) number() {
	p.outcomes.Add(1)
	if Instant(p.until.Load()) == longAgo { // a failure came meanwhile, so successes decide again
		p.judgeLate()
	}
}

// judgeLate judges successes that took their numbers while a failure came.
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

// good reports whether the dependency answered well.
func (e ending) good() bool { return e.Calls > e.Failures && !e.abandoned }

// conclude takes the end of one call, with what a failure tells.
func (p *Period) conclude(e ending, why *trouble) {
	b := p.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	p.record(e, why)
}

// record is conclude under the lock.
func (p *Period) record(e ending, why *trouble) {
	b := p.breaker
	if e.abandoned && !b.slowJudged {
		e.Counts = Counts{}
		if b.same(p) != nil && p.state != Disabled {
			b.ignored.Add(1)
		}
	}
	if p.instead != nil {
		b.countThrough(e, why)
		return
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

// moment is the time of an outcome. It does not read the clock where time means
// nothing to the window.
func (p *Period) moment() Instant {
	if _, ok := p.window.(*countWindow); ok && p.state != HalfOpen {
		return undated
	}
	return Now()
}

// catchUp settles the outcomes up to a number, which are all successes. It judges
// the one at the milestone as if it were the last.
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
		p.rules.Trials.Longest = p.breaker.longestTrial(p.rules.Trials.Longest)
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

// reobserve puts changed rules in force. The new window takes over as many
// outcomes as it has room for, and the next outcome is judged.
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
// success never raises a rate, so the only one is the one with which the window
// reaches the minimum. In a window of time there is none while all calls succeed;
// otherwise every success can decide.
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

// nextToSettle is the first number that needs the lock. After untilPlain more
// successes the window holds nothing but successes.
func (p *Period) nextToSettle(untilPlain uint64) uint64 {
	switch {
	case p.breaker.totals:
		return p.milestone
	case untilPlain == 0 && p.milestone == unasked:
		return uncounted
	}
	return min(p.milestone, p.settled+untilPlain)
}

// catchUpQuietly settles the outcomes that need no judgement. A success at the
// milestone is on its way to the lock; it and the later ones count once it has it.
func (p *Period) catchUpQuietly(now Instant) {
	p.catchUp(min(p.outcomes.Load(), p.milestone-1), now)
}

func (p *Period) ended() bool { return p.breaker.period.Load() != p }

// end spares late successes the lock.
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

// asleep reports whether no call is admitted yet. It takes no lock.
func (p *Period) asleep() bool {
	wake := p.wakeAt()
	return wake == never || wake != longAgo && Now() < wake
}
