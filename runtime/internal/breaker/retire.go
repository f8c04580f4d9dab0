package breaker

// Retire ends a breaker that admits every call in CLOSED, and reports whether it is
// such a one. From then on it admits all and counts nothing, so that calls which are
// under way can't open what nobody sees any more. It is no change of state that
// anybody is told of.
func (b *Breaker) Retire() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	from := b.period.Load()
	if !from.atRest() {
		return false
	}
	from.end()
	now := Now()
	b.period.Store(b.newPeriod(Disabled, now, now, &cause{reason: "retired"}))
	return true
}

// AtRest reports whether the breaker is CLOSED for every call.
func (b *Breaker) AtRest() bool { return b.period.Load().atRest() }

// atRest reports whether the period is CLOSED for every call.
func (p *Period) atRest() bool { return p.state == Closed && p.free }
