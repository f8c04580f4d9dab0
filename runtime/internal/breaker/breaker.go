// Package breaker owns circuit breakers: states, permits, which outcome counts
// where, and the strategies that decide.
//
// A [Breaker] is always in one [Period], its stay in one state. The current
// period admits a call, and the call's outcome goes to that same period. An
// outcome that comes after its period has ended counts nowhere. The core, which is
// [Breaker] and Period, keeps that promise for every [Strategy]. A strategy says
// which outcomes a state counts, and judges them.
//
// The package knows neither files, nor registries, nor what a call is. It never
// starts a goroutine except for probing while a breaker is OPEN. Everything
// exported is safe for concurrent use.
package breaker

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// cacheLine keeps what every call reads away from what some calls write.
const cacheLine = 64

// Hooks hear of what happens in a breaker, in order and under its lock. They must
// neither block nor call the breaker.
type Hooks struct {
	Transition func(Transition)
	Probe      func(Probe)
	Fleet      func(FleetEvent) // nil: the breaker is not shared
}

// Breaker admits and refuses the calls to one dependency.
type Breaker struct {
	period    atomic.Pointer[Period] // the current one; replaced under mu
	slowAfter atomic.Int64
	name      string
	hooks     Hooks
	_         [cacheLine - 48]byte // what comes before has 48

	refused atomic.Uint64           // calls turned away
	gates   atomic.Uint64           // entries turned away because of this breaker
	ignored atomic.Uint64           // calls that ended and say nothing
	holders atomic.Int32            // entries that hold trials
	dry     atomic.Bool             // nobody is refused, see DryRun
	through atomic.Uint64           // calls and entries that would have been refused
	shadow  atomic.Pointer[Breaker] // nil: no other settings are tried
	pairs   atomic.Pointer[Period]  // the last one for both

	mu            sync.Mutex
	strategy      Strategy
	past          uint64 // outcomes of the periods before
	failures      uint64 // of all periods
	ever          ever
	throughFailed uint64  // calls that would have been refused, and failed
	prober        *prober // nil: nobody probes
	hold          hold
	slowJudged    bool          // slow calls can open it
	slowest       time.Duration // good trial that came back after it was given up
	totals        bool          // every outcome is counted, see KeepTotals
	countsAll     bool          // always, see CountAll
	closed        bool          // nobody probes any more
	watchers      map[chan<- struct{}]struct{}
	failed        *trouble // the last failure that counted
	unwell        *trouble // the last probe, if it failed
}

// New returns a breaker in the state the strategy starts with.
func New(name string, strategy Strategy, hooks Hooks) *Breaker {
	b := &Breaker{name: name, hooks: hooks}
	if b.hooks.Transition == nil {
		b.hooks.Transition = func(Transition) {}
	}
	if b.hooks.Probe == nil {
		b.hooks.Probe = func(Probe) {}
	}
	if b.hooks.Fleet == nil {
		b.hooks.Fleet = func(FleetEvent) {}
	}
	b.use(strategy)
	now := Now()
	first := b.newPeriod(strategy.Initial(), now, now, initially(strategy.Initial()))
	if c, ok := first.exit.(*canaries); ok {
		c.from = longAgo // the first tick need not wait: nothing has failed yet
		first.publishExit()
	}
	b.period.Store(first)
	return b
}

// initially is why a new breaker is in its state. CLOSED needs no reason.
func initially(state State) *cause {
	if state == Closed {
		return nil
	}
	return &cause{reason: "starts OPEN, until the dependency has shown that it is well"}
}

func (b *Breaker) use(strategy Strategy) {
	b.strategy = strategy
	after, judged := strategy.SlowAfter()
	b.slowAfter.Store(int64(after))
	b.slowJudged = judged
}

// Name is the breaker's name.
func (b *Breaker) Name() string { return b.name }

