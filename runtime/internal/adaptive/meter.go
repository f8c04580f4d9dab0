package adaptive

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A window begins where the one before ended, and the first with the first call. It
// ends with a call, after at least the shortest time and with at least the fewest
// samples. One that is older than the longest time says nothing about now, and is
// dropped.
const (
	shortest = time.Second
	longest  = 30 * time.Second
	fewest   = 10
)

// mostFailed is the share of failures in a window above which the limit does not
// grow, and mostLate that of calls cut off above which it shrinks.
const (
	mostFailed = .10
	mostLate   = .01
)

// Meter collects the durations of calls until a window is full. Its methods are
// safe for concurrent use; all but the one call that ends a window take no lock.
//
// Buckets grow by an eighth of a power of two and are counted from the target, so
// that each holds durations either up to the target or above it. A percentile is
// exact to 7 %.
type Meter struct {
	target  time.Duration
	inverse float64      // of the target
	began   atomic.Int64 // of the window; 0: no call has ended yet
	late    atomic.Uint32
	failed  atomic.Uint32
	full    atomic.Bool
	buckets [buckets]atomic.Uint32

	mu sync.Mutex // of whoever ends a window
}

const (
	parts   = 8 // of each power of two
	partBit = 3
	octaves = 16
	buckets = octaves * parts

	mantissa = 52
)

// lowest is the first bucket in the bits of a float64: a 4096th of the target.
var lowest = int(math.Float64bits(1.0/4096) >> (mantissa - partBit))

// NewMeter makes a meter for a target, in nanoseconds above 0.
func NewMeter(target time.Duration) *Meter {
	return &Meter{target: target, inverse: 1 / float64(target)}
}

// Target is the duration that the meter's buckets are counted from.
func (m *Meter) Target() time.Duration { return m.target }

// Fill says that somebody was refused or waited, or that no permit is left.
func (m *Meter) Fill() {
	if !m.full.Load() {
		m.full.Store(true)
	}
}

// Fail counts a call whose duration says nothing, because it failed by itself.
func (m *Meter) Fail() { m.failed.Add(1) }

// Add counts a call that ended now, in nanoseconds above 0 of some monotonic
// clock. It returns the window if that was its last call.
func (m *Meter) Add(now int64, took time.Duration, late bool) (w Window, ended bool) {
	began := m.began.Load()
	if began == 0 || now-began > int64(longest) {
		began = m.begin(now)
	}
	m.buckets[m.bucket(took)].Add(1)
	if late {
		m.late.Add(1)
	}
	if now-began < int64(shortest) {
		return Window{}, false
	}
	return m.end(now)
}

// bucket is that of a duration.
func (m *Meter) bucket(took time.Duration) int {
	ratio := float64(took-1) * m.inverse // the target itself is below 1
	if ratio <= 0 {
		return 0
	}
	return min(max(int(math.Float64bits(ratio)>>(mantissa-partBit))-lowest, 0), buckets-1)
}

// middle is the duration that stands for a bucket's.
func (m *Meter) middle(bucket int) time.Duration {
	edge := func(n int) float64 { return math.Float64frombits(uint64(lowest+n) << (mantissa - partBit)) }
	return time.Duration(float64(m.target) * math.Sqrt(edge(bucket)*edge(bucket+1)))
}

// begin begins the first window, or one in place of an old one, unless another call
// has.
func (m *Meter) begin(now int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	began := m.began.Load()
	if began > 0 && now-began <= int64(longest) {
		return began
	}
	if began > 0 {
		m.clear()
	}
	m.began.Store(now)
	return now
}

// end ends the window if it has samples enough and no other call has ended it.
func (m *Meter) end(now int64) (Window, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	samples := 0
	for i := range m.buckets {
		samples += int(m.buckets[i].Load())
	}
	if samples < fewest || now-m.began.Load() < int64(shortest) {
		return Window{}, false
	}
	failed := float64(m.failed.Load())
	w := Window{
		P90:    m.percentile(samples),
		Late:   float64(m.late.Load()) > mostLate*float64(samples),
		Full:   m.full.Load(),
		Unwell: failed > mostFailed*(failed+float64(samples)),
	}
	m.clear()
	m.began.Store(now)
	return w, true
}

// percentile is the duration that nine of ten samples don't exceed.
func (m *Meter) percentile(samples int) time.Duration {
	left := (9*samples + 9) / 10
	for i := range m.buckets {
		if left -= int(m.buckets[i].Load()); left <= 0 {
			return m.middle(i)
		}
	}
	return m.middle(buckets - 1) // calls that ended since were counted, too
}

// clear begins the next window's counts. Calls that end meanwhile may count in
// either window.
func (m *Meter) clear() {
	for i := range m.buckets {
		m.buckets[i].Store(0)
	}
	m.late.Store(0)
	m.failed.Store(0)
	m.full.Store(false)
}
