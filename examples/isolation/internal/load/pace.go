package load

import (
	"math/rand/v2"
	"time"
)

// pace makes one request in each period, at a random moment of it. The rate is
// exact, and generators are out of phase with each other and with what they
// measure: at regular moments, one of two would always find the permit that has
// just come back, and the other never.
type pace struct {
	period   time.Duration
	requests uint64 // in all
	random   *rand.Rand
}

func newPace(p Plan, seed uint64) *pace {
	period := time.Second / time.Duration(p.Rate)
	return &pace{period, uint64(p.Lasts() / period), rand.New(rand.NewPCG(seed, 0))}
}

// Pace returns how long to wait before the next request. It is asked once for
// each. A request that is late is made at once.
func (p *pace) Pace(elapsed time.Duration, made uint64) (wait time.Duration, stop bool) {
	moment := time.Duration(float64(p.period) * (float64(made) + p.random.Float64()))
	return max(0, moment-elapsed), made >= p.requests
}

// Rate is the number of requests per second.
func (p *pace) Rate(time.Duration) float64 { return float64(time.Second) / float64(p.period) }