// State returns the state and never changes it: OPEN stays OPEN until a call or
// a probe moves it, even when its delay is over. See [Breaker.Gate].
func (b *Breaker) State() State { return b.period.Load().state }

// SlowAfter is the duration above which a call is slow; 0 means that none is,
// and no clock need be read.
func (b *Breaker) SlowAfter() time.Duration { return time.Duration(b.slowAfter.Load()) }

// Gate reports whether the breaker would admit a call now, and the period that
// says so. It changes nothing.
func (b *Breaker) Gate() (p *Period, admits bool) {
	p = b.period.Load()
	if admits = p.free; !admits { // in this form the compiler inlines it
		p, admits = b.gate()
	}
	return
}

// GateFor is Gate for an entry that makes n calls. Where chance decides, that is left
// to [Reserved.Take].
func (b *Breaker) GateFor(n int) (p *Period, admits bool) {
	if p = b.period.Load(); p.free || !b.dry.Load() && p.asleep() {
		return p, p.free
	}
	return b.ask(n, false)
}

// Admit takes a permit for one call. If it is granted, the call must end with
// exactly one of Success, Failure and Ignore of the returned period; if not,
// the period is the one that refused.
func (b *Breaker) Admit() (p *Period, admitted bool) {
	p = b.period.Load()
	if admitted = p.quick.Load(); !admitted { // as in Gate
		p, admitted = b.admit()
	}
	return
}

// Free admits a call where the period admits every call, and no shadow wants to know;
// then the call must end as with Admit. Otherwise it does nothing and reports false.
func (b *Breaker) Free() (p *Period, free bool) {
	p = b.period.Load()
	return p, p.quick.Load()
}

// IsFree reports whether the breaker admits every call.
func (b *Breaker) IsFree() bool {
	p := b.period.Load()
	return p.free || b.lenient(p)
}

// Pass admits a call in the common case: the period admits every call, and no call
// is slow, and no shadow wants to know. Then the call must end as with Admit. In all
// other cases Pass does nothing and reports false.
func (b *Breaker) Pass() (p *Period, passed bool) {
	p = b.period.Load()
	return p, p.quick.Load() && b.slowAfter.Load() == 0
}

// CountGate counts an entry that was turned away because the gate refused in
// period p. It returns the period to tell of, as [Period.Refused] does.
func (b *Breaker) CountGate(p *Period) *Period {
	b.gates.Add(1)
	return b.notice(p)
}

