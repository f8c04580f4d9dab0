package metrics

import (
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/durations"
)

// Step is a bucket of a histogram on an axis: how many calls took at most UpTo.
type Step struct {
	UpTo     time.Duration
	Count    uint64
	Exemplar *resilience.Exemplar // the latest of those above the step before; nil: none
}

// Steps are the buckets from 5 ms to 10.24 s. The calls that took longer are in none.
func Steps(c *resilience.CallsSnapshot) []Step {
	steps := make([]Step, len(durations.Steps))
	i := 0
	for n, upTo := range durations.Steps {
		step := &steps[n]
		step.UpTo = upTo
		if n > 0 {
			step.Count = steps[n-1].Count
		}
		for ; i < len(c.Buckets) && within(c.Buckets[i], upTo); i++ {
			step.Count += c.Buckets[i].Count
			step.Exemplar = later(step.Exemplar, c.Buckets[i].Exemplar)
		}
	}
	return steps
}

// Powers are the buckets whose bounds are powers of √2 in seconds.
type Powers struct {
	Zero   uint64        // calls that took at most Tiny
	First  int           // the bound of the first bucket is √2 to the First
	Counts []uint64      // without empty ones at the ends
	Tiny   time.Duration // the lowest bound
}

// Scale is that of Powers: Prometheus and OpenTelemetry call √2 the base of 1.
const Scale = 1

// PowersOf are the buckets of c. The calls that took more than 256 s are in the one
// up to 362 s.
func PowersOf(c *resilience.CallsSnapshot) Powers {
	p := Powers{Tiny: durations.Power(durations.Lowest)}
	i := 0
	for power := durations.Lowest; power <= durations.Highest+1; power++ {
		n := uint64(0)
		for ; i < len(c.Buckets) && (power > durations.Highest || within(c.Buckets[i], durations.Power(power))); i++ {
			n += c.Buckets[i].Count
		}
		switch {
		case power == durations.Lowest:
			p.Zero = n
		case n > 0 || len(p.Counts) > 0:
			if p.Counts == nil {
				p.First = power
			}
			p.Counts = append(p.Counts, n)
		}
	}
	for len(p.Counts) > 0 && p.Counts[len(p.Counts)-1] == 0 {
		p.Counts = p.Counts[:len(p.Counts)-1]
	}
	return p
}

func within(b resilience.Bucket, upTo time.Duration) bool {
	return b.UpTo > 0 && time.Duration(b.UpTo) <= upTo
}

func later(a, b *resilience.Exemplar) *resilience.Exemplar {
	if a == nil || b != nil && b.At.After(a.At) {
		return b
	}
	return a
}
