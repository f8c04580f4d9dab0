package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Tally counts answers by kind and keeps how long the good ones took: refusals
// are quick, and would make a bad service look fast.
type Tally struct {
	counts [4]int
	took   *hdrhistogram.Histogram
}

// NewTally returns an empty one.
func NewTally() *Tally { return &Tally{took: newHistogram()} }

// Add counts an answer.
func (t *Tally) Add(k Kind, took time.Duration) {
	t.counts[k]++
	if k == OK {
		keep(t.took, took)
	}
}

// Count is the number of answers of a kind.
func (t *Tally) Count(k Kind) int { return t.counts[k] }

// Sent is the number of requests.
func (t *Tally) Sent() int {
	sent := 0
	for _, n := range t.counts {
		sent += n
	}
	return sent
}

// Percent is the share of a kind; false where nothing was sent.
func (t *Tally) Percent(k Kind) (float64, bool) {
	if t.Sent() == 0 {
		return 0, false
	}
	return 100 * float64(t.counts[k]) / float64(t.Sent()), true
}

// Quantile is how long good answers took at most, for the given part of them;
// false where there were none.
func (t *Tally) Quantile(part float64) (time.Duration, bool) {
	if t.counts[OK] == 0 {
		return 0, false
	}
	return quantile(t.took, part), true
}

// A histogram keeps times from a microsecond to a minute, within 1 %.
const longest = time.Minute

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), 2)
}

// keep can't fail: the value is within the limits of the histogram.
func keep(h *hdrhistogram.Histogram, d time.Duration) {
	h.RecordValue(min(d, longest).Microseconds())
}

func quantile(h *hdrhistogram.Histogram, part float64) time.Duration {
	return time.Duration(h.ValueAtQuantile(100*part)) * time.Microsecond
}
