package main

import (
	"fmt"
	"math"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// ruling is what the figures of this run say about a claim.
type ruling uint8

const (
	undecided ruling = iota
	supported
	unsupported
)

// String is the ruling as the report words it.
func (r ruling) String() string {
	return [...]string{"not decidable at this load", "supported", "not supported"}[r]
}

// verdict is a ruling on a claim under one policy, and the figures for it.
type verdict struct {
	claim  string
	policy policy
	ruling ruling
	why    string
}

// The margins. What lies between is not decidable.
const (
	upFrom    = 99.0 // percent: /b is up
	downTo    = 85.0 // percent: /b is down
	stillUp   = 95.0 // percent: below the first, but not down
	sameTo    = 2.0  // points, or times as slow: no difference
	worseFrom = 10.0 // points: a difference
	lateFrom  = 5.0  // times as slow: a difference
)

// judge looks at each claim under each policy.
func (r *results) judge() []verdict {
	var verdicts []verdict
	for _, c := range claims {
		for _, p := range r.policies {
			v := verdict{claim: c.words, policy: p}
			if v.why = r.unfit(c.needs, p); v.why == "" {
				v.ruling, v.why = c.judge(r, p)
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

// unfit says why cells can't decide anything: the load was not what it should
// have been. It is empty where they can.
func (r *results) unfit(needs []role, p policy) string {
	for _, role := range needs {
		c := r.cell(role, p)
		var late time.Duration
		for _, record := range []*load.Record{c.shared.a, c.shared.b, c.split.a, c.split.b} {
			if offered := record.Offered(); offered < 0.95*float64(r.rate) {
				return fmt.Sprintf("%s: only %.3g requests/s were sent", c.state.title, offered)
			}
			late = max(late, record.Late())
		}
		if why := r.crowded(c.split.b, late); why != "" {
			return c.state.title + ": " + why
		}
	}
	return ""
}

// crowded says why calls to B fill its pool by themselves, whatever A does: so
// many come at once after the generator was held up, or they take so long. It is
// empty where they don't.
func (e experiment) crowded(b *load.Record, late time.Duration) string {
	takes, _ := b.Total.Quantile(0.99)
	if (late+takes).Seconds()*float64(e.rate) < float64(e.pools.b) {
		return ""
	}
	return fmt.Sprintf("requests came %s late and B took %s (p99), which fills its pool without A", timeText(late), timeText(takes))
}

// scarce says why a pool was not put to the test; it is empty where it was.
func (r *results) scarce(s side, pool string) string {
	u := r.usage(s, pool)
	if u.ranOut() {
		return ""
	}
	return fmt.Sprintf("the permits of %s never ran out (%.1f of %d in use on average): the load is too low", pool, u.mean, u.size)
}

// harm is what one pool costs /b against a pool of its own.
type harm struct {
	points float64 // percentage points of success
	times  float64 // as slow, by the median of good answers
}

func harmOf(c cell) harm {
	own, _ := c.split.b.Total.Percent(load.OK)
	common, _ := c.shared.b.Total.Percent(load.OK)
	h := harm{points: own - common, times: 1}
	took, known := c.shared.b.Total.Quantile(0.5)
	if usual, usually := c.split.b.Total.Quantile(0.5); known && usually {
		h.times = took.Seconds() / usual.Seconds()
	}
	return h
}

func (h harm) great() bool  { return h.points >= worseFrom || h.times >= lateFrom }
func (h harm) little() bool { return h.points <= sameTo && h.times <= sameTo }

// String is the harm in words.
func (h harm) String() string {
	points := math.Round(h.points) + 0 // the sum has no sign where it is zero
	return fmt.Sprintf("%.0f points fewer good answers, %.1f times as slow", points, h.times)
}
