package breaker

// exit is the way out of OPEN. There are four: a delay, a probe that succeeds, a
// call that serves as one, and the end of an outage of all processes. A period has
// one exit from its beginning; where settings, a prober or an outage change, another
// period goes on with another exit, see goOn.
type exit interface {
	// admits reports whether a call would be admitted now. It changes nothing.
	admits(now Instant) bool
	// take admits a call if it can. It returns the period that admitted or refused
	// the call, which is another one where the call has ended OPEN.
	take(p *Period, now Instant) (of *Period, admitted bool)
	// end takes the end of a call that take has admitted into p. It reports whether
	// the call counts.
	end(p *Period, e ending, now Instant) (counts bool)
	// bound says that a call that take has admitted may run until then.
	bound(p *Period, until Instant)
	// times are the moments before which it admits no call, and before which
	// another try makes no sense. Never: no time ends that.
	times() (wake, retry Instant)
}

// exitFrom is the exit of a breaker that opened at the moment given. Calls that
// served as probes in the exit before go on serving.
func (b *Breaker) exitFrom(began Instant, before exit) exit {
	switch wait := b.strategy.Open(); {
	case b.hold.outage != 0:
		return held{until: b.hold.until}
	case wait.Delay != nil:
		return delay{began: began, until: began.Add(*wait.Delay)}
	case wait.Probing != nil && !b.asks():
		return b.canariesFrom(began, *wait.Probing, before)
	}
	return shut{}
}

// publishExit tells calls when to ask. It is for changes of the exit's times.
func (p *Period) publishExit() {
	wake, retry := p.exit.times()
	p.wake.Store(int64(wake))
	p.retry.Store(int64(retry))
}

// retryBy is when another try makes sense by an exit that no call has taken yet. Once
// a canary's time has come it is unknown, because another call comes first.
func retryBy(e exit, now Instant) (at Instant, known bool) {
	_, at = e.times()
	_, timed := e.(delay)
	return at, at != never && (timed || at > now)
}

// shut is the exit that no call takes: a probe that succeeds ends OPEN, or a hand.
type shut struct{}

func (shut) admits(Instant) bool                       { return false }
func (shut) take(p *Period, _ Instant) (*Period, bool) { return p, false }
func (shut) end(*Period, ending, Instant) bool         { return false }
func (shut) bound(*Period, Instant)                    {}
func (shut) times() (wake, retry Instant)              { return never, never }

// delay is the exit by time alone. The first call after it moves the breaker to
// HALF_OPEN.
type delay struct {
	shut
	began, until Instant
}

func (d delay) admits(now Instant) bool { return now >= d.until }

func (d delay) take(p *Period, now Instant) (*Period, bool) {
	if !d.admits(now) {
		return p, false
	}
	p = p.breaker.move(HalfOpen, now, now, reason("its delay of %v is over", d.until.Sub(d.began)))
	return p, p.takeTrial(now)
}

func (d delay) times() (wake, retry Instant) { return d.until, d.until }
