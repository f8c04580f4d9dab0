package breaker

// Trip opens the breaker; it leaves OPEN as it always does. Where it is open
// already, its wait goes on.
func (b *Breaker) Trip(by string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := Now()
	p := b.period.Load()
	if p.state == Open || p.state == ForcedOpen {
		return
	}
	why := cause{"tripped", by}
	if lost, ok := p.lost(now); ok { // it is open since then; only nobody has asked
		b.giveUp(p, lost, now, why)
		return
	}
	b.move(Open, now, now, why)
}

// ForceOpen makes the breaker refuse every call until Reset.
func (b *Breaker) ForceOpen(by string) { b.force(ForcedOpen, cause{"forced open", by}) }

// Disable makes the breaker admit every call and count none until Reset.
func (b *Breaker) Disable(by string) { b.force(Disabled, cause{"disabled", by}) }

// MetricsOnly makes the breaker admit and count every call, but never open,
// until Reset.
func (b *Breaker) MetricsOnly(by string) { b.force(MetricsOnly, cause{"made to count only", by}) }

func (b *Breaker) force(state State, why cause) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := Now(); b.period.Load().state != state {
		b.move(state, now, now, why)
	}
}

// Reset makes the breaker CLOSED and empty, from every state, CLOSED too, and
// ends a hold.
func (b *Breaker) Reset(by string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hold.outage != 0 {
		b.hold.overruled = b.hold.outage
	}
	now := Now()
	b.move(Closed, now, now, cause{"reset", by})
}

// Reconfigure puts another strategy in force, or the same with other settings.
// The state stays, the outcomes stay as far as the new window holds them, and
// calls in flight still count; the next outcome is judged by the new rules. A
// changed delay of an OPEN breaker is measured from when it opened.
func (b *Breaker) Reconfigure(strategy Strategy) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.present(Now()) // by the rules so far
	b.use(strategy)
	if p.state == Open {
		b.goOn(p, p.stay)
		b.guide(p.began)
		return
	}
	p.reobserve(Now())
}
