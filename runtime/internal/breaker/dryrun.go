package breaker

// DryRun makes the breaker judge as it would and refuse nobody, or ends that. A call
// that it would have refused is counted and goes on; its outcome is in the totals,
// and decides nothing. A breaker that was forced open by hand refuses all the same.
func (b *Breaker) DryRun(dry bool) { b.dry.Store(dry) }

// lenient reports whether the current period p must refuse nobody.
func (b *Breaker) lenient(p *Period) bool { return b.dry.Load() && p.state != ForcedOpen }

// letThrough counts a call or an entry that p would have refused. It returns the
// period to which the outcome goes. The lock must be held.
func (b *Breaker) letThrough(p *Period) *Period {
	b.through.Add(1)
	if p.beside == nil {
		p.beside = &Period{breaker: b, stay: newStay(), state: p.state, free: true, instead: p}
		p.beside.until.Store(int64(longAgo))
	}
	return p.beside
}

// Instead is the period that would have refused the calls that p admits, if the
// breaker were enforced; nil: p is a period of the breaker's own.
func (p *Period) Instead() *Period { return p.instead }

// countThrough counts a call that was let through. The lock must be held.
func (b *Breaker) countThrough(e ending, why *trouble) {
	if e.Calls == 0 {
		return
	}
	b.past += e.Calls
	b.failures += e.Failures
	b.throughFailed += e.Failures
	b.note(e, why, Now())
}
