package fleet

import (
	"math"
	"math/rand/v2"
	"time"
)

// window is what a process counted in the last while, in buckets of a
// twenty-fourth of it.
type window struct {
	span    time.Duration
	buckets []bucket
}

type bucket struct {
	began           time.Time
	calls, failures int64
}

const buckets = 24

func (w *window) add(now time.Time, calls, failures int64) {
	if calls == 0 {
		return
	}
	began := now.Truncate(max(w.span/buckets, time.Millisecond))
	if n := len(w.buckets); n > 0 && !began.After(w.buckets[n-1].began) {
		w.buckets[n-1].calls += calls
		w.buckets[n-1].failures += failures
		return
	}
	w.buckets = append(w.buckets, bucket{began, calls, failures})
}

// sum forgets what has left the window.
func (w *window) sum(now time.Time) (calls, failures int64) {
	for len(w.buckets) > 0 && now.Sub(w.buckets[0].began) >= w.span {
		w.buckets = w.buckets[1:]
	}
	for _, b := range w.buckets {
		calls, failures = calls+b.calls, failures+b.failures
	}
	return calls, failures
}

// sample counts each of n successes with probability p, as 1/p.
func sample(n uint64, p float64) int64 {
	if p >= 1 {
		return int64(n)
	}
	taken, skip := 0, math.Log1p(-p)
	for left := float64(n); ; taken++ {
		left -= 1 + math.Floor(math.Log(1-rand.Float64())/skip) // successes up to the next one that is taken
		if left < 0 {
			return int64(math.Round(float64(taken) / p))
		}
	}
}
