package breaker

import "time"

// trials are the calls that a HALF_OPEN period has admitted.
type trials struct {
	out     int     // that have not ended, those that entries hold, and those that ended after they were given up
	late    int     // those that ended after they were given up
	newest  Instant // when the newest began, of those that are out or counted
	counted Instant // when the newest that counted began
	bound   Instant // until then a trial that is out may run by its own timeout, see Bound
}

var noTrials = trials{newest: longAgo, counted: longAgo, bound: longAgo}

func (p *Period) takeTrial(now Instant) bool {
	if !p.trialFree(now) {
		return false
	}
	p.takeTrials(1, now)
	return true
}

func (p *Period) takeTrials(n int, now Instant) {
	t := &p.trials
	t.out += n
	t.newest = now
	if p.role == heldTrials {
		p.breaker.hold.permits--
		p.breaker.tellFleet(TrialBegan)
	}
	p.publishTrials()
}

// endTrial takes a trial back. A trial that counts nothing costs nothing: its
// permit is free again, and the pace is that of the trial before it.
func (p *Period) endTrial(counts bool) {
	t := &p.trials
	if t.out--; counts {
		t.counted = t.newest
	}
	if t.out == 0 {
		t.newest, t.bound = t.counted, longAgo
	}
	p.publishTrials()
}

// publishTrials tells when the pace allows the next trial.
func (p *Period) publishTrials() { p.retry.Store(int64(p.trials.newest.Add(p.rules.Trials.Apart))) }

// trialFree reports whether HALF_OPEN would admit a call now.
func (p *Period) trialFree(now Instant) bool { return p.roomFor(1, now) && p.drawn() }

// roomFor reports whether HALF_OPEN would admit an entry of n calls now: on n trials
// or, where it never has so many at once, as one trial beside which there is no
// other.
func (p *Period) roomFor(n int, now Instant) bool {
	t := &p.trials
	return p.state == HalfOpen && now.Sub(t.newest) >= p.rules.Trials.Apart &&
		(p.fits(n) || n > 1 && p.permitLeft() && (t.out == 0 || p.role == heldTrials))
}

// permitLeft reports whether HALF_OPEN has room for another trial.
func (p *Period) permitLeft() bool { return p.fits(1) }

// fits reports whether HALF_OPEN has room for n more trials at once. It always has
// for one while no trial is out, because some call has to decide, also after a reload
// that lowered the total.
func (p *Period) fits(n int) bool {
	out, limit := p.trials.out, p.rules.Trials
	switch {
	case p.role == heldTrials:
		return n == 1 && p.breaker.hold.permits > 0
	case n == 1 && out == 0:
		return true
	case n > 1 && limit.Apart > 0:
		return false
	}
	counted := int(p.window.counts(p.trials.newest).Calls)
	return (limit.AtATime == 0 || out+n <= limit.AtATime) && (limit.Total == 0 || counted+out+n <= limit.Total)
}

// lost reports whether the trials are given up, and since when: no permit is left,
// the newest trial began too long ago, and no timeout allows a trial to run on. The
// breaker is OPEN from that moment on, although only the next call that asks to be
// admitted makes the move.
func (p *Period) lost(now Instant) (since Instant, lost bool) {
	if p.state != HalfOpen || p.role == heldTrials || p.permitLeft() {
		return 0, false
	}
	since = p.givenUpAt()
	return since, now >= since
}

// givenUpAt is when trials that don't come back are given up, if no permit is left.
func (p *Period) givenUpAt() Instant {
	return max(p.trials.newest.Add(p.rules.Trials.Longest), p.trials.bound)
}

// Bound says that a timeout ends the call that p has just admitted after limit.
// A trial, or a canary, is not given up before that and a tenth more.
func (p *Period) Bound(limit time.Duration) {
	if two := p.pair; two != nil {
		two.own.Bound(limit)
		two.shadow.Bound(limit)
		return
	}
	if !p.free {
		p.bound(limit + limit/10)
	}
}

func (p *Period) bound(longest time.Duration) {
	b := p.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	until := Now().Add(longest)
	switch p = b.same(p); {
	case p == nil:
	case p.exit != nil:
		p.exit.bound(p, until)
	default:
		p.trials.bound = max(p.trials.bound, until)
	}
}

// giveUp ends HALF_OPEN, whose trials were lost at a moment in the past.
func (b *Breaker) giveUp(p *Period, since, now Instant, why cause) *Period {
	p.stay.givenUp = p.trials.newest
	return b.move(Open, since, now, why)
}

// stay is common to the periods of one stay in a state; see goOn.
type stay struct {
	givenUp Instant // when the newest of its trials, or its canary, began, if they were given up; else never
}

func newStay() *stay { return &stay{never} }

// longestTrial is how long the breaker waits for a trial: as long as the settings
// say, or one and a half times as long as a good trial took that was given up.
func (b *Breaker) longestTrial(longest time.Duration) time.Duration {
	return max(longest, b.slowest+b.slowest/2)
}

// returned learns from a good trial that came back after it was given up: the
// dependency is well but slow. Trials that are given up already stay so.
func (b *Breaker) returned(began, now Instant, e ending) {
	took := now.Sub(began)
	if began == never || !e.good() || took <= b.slowest {
		return
	}
	p := b.period.Load()
	if c, ok := p.exit.(*canaries); ok {
		p = c.current(p, now)
	}
	_, lost := p.lost(now)
	switch b.slowest = took; {
	case p.Canaries():
		b.canariesFrom(p.began, *b.strategy.Open().Probing, p.exit)
		p.publishExit()
	case !lost:
		p.rules.Trials.Longest = b.longestTrial(p.rules.Trials.Longest)
	}
}
