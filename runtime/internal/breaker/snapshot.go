package breaker

import "time"

// Figures are the outcomes that a breaker judges by.
type Figures struct {
	Calls        uint64
	Failures     uint64
	SlowCalls    uint64
	FailureRate  float64 // percent; -1 while there are too few calls to judge
	SlowCallRate float64 // likewise
}

func newFigures(c Counts, minimum int) Figures {
	f := Figures{Calls: c.Calls, Failures: c.Failures, SlowCalls: c.Slow, FailureRate: -1, SlowCallRate: -1}
	if c.Calls >= uint64(max(minimum, 1)) {
		f.FailureRate, f.SlowCallRate = percent(c.Failures, c.Calls), percent(c.Slow, c.Calls)
	}
	return f
}

// percent is part of whole, rounded once. So it equals a threshold given in
// decimals exactly when the true rate does, which neither part/whole·100 nor
// threshold·whole would: they round twice.
func percent(part, whole uint64) float64 { return float64(part*100) / float64(whole) }

// Transition is a change of state. Reset of a CLOSED breaker is one too.
type Transition struct {
	Breaker  string
	From, To State
	At       time.Time     // since when it holds; a HALF_OPEN without permits ends before anybody asks
	Reason   string        // in words, with the figures that decided
	By       string        // who asked, for one made by hand
	Figures  Figures       // of the period that ended; of OPEN, those that opened it
	Held     bool          // To is OPEN, by an outage of all processes
	Dry      bool          // the breaker is not enforced
	Refused  uint64        // calls refused in it
	Duration time.Duration // of it

	LastFailure Trouble // that counted in whatever period; zero: none
	LastProbe   Trouble // zero: it was good, or there was none
}

// Snapshot is a breaker at one moment, consistent in itself.
type Snapshot struct {
	Name         string
	Strategy     string
	State        State
	Since        time.Time // when the state began
	Reason       string    // why, empty of a new breaker that is CLOSED
	By           string    // who asked for the state, if it was set by hand
	Admits       bool      // a call would be admitted: OPEN with its delay over says true
	RetryAt      time.Time // when a call is admitted again, where time alone decides
	Refused      uint64    // calls refused since then
	RefusedTotal uint64    // calls refused since it was made
	Gates        uint64    // entries that a gate turned away because of it, since it was made
	WouldRefuse  uint64    // calls and entries that it would have refused if it were enforced, since it was made
	WouldFail    uint64    // of these calls: those that failed
	Dry          bool      // it is not enforced
	Trials       int       // of HALF_OPEN: calls that run, and trials that entries hold
	Held         bool      // an outage that was found elsewhere lasts; see Hold
	LastFailure  Trouble   // that counted; zero: none since it was made
	LastProbe    Trouble   // zero: it was good, or there was none
	Ever         Ever
	OpensAt      float64 // percent of failed calls at which it opens; 0: by another rule
	Figures              // of the window; while OPEN of the one that opened it
}

// Snapshot tells how the breaker is. It changes nothing and may be called at
// any rate.
func (b *Breaker) Snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := Now()
	p := b.period.Load()
	refused := b.refused.Load()
	s := Snapshot{
		Name: b.name, Strategy: b.strategy.Name(), State: p.state, Since: p.since, Admits: b.admits(p, 1, now),
		Refused: refused - p.refusedBefore, RefusedTotal: refused, Gates: b.gates.Load(),
		WouldRefuse: b.through.Load(), WouldFail: b.throughFailed, Dry: b.dry.Load(),
		Trials: p.trials.out - p.trials.late, Held: b.hold.outage != 0, Figures: p.figures(now),
		LastFailure: b.failed.told(now), LastProbe: b.unwell.told(now), Ever: b.everTold(),
	}
	if rule, ok := b.strategy.(interface{ OpensAt() float64 }); ok {
		s.OpensAt = rule.OpensAt()
	}
	if p.why != nil {
		s.Reason, s.By = p.why.reason, p.why.by
	}
	if retryAt, known := b.retryAt(p, now); known {
		s.RetryAt = p.since.Add(retryAt.Sub(p.began))
	}
	return s
}

// RetryAt is when a call is admitted again, where time alone decides. It changes
// nothing.
func (b *Breaker) RetryAt() (at Instant, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.retryAt(b.period.Load(), Now())
}

// retryAt is RetryAt of the current period p, which may be over unnoticed.
func (b *Breaker) retryAt(p *Period, now Instant) (at Instant, known bool) {
	if lost, ok := p.lost(now); ok {
		return retryBy(b.exitFrom(lost, nil), now)
	}
	return p.RetryAt()
}
