package breaker

import (
	"iter"
	"time"
)

// keptApart is how many outcomes of a time window keep their own times. A further
// outcome joins the newest moment if that moment is younger than a keptApart-th of
// the window. So the window of a quiet dependency is exact, the window of a busy one
// forgets an outcome up to a thousandth of its length early, and no window holds more
// than twice as many moments.
const keptApart = 1000

// timeWindow holds the outcomes younger than span.
type timeWindow struct {
	span    time.Duration
	moments []Tally // oldest first; those before first have left
	first   int
	held    Counts
}

func (w *timeWindow) counts(now Instant) Counts {
	w.expire(now)
	return w.held
}

func (w *timeWindow) newest(now Instant) Instant {
	if w.first == len(w.moments) {
		return now
	}
	return w.moments[len(w.moments)-1].At
}

func (w *timeWindow) add(t Tally) {
	w.expire(t.At)
	w.held.plus(t.Counts)
	if t.At < w.until() {
		w.moments[len(w.moments)-1].plus(t.Counts)
		return
	}
	if len(w.moments) == cap(w.moments) && w.first > len(w.moments)/2 {
		w.moments = w.moments[:copy(w.moments, w.moments[w.first:])]
		w.first = 0
	}
	w.moments = append(w.moments, t)
}

// until is when the newest moment takes no more outcomes.
func (w *timeWindow) until() Instant {
	if w.first == len(w.moments) {
		return longAgo
	}
	newest := w.moments[len(w.moments)-1].At
	if len(w.moments)-w.first < keptApart {
		return newest
	}
	return newest.Add(max(w.span/keptApart, 1))
}

func (w *timeWindow) expire(now Instant) {
	for w.first < len(w.moments) && now.Sub(w.moments[w.first].At) >= w.span {
		w.held.minus(w.moments[w.first].Counts)
		w.first++
	}
}

func (w *timeWindow) into(to Window, now Instant) window {
	other := to.open()
	for t := range w.all(now) {
		other.add(t)
	}
	return other
}

func (w *timeWindow) all(now Instant) iter.Seq[Tally] {
	return func(yield func(Tally) bool) {
		w.expire(now)
		for _, t := range w.moments[w.first:] {
			if !yield(t) {
				return
			}
		}
	}
}