// notice makes the move to OPEN that is due because the trials of p were lost.
// Calls that a gate refuses never ask to be admitted, so without the move nobody
// would probe again. It returns the period that refuses now, or p if none does.
func (b *Breaker) notice(p *Period) *Period {
	if p.state != HalfOpen {
		return p
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.present(Now()); !now.free {
		return now
	}
	return p
}

func (b *Breaker) gate() (*Period, bool) {
	if p := b.period.Load(); !b.dry.Load() && p.asleep() {
		return p, false
	}
	return b.ask(1, true)
}

// ask asks the gate under the lock.
func (b *Breaker) ask(n int, draw bool) (*Period, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, now := b.period.Load(), Now()
	b.tellWaiting(p, now)
	return p, b.admits(p, n, now) && (!draw || b.lenient(p) || p.drawn())
}

// admits is the gate's answer for the current period p and n calls of one entry.
func (b *Breaker) admits(p *Period, n int, now Instant) bool {
	if b.lenient(p) {
		return true
	}
	if lost, ok := p.lost(now); ok {
		return b.exitFrom(lost, nil).admits(now)
	}
	if p.exit != nil {
		return p.exit.admits(now)
	}
	return p.free || p.roomFor(n, now)
}

func (b *Breaker) admit() (p *Period, admitted bool) {
	switch p = b.period.Load(); {
	case p.free:
		return b.paired(p), true
	case !b.dry.Load() && p.asleep():
		return p, false
	}
	if p, admitted = b.take(); admitted {
		p = b.paired(p)
	}
	return p, admitted
}

// take takes a permit of the current period if there is one.
func (b *Breaker) take() (*Period, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := Now()
	p := b.present(now)
	b.tellWaiting(p, now)
	p, admitted := p.admit(now)
	if !admitted && b.lenient(p) {
		return b.letThrough(p), true
	}
	return p, admitted
}

// admit takes a permit of the current period p if there is one.
func (p *Period) admit(now Instant) (*Period, bool) {
	if p.exit != nil {
		return p.exit.take(p, now)
	}
	return p, p.free || p.takeTrial(now)
}

// present is the current period. Trials that are lost have ended HALF_OPEN, even
// if no call has asked since; then present makes the move.
func (b *Breaker) present(now Instant) *Period {
	p := b.period.Load()
	if lost, ok := p.lost(now); ok {
		return b.giveUp(p, lost, now, reason("no trial came back for %v", lost.Sub(p.trials.newest)))
	}
	return p
}

// cause is why a breaker changed its state, and who asked if it was by hand.
type cause struct{ reason, by string }

func reason(format string, args ...any) cause { return cause{reason: fmt.Sprintf(format, args...)} }

// move ends the current period and begins one in another state. The new period
// began at a moment that may have passed unnoticed.
func (b *Breaker) move(to State, began, now Instant, why cause) *Period {
	from := b.period.Load()
	figures := from.figures(now)
	b.past += from.counted()
	b.ever.move(from.state, to)
	from.end()
	if to == Closed {
		b.hold.outage = 0
	}
	if to != HalfOpen {
		b.hold.ramp = 0
	}
	next := b.newPeriod(to, began, now, &why)
	if to == Open || to == ForcedOpen {
		next.last = figures
	}
	b.enter(next)
	b.guide(began)
	b.hooks.Transition(Transition{
		Breaker: b.name, From: from.state, To: to, At: next.since, Reason: why.reason, By: why.by,
		Held: next.held(), Dry: b.dry.Load(), Figures: figures, Refused: next.refusedBefore - from.refusedBefore, Duration: began.Sub(from.began),
		LastFailure: b.failed.told(now), LastProbe: b.unwell.told(now),
	})
	return next
}

// newPeriod is a period with a number of its own.
func (b *Breaker) newPeriod(state State, began, now Instant, why *cause) *Period {
	p := &Period{
		breaker: b, stay: newStay(), state: state, why: why, refusedBefore: b.refused.Load(),
		began: began, since: began.wall(now), last: newFigures(Counts{}, 0), trials: noTrials,
	}
	p.wake.Store(int64(longAgo))
	p.retry.Store(int64(never))
	p.until.Store(int64(longAgo))
	switch state {
	case Closed, MetricsOnly, Disabled:
		p.free = true
		p.quick.Store(b.shadow.Load() == nil)
	case Open:
		p.exit = b.exitFrom(began, nil)
	case ForcedOpen:
		p.exit = shut{}
	}
	if p.exit != nil {
		p.publishExit()
	}
	p.observe()
	return p
}

// goOn replaces the OPEN period p by one that continues it under the present
// strategy, because an OPEN period tells its callers one thing only. Canaries that
// p admitted count in the new period if it has the same stay.
func (b *Breaker) goOn(p *Period, stay *stay) *Period {
	next := &Period{
		breaker: b, stay: stay, state: Open, why: p.why, refusedBefore: p.refusedBefore,
		began: p.began, since: p.since, last: p.last, exit: b.exitFrom(p.began, p.exit),
	}
	next.until.Store(int64(longAgo))
	next.publishExit()
	if p.Canaries() && !next.Canaries() {
		next.stay = newStay() // nobody waits for a canary that is out
	}
	b.enter(next)
	return next
}

// same is the current period, or nil if the stay in which p admitted a call is over.
func (b *Breaker) same(p *Period) *Period {
	if current := b.period.Load(); current.stay == p.stay {
		return current
	}
	return nil
}
