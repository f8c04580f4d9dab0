package breaker

import "math/rand/v2"

// hold is what a breaker knows of the outages of all processes that share it.
// They have numbers; 0 is none.
type hold struct {
	outage    uint64  // that lasts; a state set by hand comes before it
	overruled uint64  // that Reset closed the breaker in
	until     Instant // from which on calls that are refused are told of
	told      bool    // one was, and it is told
	permits   int     // trials that may still begin
	ramp      float64 // share of the calls that is admitted after an outage; 0: there is no ramp
}

// role says what a period is for all processes.
type role uint8

const (
	ownRole    role = iota
	heldTrials      // HALF_OPEN: all processes make the trials together, and judge them elsewhere
	ramping         // HALF_OPEN: a share of the calls is admitted, and judged as in CLOSED
)

// FleetEvent is news for those who keep the breakers of all processes alike.
type FleetEvent struct {
	Breaker string
	Outage  uint64
	What    FleetNews
}

// FleetNews is what happened.
type FleetNews uint8

// The news.
const (
	CallWaits    FleetNews = iota // a call was refused after the moment that Hold gave
	TrialBegan                    // of Permit
	TrialGood                     // it succeeded
	TrialBad                      // it failed
	TrialIgnored                  // it counts nothing
)

// Hold opens the breaker for an outage of all processes and keeps it OPEN: only
// Permit, Ramp and Release end that. Callers learn when the next try makes
// sense; the first call that is refused after that is told of. A state set by
// hand stays until Reset, and Reset closes the breaker for the rest of this
// outage.
func (b *Breaker) Hold(outage uint64, until Instant, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if outage == b.hold.overruled || outage == b.hold.outage && until == b.hold.until && b.period.Load().state == Open {
		return
	}
	b.hold = hold{outage: outage, overruled: b.hold.overruled, until: until}
	switch p := b.period.Load(); p.state {
	case Open:
		b.goOn(p, newStay()) // canaries that are out are no trials
		b.guide(p.began)
	case Closed, HalfOpen:
		now := Now()
		b.move(Open, now, now, cause{reason: why})
	}
}

// held is the exit of a breaker that is held.
type held struct {
	shut
	until Instant
}

func (h held) times() (wake, retry Instant) { return h.until, h.until }

// held reports that an outage of all processes keeps the period OPEN.
func (p *Period) held() bool {
	_, is := p.exit.(held)
	return is
}

// Permit lets a breaker that is held make one trial, as HALF_OPEN. What becomes
// of it is told; the breaker stays HALF_OPEN, without a further trial, until it
// is told what to do. Permit reports whether the breaker is held and no state was
// set by hand.
func (b *Breaker) Permit(outage uint64, why string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.period.Load()
	switch {
	case outage != b.hold.outage || p.state != Open && p.state != HalfOpen:
		return false
	case p.state == Open:
		now := Now()
		b.hold.permits = 1
		b.move(HalfOpen, now, now, cause{reason: why})
	default:
		b.hold.permits = 1
	}
	return true
}

// Ramp ends a hold: as HALF_OPEN, the breaker admits a share of the calls, drawn
// at random, and judges them as CLOSED does. A share of 1 makes it CLOSED. One
// that has opened by its own judgement since stays so.
func (b *Breaker) Ramp(share float64, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, p := Now(), b.period.Load()
	if b.hold.outage == 0 && p.role != ramping || p.state != Open && p.state != HalfOpen {
		b.hold.outage = 0
		return
	}
	b.hold.outage = 0
	switch {
	case share >= 1:
		b.move(Closed, now, now, cause{reason: why})
	case p.role == ramping:
		b.hold.ramp = share
	default:
		b.hold.ramp = share
		b.move(HalfOpen, now, now, cause{reason: why})
	}
}

// Release ends a hold for the breaker's own strategy to go on, as if it had
// opened the breaker itself.
func (b *Breaker) Release(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, p := b.hold.outage != 0, b.period.Load()
	b.hold.outage = 0
	now := Now()
	switch {
	case p.role == ramping:
		b.move(Closed, now, now, cause{reason: why})
	case held && p.state == HalfOpen:
		b.move(Open, now, now, cause{reason: why})
	case held && p.state == Open:
		b.goOn(p, p.stay)
		b.guide(p.began)
	}
}

// Budget is how many trials of all processes end an outage.
func (b *Breaker) Budget() Budget {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.strategy.HalfOpen().Budget
}

// trialRules are those of HALF_OPEN.
func (p *Period) trialRules() Rules {
	switch b := p.breaker; {
	case b.hold.outage != 0:
		p.role = heldTrials
		return Rules{Window: Window{Calls: 1}}
	case b.hold.ramp > 0:
		p.role = ramping
		return b.strategy.Closed()
	default:
		return b.strategy.HalfOpen()
	}
}

// drawn reports whether chance admits the call.
func (p *Period) drawn() bool { return p.role != ramping || rand.Float64() < p.breaker.hold.ramp }

// tellWaiting tells of the first call that is refused when another trial makes sense.
func (b *Breaker) tellWaiting(p *Period, now Instant) {
	if p.held() && !b.hold.told && now >= b.hold.until {
		b.hold.told = true
		b.tellFleet(CallWaits)
	}
}

// tellTrial tells how a trial of all processes ended.
func (p *Period) tellTrial(e ending) {
	b := p.breaker
	if p.role != heldTrials {
		return
	}
	what := TrialBad
	switch {
	case e.Calls == 0:
		what = TrialIgnored
	case e.Failures == 0 && !e.abandoned && (e.Slow == 0 || !b.slowJudged):
		what = TrialGood
	}
	b.tellFleet(what)
}

func (b *Breaker) tellFleet(what FleetNews) { b.hooks.Fleet(FleetEvent{b.name, b.hold.outage, what}) }
