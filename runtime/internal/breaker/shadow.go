package breaker

// A shadow is a second breaker that gets the outcomes of the same calls, to try other
// settings on them. It is in a dry run, so that it refuses nobody, and it sends no
// probes. While a breaker has one, its periods are not quick: each call asks, and gets a
// period that stands for those of both.

// Try tries another strategy on the calls of the breaker; nil: no longer. A shadow that
// there is goes on, with its state and its outcomes. Hear gets its changes of state,
// as those of [Hooks].
func (b *Breaker) Try(strategy Strategy, hear func(Transition)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shadow.Load()
	switch {
	case strategy == nil:
		s = nil
	case s != nil:
		s.Reconfigure(strategy)
	default:
		s = New(b.name, strategy, Hooks{Transition: hear})
		s.DryRun(true)
	}
	b.shadow.Store(s)
	p := b.period.Load()
	p.quick.Store(p.free && s == nil)
}

// Shadow returns the breaker that tries other settings, or nil.
func (b *Breaker) Shadow() *Breaker { return b.shadow.Load() }

// pair is the periods of a breaker and of its shadow that take the outcome of a call.
type pair struct {
	own, shadow *Period
	slowAt      Instant // 0: no call is slow for the shadow
}

// paired is a period for a call that p admits, with the shadow if there is one.
func (b *Breaker) paired(p *Period) *Period {
	s := b.shadow.Load()
	if s == nil {
		return p
	}
	of, _ := s.Admit()
	two := pair{own: p, shadow: of}
	if after := s.SlowAfter(); after > 0 {
		two.slowAt = Now().Add(after)
	}
	last := b.pairs.Load()
	if last == nil || *last.pair != two {
		last = p.with(two)
		b.pairs.Store(last)
	}
	return last
}

// with is a period for calls that p admits, whose outcomes go to two periods.
func (p *Period) with(two pair) *Period {
	return &Period{breaker: p.breaker, stay: p.stay, state: p.state, free: p.free, instead: p.instead, pair: &two}
}

// slow reports whether a call that ends now is slow for the shadow.
func (two *pair) slow() bool { return two.slowAt != 0 && Now() > two.slowAt }
