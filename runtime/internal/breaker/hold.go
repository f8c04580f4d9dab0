package breaker

// hold is what a breaker knows of outages that were found elsewhere, from the
// counts of many processes. Outages have numbers, none has 0.
type hold struct {
	outage    uint64 // the one that lasts; a state set by hand comes before it
	overruled uint64 // the one that Reset closed the breaker in
}

// Hold opens the breaker for an outage and keeps it OPEN: neither time, nor a
// probe, nor canaries end that, only Try and Release do. A state set by hand
// stays until Reset, and Reset closes the breaker for the rest of this outage.
func (b *Breaker) Hold(outage uint64, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if outage == b.hold.outage || outage == b.hold.overruled {
		return
	}
	b.hold.outage = outage
	switch p := b.period.Load(); p.state {
	case Open:
		b.goOn(p, p.stay)
		b.guide(p.began)
	case Closed, HalfOpen:
		now := Now()
		b.move(Open, now, now, cause{reason: why})
	}
}

// Try makes a breaker that is held OPEN HALF_OPEN. The trials of its strategy
// decide: CLOSED ends the hold, OPEN is held again. It reports whether the
// breaker is HALF_OPEN now.
func (b *Breaker) Try(outage uint64, why string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if outage != b.hold.outage || b.period.Load().state != Open {
		return false
	}
	now := Now()
	b.move(HalfOpen, now, now, cause{reason: why})
	return true
}

// Recall takes back what Try allowed.
func (b *Breaker) Recall(outage uint64, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if outage == b.hold.outage && b.period.Load().state == HalfOpen {
		now := Now()
		b.move(Open, now, now, cause{reason: why})
	}
}

// Release ends a hold. If the outage is over, the breaker is CLOSED; else its
// strategy goes on, as if it had opened the breaker itself when the outage did.
func (b *Breaker) Release(over bool, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hold.outage == 0 {
		return
	}
	b.hold.outage = 0
	switch p := b.period.Load(); {
	case over && (p.state == Open || p.state == HalfOpen):
		now := Now()
		b.move(Closed, now, now, cause{reason: why})
	case p.state == Open:
		b.goOn(p, p.stay)
		b.guide(p.began)
	}
}
