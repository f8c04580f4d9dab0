package breaker

// Ever counts what happened since a breaker was made. It only grows. What comes
// while the breaker is DISABLED, or after the period that admitted the call, counts
// nowhere.
type Ever struct {
	Failures  uint64
	SlowCalls uint64 // failed ones, too
	Ignored   uint64 // calls that ended and say nothing
	Successes uint64 // slow ones, too; 0 without Counted
	Counted   bool   // successes are counted, see CountAll
	Moves     Moves
}

// Moves counts the changes from one state to another.
type Moves [MetricsOnly + 1][MetricsOnly + 1]uint64

// ever is what a breaker counts for Ever under its lock.
type ever struct {
	failures, slow uint64
	moves          *Moves // nil: there was none
}

func (e *ever) end(c Counts) {
	e.failures += c.Failures
	e.slow += c.Slow
}

func (e *ever) move(from, to State) {
	if e.moves == nil {
		e.moves = new(Moves)
	}
	e.moves[from][to]++
}

// note remembers a call that counts.
func (b *Breaker) note(e ending, why *trouble, now Instant) {
	b.ever.end(e.Counts)
	b.noteFailure(why, now)
}

// everTold is what others see. The breaker's lock must be held.
func (b *Breaker) everTold() Ever {
	told := Ever{Failures: b.ever.failures, SlowCalls: b.ever.slow, Ignored: b.ignored.Load()}
	if b.ever.moves != nil {
		told.Moves = *b.ever.moves
	}
	if b.countsAll {
		told.Counted, told.Successes = true, b.past+b.period.Load().counted()-b.failures
	}
	return told
}

// CountAll is KeepTotals for the whole life of a new breaker.
func (b *Breaker) CountAll() {
	b.mu.Lock()
	b.countsAll = true
	b.mu.Unlock()
	b.KeepTotals(true)
}

// KeepTotals makes Totals count every success from now on, or no longer. That costs
// a success one atomic addition.
func (b *Breaker) KeepTotals(keep bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.totals = keep || b.countsAll
	if p := b.period.Load(); p.window != nil {
		p.publish()
	}
}

// Totals are the outcomes that the breaker has counted since it was made: all calls,
// and the failures among them. Neither grows while the breaker is DISABLED. Without
// [Breaker.KeepTotals] the successes are missing that change nothing else.
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
