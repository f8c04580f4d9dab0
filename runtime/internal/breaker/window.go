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
	into(Window, Instant) window // a new one with what it holds, as far as there is room
}

func (w Window) open() window {
	if w.Span > 0 {
		return &timeWindow{span: w.Span}
	}
	return newCountWindow(w.Calls)
}

// countWindow holds the last size outcomes. Any number of successes is added at
// once: that clears a bit for each, 64 at a time, and does nothing while the window
// holds only successes.
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

// untilPlain is the number of successes after which the window is full of
// successes and holds nothing else.
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
	if marked > 0 {
		w.mark(marked, t.Counts)
	}
}

// pass adds plain successes.
func (w *countWindow) pass(n uint64) {
	if !w.held.plain() {
		cleared := min(n, w.size)
		w.held.Failures -= w.failed.clear(w.next, cleared, w.size)
		w.held.Slow -= w.slow.clear(w.next, cleared, w.size)
	}
	w.held.Calls = min(w.held.Calls+n, w.size)
	w.next = (w.next + n) % w.size
}

// mark adds n outcomes, of which the first are the failures and slow calls of c. If
// there are more than the window holds, only the last stay.
func (w *countWindow) mark(n uint64, c Counts) {
	beyond := n - min(n, w.size)
	place := (w.next + beyond) % w.size
	w.pass(n)
	if failures := c.Failures - min(c.Failures, beyond); failures > 0 {
		w.failed.set(place, failures, w.size)
		w.held.Failures += failures
	}
	if slow := c.Slow - min(c.Slow, beyond); slow > 0 {
		w.slow.set(place, slow, w.size)
		w.held.Slow += slow
	}
}

// into copies words, not outcomes, because calls wait while settings change.
func (w *countWindow) into(to Window, now Instant) window {
	if to.Span > 0 {
		return w.timed(to, now)
	}
	sized := newCountWindow(to.Calls)
	if n := min(w.held.Calls, sized.size); n > 0 {
		first := (w.next + w.size - n) % w.size
		sized.next, sized.held.Calls = n%sized.size, n
		sized.failed, sized.held.Failures = w.failed.copy(first, n, w.size, sized.size)
		sized.slow, sized.held.Slow = w.slow.copy(first, n, w.size, sized.size)
	}
	return sized
}

// timed is a window of time with the same outcomes, dated now.
func (w *countWindow) timed(to Window, now Instant) window {
	timed := to.open()
	first, together := w.next+w.size-w.held.Calls, (w.held.Calls+keptApart-1)/keptApart
	for done := uint64(0); done < w.held.Calls; {
		n := min(together, w.held.Calls-done)
		from := (first + done) % w.size
		timed.add(Tally{now, Counts{n, w.failed.count(from, n, w.size), w.slow.count(from, n, w.size)}})
		done += n
	}
	return timed
}

// all dates its outcomes now, because a window of calls does not know their times.
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

func newRing(size uint64) ring { return make(ring, (size+63)/64) }

// set sets n bits from place from on of a circle of that size, n at most size.
func (r *ring) set(from, n, size uint64) {
	if *r == nil {
		*r = newRing(size)
	}
	straight := min(n, size-from)
	r.setStraight(from, from+straight)
	r.setStraight(0, n-straight)
}

func (r ring) setStraight(from, to uint64) {
	for from < to {
		mask, end := maskOf(from, to)
		r[from/64] |= mask
		from = end
	}
}

// maskOf has the bits from place from to place to that are in one word. They end
// before place end.
func maskOf(from, to uint64) (mask, end uint64) {
	end = min(to, (from/64+1)*64)
	return ^uint64(0) >> (64 - (end - from)) << (from % 64), end
}

// copy is a circle of size newSize that begins with the n bits from place from
// on, and how many are set. It is nil if none is.
func (r ring) copy(from, n, size, newSize uint64) (copied ring, set uint64) {
	if r == nil {
		return nil, 0
	}
	copied = newRing(newSize)
	for i := range (n + 63) / 64 {
		width := min(n-i*64, 64)
		straight := min(width, size-from)
		copied[i] = r.bits(from, straight) | r.bits(0, width-straight)<<straight
		set += uint64(bits.OnesCount64(copied[i]))
		if from += width; from >= size {
			from -= size
		}
	}
	if set == 0 {
		return nil, 0
	}
	return copied, set
}

func (r ring) get(i uint64) uint64 {
	if r == nil {
		return 0
	}
	return r[i/64] >> (i % 64) & 1
}

// count is how many of the n bits from place from on are set, n at most size.
func (r ring) count(from, n, size uint64) (set uint64) {
	if r == nil {
		return 0
	}
	straight := min(n, size-from)
	return r.countStraight(from, from+straight) + r.countStraight(0, n-straight)
}

func (r ring) countStraight(from, to uint64) (set uint64) {
	for from < to {
		mask, end := maskOf(from, to)
		set += uint64(bits.OnesCount64(r[from/64] & mask))
		from = end
	}
	return set
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
		mask, end := maskOf(from, to)
		word := &r[from/64]
		cleared += uint64(bits.OnesCount64(*word & mask))
		*word &^= mask
		from = end
	}
	return cleared
}

// bits are n bits from place from on, at most 64.
func (r ring) bits(from, n uint64) uint64 {
	word := r[from/64] >> (from % 64)
	if from%64+n > 64 {
		word |= r[from/64+1] << (64 - from%64)
	}
	return word & (^uint64(0) >> (64 - n))
}
