package breaker

import (
	"iter"
	"math/bits"
)

// Counts are outcomes by number. A call can be both failed and slow.
type Counts struct{ Calls, Failures, Slow uint64 }

// plain reports that all calls were successes in time.
func (c Counts) plain() bool { return c.Failures|c.Slow == 0 }

func (c *Counts) plus(o Counts) {
	c.Calls += o.Calls
	c.Failures += o.Failures
	c.Slow += o.Slow
}

func (c *Counts) minus(o Counts) {
	c.Calls -= o.Calls
	c.Failures -= o.Failures
	c.Slow -= o.Slow
}

// Tally is outcomes that came together.
type Tally struct {
	At Instant
	Counts
}

// window holds the outcomes that count at present. It is used under the
// breaker's lock.
type window interface {
	add(Tally)                  // lets outcomes in, not older than those before
	counts(now Instant) Counts  // what it holds at now
	newest(now Instant) Instant // when successes came that were only counted meanwhile
	all(now Instant) iter.Seq[Tally]
}

func (w Window) open() window {
	if w.Span > 0 {
		return &timeWindow{span: w.Span}
	}
	return newCountWindow(w.Calls)
}

// countWindow holds the last size outcomes. Successes are let in by number,
// whatever their number: the cost is that of clearing a bit each, 64 at a time,
// and nothing while all is well.
type countWindow struct {
	size   uint64
	next   uint64 // place of the next outcome, below size
	failed ring
	slow   ring
	held   Counts
}

func newCountWindow(size int) *countWindow {
	return &countWindow{size: uint64(size)}
}

func (w *countWindow) counts(Instant) Counts      { return w.held }
func (w *countWindow) newest(now Instant) Instant { return now }

// untilPlain is how many successes more will have made the window one of
// successes only, full of them.
func (w *countWindow) untilPlain() uint64 {
	if w.held.plain() {
		return w.size - w.held.Calls
	}
	return w.size
}

func (w *countWindow) add(t Tally) {
	if w.size == 0 {
		return
	}
	marked := max(t.Failures, t.Slow)
	w.pass(t.Calls - marked)
	for i := range marked {
		w.place(i < t.Failures, i < t.Slow)
	}
}

// pass lets plain successes in.
func (w *countWindow) pass(n uint64) {
	if !w.held.plain() {
		cleared := min(n, w.size)
		w.held.Failures -= w.failed.clear(w.next, cleared, w.size)
		w.held.Slow -= w.slow.clear(w.next, cleared, w.size)
	}
	w.held.Calls = min(w.held.Calls+n, w.size)
	w.next = (w.next + n) % w.size
}

func (w *countWindow) place(failed, slow bool) {
	place := w.next
	w.pass(1)
	if failed {
		w.failed.set(place, w.size)
		w.held.Failures++
	}
	if slow {
		w.slow.set(place, w.size)
		w.held.Slow++
	}
}

// all dates its outcomes now: a window of calls does not know their times.
func (w *countWindow) all(now Instant) iter.Seq[Tally] {
	return func(yield func(Tally) bool) {
		passed := Tally{At: now}
		for i := range w.held.Calls {
			place := (w.next + w.size - w.held.Calls + i) % w.size
			one := Counts{1, w.failed.get(place), w.slow.get(place)}
			if one.plain() {
				passed.Calls++
				continue
			}
			if passed.Calls > 0 && !yield(passed) || !yield(Tally{now, one}) {
				return
			}
			passed.Calls = 0
		}
		if passed.Calls > 0 {
			yield(passed)
		}
	}
}

// ring is a circle of bits. It takes memory when the first one is set.
type ring []uint64

// set sets the bit at place i of a circle of that size.
func (r *ring) set(i, size uint64) {
	if *r == nil {
		*r = make(ring, (size+63)/64)
	}
	(*r)[i/64] |= 1 << (i % 64)
}

func (r ring) get(i uint64) uint64 {
	if r == nil {
		return 0
	}
	return r[i/64] >> (i % 64) & 1
}

// clear clears n bits from place from on, n at most size, and returns how many
// were set.
func (r ring) clear(from, n, size uint64) (cleared uint64) {
	if r == nil {
		return 0
	}
	straight := min(n, size-from)
	return r.clearStraight(from, from+straight) + r.clearStraight(0, n-straight)
}

func (r ring) clearStraight(from, to uint64) (cleared uint64) {
	for from < to {
		end := min(to, (from/64+1)*64)
		mask := ^uint64(0) >> (64 - (end - from)) << (from % 64)
		word := &r[from/64]
		cleared += uint64(bits.OnesCount64(*word & mask))
		*word &^= mask
		from = end
	}
	return cleared
}
