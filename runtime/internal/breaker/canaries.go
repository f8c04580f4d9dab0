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
	until   Instant // until then it may run by its own timeout, see Bound
}

// asks reports whether a prober is there.
func (b *Breaker) asks() bool { return b.prober != nil && (b.prober.probe == nil || !b.closed) }

// canariesFrom goes on with the canaries of the exit before, if it had some.
func (b *Breaker) canariesFrom(began Instant, probing Probing, before exit) exit {
	c, ok := before.(*canaries)
	if !ok {
		c = &canaries{from: began}
	}
	c.probing = probing
	c.probing.Longest = b.longestTrial(probing.Longest)
	return c
}

func (c *canaries) admits(now Instant) bool {
	then := *c
	then.writeOff(now)
	return !then.out && now >= then.tick()
}

func (c *canaries) take(p *Period, now Instant) (*Period, bool) {
	p = c.current(p, now)
	if !c.admits(now) {
		return p, false
	}
	c.out, c.began, c.until = true, now, now
	p.publishExit()
	return p, true
}

// current counts a canary that does not come back as failed, and begins another
// period so that a late outcome counts nowhere. It returns the current period.
func (c *canaries) current(p *Period, now Instant) *Period {
	if !c.writeOff(now) {
		return p
	}
	p.stay.givenUp = c.began
	return p.breaker.goOn(p, newStay())
}

func (c *canaries) end(p *Period, e ending, now Instant) (counts bool) {
	switch {
	case !c.out: // a reload or a probe has made canaries needless meanwhile
		return false
	case c.writtenOff(now):
		p.breaker.returned(c.began, now, e)
		return false
	}
	c.out = false
	switch {
	case e.good():
		p.breaker.move(HalfOpen, now, now, reason("a call let through as canary succeeded"))
		return true
	case e.Calls > 0:
		c.fail(now)
	}
	p.publishExit()
	return e.Calls > 0
}

func (c *canaries) bound(p *Period, until Instant) {
	c.until = until
	p.publishExit()
}

// times says nothing of the next try while a canary is out, because it decides.
func (c *canaries) times() (wake, retry Instant) {
	if c.out {
		return c.lostAt(), never
	}
	return c.tick(), c.tick()
}

// tick is when the present tick begins.
func (c *canaries) tick() Instant { return c.from.Add(c.probing.pause(c.probing.Calls, c.ticks)) }

func (c *canaries) lostAt() Instant { return max(c.began.Add(c.probing.Longest), c.until) }

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

// pause is the time before a tick, after a number of failed ones.
func (p Probing) pause(ticks Ticks, failed int) time.Duration {
	pause := p.Interval
	for longest := max(ticks.BackoffMax, p.Interval); failed > 1 && pause < longest; failed-- {
		pause = min(2*pause, longest)
	}
	return pause
}

// Canaries reports whether an OPEN period admits a few calls, of which a good one
// ends it.
func (p *Period) Canaries() bool {
	_, ok := p.exit.(*canaries)
	return ok
}
