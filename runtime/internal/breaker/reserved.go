package breaker

// Reserved are the trials that one entry holds of one breaker for the calls under
// it. There are as many as the entry makes calls. Where HALF_OPEN never has so many
// at once, the entry as a whole is one trial: all its calls run, and their outcomes
// count.
//
// A call under the entry runs even if the breaker has opened meanwhile, because the
// entry's work so far would be lost without it. Its outcome then counts nowhere.
// Only a state set by hand ends that.
//
// The zero value is ready for [Reserved.Take], once, and must not be copied after
// that. Every Reserved must be closed. It is safe for concurrent use.
type Reserved struct {
	breaker *Breaker
	period  *Period // in which the trials were taken; nil: the entry needs none of its own
	outer   *Reserved

	// Under the breaker's lock:
	whole  bool    // the entry is the trial
	closed bool    //
	most   int     // trials that it took
	left   int     // of these: no call runs on them
	lent   int     // of left: they belong to outer
	aside  *Period // takes outcomes that count nowhere
}

// Take takes trials for n calls. If asOne says so, or n are never free at once, it
// makes the entry a trial. While the breaker admits every call it changes nothing.
// The trials that outer has left come first; that is what an entry around this one
// holds, or nil. If Take refuses, p is the period that did; if it would but for a dry
// run, p says so by [Period.Instead].
func (r *Reserved) Take(b *Breaker, n int, asOne bool, outer *Reserved) (p *Period, admitted bool) {
	p = b.period.Load()
	if outer == nil && p.free {
		return p, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r.breaker = b
	now := Now()
	p = b.present(now) // before asking whether the stay of outer's trials is over
	if asOne {
		n = 1
	}
	if outer != nil && outer.serves() {
		if outer.whole {
			return p, true // calls find it there
		}
		n -= r.borrow(outer, n)
		r.whole = asOne && n == 0
		if n == 0 {
			return p, true
		}
	}
	p, admitted = r.take(p, n, asOne, now)
	switch {
	case admitted:
	case b.lenient(p):
		return b.letThrough(p), true
	default:
		r.close()
	}
	return p, admitted
}

// Reserves reports whether an entry holds trials of the breaker.
func (b *Breaker) Reserves() bool { return b.holders.Load() > 0 }

// Serves reports whether the entry has a trial for one more call.
func (r *Reserved) Serves() bool {
	if r.period == nil {
		return false
	}
	r.breaker.mu.Lock()
	defer r.breaker.mu.Unlock()
	return r.serves()
}

// serves reports whether r has a trial for one more call. The lock must be held.
func (r *Reserved) serves() bool { return r.period != nil && !r.closed && (r.whole || r.left > 0) }

// borrow moves up to n trials from an outer entry and returns how many. If their
// stay is over, some are of no use without the others.
func (r *Reserved) borrow(outer *Reserved, n int) (borrowed int) {
	if outer.left < n && r.breaker.same(outer.period) == nil {
		return 0
	}
	borrowed = min(n, outer.left)
	outer.left -= borrowed
	r.outer, r.lent = outer, borrowed
	r.hold(outer.period, borrowed, false)
	return borrowed
}

func (r *Reserved) hold(p *Period, n int, whole bool) {
	if r.period == nil {
		r.breaker.holders.Add(1)
	}
	r.period, r.whole = p, whole
	r.most += n
	r.left += n
}

// take takes n trials of the current period p, or one if that is all it ever has.
func (r *Reserved) take(p *Period, n int, asOne bool, now Instant) (of *Period, admitted bool) {
	r.breaker.tellWaiting(p, now)
	switch {
	case p.free:
		return p, true
	case p.exit == nil && !(p.roomFor(n, now) && p.drawn()):
		return p, false
	case p.exit != nil:
		if p, admitted = p.exit.take(p, now); !admitted {
			return p, false
		}
		if p.state == Open { // the entry is a canary
			r.hold(p, 1, n > 1 || asOne)
			return p, true
		}
		p.endTrial(false) // a new HALF_OPEN may have more of them
	}
	asOne = asOne || !p.fits(n)
	if asOne {
		n = 1
	}
	p.takeTrials(n, now)
	r.hold(p, n, asOne)
	return p, true
}

// Admit admits a call under the entry. It reports false where the entry has no trial
// left for it.
func (r *Reserved) Admit() (p *Period, had bool) {
	if r.period == nil {
		return nil, false
	}
	if p, had = r.admit(); had {
		p = r.breaker.paired(p)
	}
	return p, had
}

func (r *Reserved) admit() (p *Period, had bool) {
	b := r.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if !r.serves() {
		return nil, false
	}
	now := Now()
	p = b.present(now)
	switch {
	case p.stay != r.period.stay:
		return r.admitLate(p, now)
	case r.countsAll():
		p.trials.out++ // beside the entry's own
		return p, true
	case r.left == 0: // the first call decides for the entry
		return r.uncounted(), true
	}
	r.left--
	return p, true
}

// countsAll reports whether every call under an entry that is one trial counts.
// Where one good call ends OPEN, and where the trials of all processes are counted
// one by one, it is only the first.
func (r *Reserved) countsAll() bool {
	return r.whole && r.period.state == HalfOpen && r.period.role != heldTrials
}

// admitLate admits a call after the stay of its trial has ended: as any call if the
// breaker admits it.
func (r *Reserved) admitLate(p *Period, now Instant) (*Period, bool) {
	if p.state == ForcedOpen || p.state == Open && p.why != nil && p.why.by != "" {
		return nil, false
	}
	if !r.whole {
		r.left--
	}
	if p, admitted := p.admit(now); admitted {
		return p, true
	}
	return r.uncounted(), true
}

// uncounted is a period of a stay that is over.
func (r *Reserved) uncounted() *Period {
	if r.aside == nil {
		r.aside = &Period{breaker: r.breaker, stay: newStay(), state: Open}
	}
	return r.aside
}

// Return takes back the trial of a call that was not made. It reports false for a
// call on no trial of r; that one must end with [Period.Return].
func (r *Reserved) Return(p *Period) (back bool) {
	if r.period == nil {
		return false
	}
	if two := p.pair; two != nil {
		if back = r.Return(two.own); back {
			two.shadow.Return()
		}
		return back
	}
	r.breaker.mu.Lock()
	defer r.breaker.mu.Unlock()
	if r.closed || p.stay != r.period.stay || r.countsAll() || r.left == r.most {
		return false
	}
	r.left++
	return true
}

// Close gives back the trials on which no call began, as if they had never been
// taken. A second Close does nothing.
func (r *Reserved) Close() {
	if r.period == nil {
		return
	}
	r.breaker.mu.Lock()
	defer r.breaker.mu.Unlock()
	r.close()
}

func (r *Reserved) close() {
	back := r.left
	if r.outer != nil && !r.outer.closed {
		lent := min(back, r.lent)
		r.outer.left += lent
		back -= lent
	}
	if r.period != nil && !r.closed {
		r.breaker.holders.Add(-1)
	}
	r.left, r.closed = 0, true
	for ; back > 0; back-- {
		r.period.record(ending{}, nil)
	}
}
