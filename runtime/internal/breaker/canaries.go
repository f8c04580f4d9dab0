package breaker

import "time"

// canaries let a few calls of an OPEN breaker through where nothing else can
// tell that the dependency is back: neither a delay nor a probe. Calls are
// admitted in ticks, one after the other; the first that succeeds ends OPEN.
type canaries struct {
	probing Probing
	from    Instant // when the pause before the tick began
	ticks   int     // that failed
	failed  int     // calls of this tick that failed
	out     bool    // one has not ended
	began   Instant // when it did
	bound   Instant // until then it may run by its own timeout, see Bound
}

// needsCanaries reports that calls must serve as probes while OPEN ends as wait
// says.
func (b *Breaker) needsCanaries(wait Wait) bool {
	return wait.Delay == nil && wait.Probing != nil && !b.asks() && b.hold.outage == 0
}

// asks reports that there is somebody who probes.
func (b *Breaker) asks() bool { return b.prober != nil && (b.prober.probe == nil || !b.closed) }

// wait settles how the OPEN period p ends by itself.
func (p *Period) wait() {
	b := p.breaker
	if b.hold.outage != 0 {
		p.role, p.canaries = heldOpen, nil
		p.wake.Store(int64(b.hold.until))
		p.retry.Store(int64(b.hold.until))
		return
	}
	wait := b.strategy.Open()
	if !b.needsCanaries(wait) {
		p.canaries = nil
		admits := int64(b.readmits(p.began))
		p.wake.Store(admits)
		p.retry.Store(admits)
		return
	}
	if p.canaries == nil {
		p.canaries = &canaries{from: p.began}
	}
	p.canaries.probing = *wait.Probing
	p.canaries.probing.Longest = b.patient(wait.Probing.Longest)
	p.publishCanaries()
}

// waited reports that time alone has ended OPEN.
func (p *Period) waited(now Instant) bool {
	return p.state == Open && p.role != heldOpen && p.canaries == nil && now >= p.wakeAt()
}

// canaryFree reports that p would admit a call as canary now.
func (p *Period) canaryFree(now Instant) bool {
	if p.canaries == nil {
		return false
	}
	c := *p.canaries
	c.writeOff(now)
	return !c.out && now >= c.tick()
}

func (p *Period) takeCanary(now Instant) bool {
	if !p.canaryFree(now) {
		return false
	}
	c := p.canaries
	c.out, c.began, c.bound = true, now, now
	p.publishCanaries()
	return true
}

// writeOffCanary takes a canary that does not come back for a failed one. Its
// outcome is then one of an older period.
func (b *Breaker) writeOffCanary(p *Period, now Instant) *Period {
	if !p.canaries.writeOff(now) {
		return p
	}
	p.stay.givenUp = p.canaries.began
	return b.goOn(p, newStay())
}

func (p *Period) endCanary(e ending, now Instant) {
	c := p.canaries
	switch {
	case c == nil || !c.out: // a reload or a probe has made canaries needless
		return
	case c.writtenOff(now):
		p.breaker.returned(c.began, now, e)
		return
	}
	c.out = false
	p.breaker.noteFailure(e.why, now)
	p.breaker.ever.end(e.Counts)
	switch {
	case e.good():
		p.breaker.move(HalfOpen, now, now, reason("a call let through as canary succeeded"))
		return
	case e.Calls > 0:
		c.fail(now)
	}
	p.publishCanaries()
}

// publishCanaries tells calls until when none is admitted. Nobody knows when a
// canary comes back that is out.
func (p *Period) publishCanaries() {
	wake, retry := p.canaries.tick(), p.canaries.tick()
	if p.canaries.out {
		wake, retry = p.canaries.lostAt(), never
	}
	p.wake.Store(int64(wake))
	p.retry.Store(int64(retry))
}

// tick is when the present tick begins.
func (c *canaries) tick() Instant { return c.from.Add(c.probing.pause(c.probing.Calls, c.ticks)) }

func (c *canaries) lostAt() Instant { return max(c.began.Add(c.probing.Longest), c.bound) }

func (c *canaries) writtenOff(now Instant) bool { return c.out && now >= c.lostAt() }

func (c *canaries) writeOff(now Instant) bool {
	if !c.writtenOff(now) {
		return false
	}
	c.out = false
	c.fail(c.lostAt())
	return true
}

func (c *canaries) fail(at Instant) {
	if c.failed++; c.failed >= c.probing.Calls.Size {
		c.failed = 0
		c.ticks++
		c.from = at
	}
}

// pause is how long to wait for a tick after so many failed ones.
func (p Probing) pause(ticks Ticks, failed int) time.Duration {
	pause := p.Interval
	for longest := max(ticks.BackoffMax, p.Interval); failed > 1 && pause < longest; failed-- {
		pause = min(2*pause, longest)
	}
	return pause
}

// Canaries reports that an OPEN period ends with a good call, a few of which it
// lets through.
func (p *Period) Canaries() bool { return p.canaries != nil }
