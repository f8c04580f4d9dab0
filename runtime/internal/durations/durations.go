// Package durations counts how long calls took, in buckets whose bounds never
// change, without a lock.
//
// The bounds are those of two rulers, so that exporters have both exactly: Steps,
// which double from 5 ms on, as people put them on an axis, and the powers of √2 in
// seconds, which is what Prometheus calls a native histogram of schema 1 and
// OpenTelemetry an exponential one of scale 1.
package durations

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
)

// The powers of √2 that are bounds: from 2⁻¹⁷ s, some 8 µs, to 2⁸ s, 256 s.
const (
	Lowest  = -34
	Highest = 16
)

// Power is √2 to the n, in seconds.
func Power(n int) time.Duration {
	return time.Duration(math.Exp2(float64(n)/2) * float64(time.Second)) // rounded down, which no duration notices
}

// Steps double from 5 ms to 10.24 s.
var Steps = func() (all [12]time.Duration) {
	for i := range all {
		all[i] = 5 * time.Millisecond << i
	}
	return all
}()

// bounds are the longest durations of all buckets but the last.
var bounds = func() (all [buckets - 1]time.Duration) {
	n := copy(all[:], Steps[:])
	for power := Lowest; power <= Highest; power++ {
		all[n] = Power(power)
		n++
	}
	slices.Sort(all[:])
	return all
}()

const buckets = len(Steps) + Highest - Lowest + 2

// first is the first bucket for a duration of so many bits.
var first = func() (all [65]uint8) {
	for length := range all {
		shortest := uint64(1) << max(0, length-1)
		for int(all[length]) < len(bounds) && uint64(bounds[all[length]]) < shortest {
			all[length]++
		}
	}
	return all
}()

// bucket is the one of a duration.
func bucket(d time.Duration) int {
	d = max(d, 0)
	i := int(first[bits.Len64(uint64(d))])
	for i < len(bounds) && bounds[i] < d { // at most four are of one length
		i++
	}
	return i
}

// Histogram counts durations. The zero value is empty. It is safe for concurrent use.
type Histogram struct {
	counts    [buckets]atomic.Uint64
	sum       atomic.Int64
	exemplars atomic.Pointer[[buckets]atomic.Pointer[Exemplar]]
}

// Exemplar is one of the durations of a bucket.
type Exemplar struct {
	Trace string // by which tracing knows the call
	Took  time.Duration
	At    time.Time

	ended int64
}

// Add counts a duration.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucket(d)].Add(1)
	h.sum.Add(int64(d))
}

// An exemplar stays for so long, so that a busy bucket does not ask for one at each
// call.
const stays = int64(time.Second)

// Exemplify asks trace for an exemplar of the bucket of a duration that ended now, in
// nanoseconds of a monotonic clock, unless there is a fresh one.
func (h *Histogram) Exemplify(d time.Duration, now int64, trace func() (id string, ok bool)) {
	all := h.exemplars.Load()
	if all == nil {
		h.exemplars.CompareAndSwap(nil, new([buckets]atomic.Pointer[Exemplar]))
		all = h.exemplars.Load()
	}
	at := &all[bucket(d)]
	if old := at.Load(); old != nil && now-old.ended < stays {
		return
	}
	if id, ok := trace(); ok {
		at.Store(&Exemplar{id, d, time.Now(), now})
	}
}

// Bucket is the durations above the bound of the bucket before.
type Bucket struct {
	UpTo     time.Duration // 0: the longest
	Count    uint64
	Exemplar *Exemplar // nil: none
}

// Snapshot returns the buckets that have durations, the shortest first, and the sum
// of these. A duration that comes meanwhile may be in one of both only.
func (h *Histogram) Snapshot() (filled []Bucket, sum time.Duration) {
	exemplars := h.exemplars.Load()
	for i := range h.counts {
		b := Bucket{Count: h.counts[i].Load()}
		if b.Count == 0 {
			continue
		}
		if i < len(bounds) {
			b.UpTo = bounds[i]
		}
		if exemplars != nil {
			b.Exemplar = exemplars[i].Load()
		}
		filled = append(filled, b)
	}
	return filled, time.Duration(h.sum.Load())
}
