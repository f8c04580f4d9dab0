package breaker

// KeepTotals makes Totals complete from now on, or no longer. It costs every
// success one atomic addition.
func (b *Breaker) KeepTotals(keep bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.totals = keep
	if p := b.period.Load(); p.window != nil {
		p.publish()
	}
}

// Totals are the outcomes that the breaker has counted: calls, and failures
// among them. Neither grows while it is DISABLED. To know what came since the
// last time, subtract. Without [Breaker.KeepTotals] successes that change
// nothing else are missing.
func (b *Breaker) Totals() (calls, failures uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.past + b.period.Load().counted(), b.failures
}

// counted is how many outcomes the period has taken.
func (p *Period) counted() uint64 {
	if p.window == nil {
		return 0
	}
	return p.outcomes.Load()
}
