package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Tally counts answers by kind and keeps how long those of each kind took:
// refusals are quick, and together with the good answers they would make a bad
// service look fast.
type Tally struct {
	counts [4]int
	took   [4]*hdrhistogram.Histogram // nil: no answer of this kind yet
}

// NewTally returns an empty one.
func NewTally() *Tally { return new(Tally) }

// Add counts an answer.
func (t *Tally) Add(k Kind, took time.Duration) {
	t.counts[k]++
	if t.took[k] == nil {
		t.took[k] = newHistogram()
	}
	keep(t.took[k], took)
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

// Quantile is how long answers of these kinds took at most, for the given part
// of them; false where there were none.
func (t *Tally) Quantile(part float64, kinds ...Kind) (time.Duration, bool) {
	all, n := newHistogram(), 0
	for _, k := range kinds {
		if t.took[k] != nil {
			all.Merge(t.took[k])
			n += t.counts[k]
		}
	}
	return quantile(all, part), n > 0
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
