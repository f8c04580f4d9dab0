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
	wait := b.strategy.Open()
	if !b.needsCanaries(wait) {
		p.canaries = nil
		p.wake.Store(int64(b.readmits(p.began)))
		return
	}
	if p.canaries == nil {
		p.canaries = &canaries{from: p.began}
	}
	p.canaries.probing = *wait.Probing
	p.publishCanaries()
}

// waited reports that time alone has ended OPEN.
func (p *Period) waited(now Instant) bool {
	return p.state == Open && p.canaries == nil && now >= p.wakeAt()
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
	p.canaries.out, p.canaries.began = true, now
	p.publishCanaries()
	return true
}

// writeOffCanary takes a canary that does not come back for a failed one. Its
// outcome is then one of an older period.
func (b *Breaker) writeOffCanary(p *Period, now Instant) *Period {
	if !p.canaries.writeOff(now) {
		return p
	}
	b.stays++
	return b.goOn(p, b.stays)
}

func (p *Period) endCanary(outcome Counts, now Instant) {
	c := p.canaries
	if c == nil || !c.out || c.writtenOff(now) {
		return // a reload or a probe has made canaries needless, or it came too late
	}
	c.out = false
	switch {
	case outcome.Failures > 0:
		c.fail(now)
	case outcome.Calls > 0:
		p.breaker.move(HalfOpen, now, now, reason("a call let through as canary succeeded"))
		return
	}
	p.publishCanaries()
}

// publishCanaries tells calls until when none is admitted.
func (p *Period) publishCanaries() {
	wake := p.canaries.tick()
	if p.canaries.out {
		wake = p.canaries.lostAt()
	}
	p.wake.Store(int64(wake))
}

// tick is when the present tick begins.
func (c *canaries) tick() Instant { return c.from.Add(c.probing.pause(c.ticks)) }

func (c *canaries) lostAt() Instant { return c.began.Add(c.probing.Longest) }

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
	if c.failed++; c.failed >= c.probing.PerTick {
		c.failed = 0
		c.ticks++
		c.from = at
	}
}

// pause is how long to wait for a tick after so many failed ones.
func (p Probing) pause(failed int) time.Duration {
	pause := p.Interval
	for longest := max(p.BackoffMax, p.Interval); failed > 1 && pause < longest; failed-- {
		pause = min(2*pause, longest)
	}
	return pause
}
