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
	middling         // undecided, because the figures lie between the margins
	supported
	unsupported
)

// String is the ruling as the report words it.
func (r ruling) String() string {
	return [...]string{"not decidable", "not decidable", "supported", "not supported"}[r]
}

// verdict is a ruling on a claim under one policy, and the figures for it, or the
// reason why there is none.
type verdict struct {
	claim  string
	policy policy
	ruling ruling
	why    string
}

// The margins. What lies between is not decidable.
const (
	upFrom     = 99.0 // percent: /b is up
	downTo     = 85.0 // percent: /b is down
	stillUp    = 95.0 // percent: below the first, but not down
	sameTo     = 2.0  // points, or times as slow: no difference
	worseFrom  = 10.0 // points: a difference
	lateFrom   = 5.0  // times as slow: a difference
	levelFrom  = 0.5  // of /a's figure: at its level
	farTo      = 0.4  // of /a's figure: not at its level
	fewPeriods = 5    // timeout periods: few
	fastPart   = 5    // a refusal within this part of the timeout is fast
)

// judge looks at each claim under each policy.
func (r *results) judge() []verdict {
	var verdicts []verdict
	for _, c := range claims {
		for _, p := range r.policies {
			verdicts = append(verdicts, r.verdict(c, p))
		}
	}
	return verdicts
}

func (r *results) verdict(c claim, p policy) verdict {
	v := verdict{claim: c.words, policy: p}
	v.ruling, v.why = c.judge(r, p)
	if v.ruling == undecided {
		return v
	}
	if doubt := r.doubt(c, p); doubt != "" {
		v.ruling, v.why = undecided, fmt.Sprintf("%s (%s)", doubt, v.why)
	} else if v.ruling == middling {
		v.why += ": between the margins"
	}
	return v
}

// doubt says why something else than the pools may have made the figures of a
// claim; it is empty where there is no reason for it. Where the paired control
// decides there is none, however busy the machine was: both services shared it.
func (r *results) doubt(c claim, p policy) string {
	for _, role := range c.needs {
		cell := r.cell(role, p)
		if r.sideBySide && c.pair.decides(cell) {
			continue
		}
		if why := r.unfit(cell); why != "" {
			return cell.state.title + ": " + why
		}
	}
	return ""
}

// unfit says why a cell can't decide anything by itself: the load was not what it
// should have been. It is empty where it was.
func (r *results) unfit(c cell) string {
	for _, record := range c.records() {
		if offered := record.Offered(); offered < 0.95*float64(r.rate) {
			return fmt.Sprintf("only %.3g requests/s were sent", offered)
		}
	}
	return r.crowded(c.split.b, r.late(c))
}

// late is by how much requests of a cell were sent late.
func (r *results) late(c cell) time.Duration {
	var late time.Duration
	for _, record := range c.records() {
		late = max(late, record.Late())
	}
	return late
}

func (c cell) records() []*load.Record {
	return []*load.Record{c.shared.a, c.shared.b, c.split.a, c.split.b}
}

// crowded says why calls to B fill its pool by themselves, whatever A does: so
// many come at once after the generator was held up, or they take so long. It is
// empty where they don't.
func (e experiment) crowded(b *load.Record, late time.Duration) string {
	takes := most(b.Total, load.OK)
	if (late+takes).Seconds()*float64(e.rate) < float64(e.pools.b.permits) {
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
	return fmt.Sprintf("the permits of %s never ran out (%.1f of %d in use on average): the load is too low", u.pool, u.mean, u.size)
}

// bad is the percentage of the answers that were not good.
func bad(t *load.Tally) float64 {
	share, known := t.Percent(load.OK)
	if !known {
		return 0
	}
	return 100 - share
}

// p99 is that of all answers, whatever their kind.
func p99(t *load.Tally) time.Duration { return most(t, load.Kinds...) }

// most is how long 99 % of the answers of some kinds took at most.
func most(t *load.Tally, kinds ...load.Kind) time.Duration {
	took, _ := t.Quantile(0.99, kinds...)
	return took
}

// errorsMeet reports whether /b fails, at the level of /a and not with a pool of
// its own.
func errorsMeet(a, b, control *load.Tally) bool {
	return bad(b) >= 100-downTo && bad(b) >= levelFrom*bad(a) && bad(b)-bad(control) >= worseFrom
}

// timesMeet is the same by p99.
func timesMeet(a, b, control *load.Tally) bool {
	return p99(b) >= sameTo*p99(control) && p99(b).Seconds() >= levelFrom*p99(a).Seconds()
}

// periods is a time in timeouts.
type periods float64

// never is more than all that was measured.
const never = periods(math.MaxFloat64)

func (p periods) String() string {
	if p == never {
		return "never"
	}
	if p == 1 {
		return "after 1 timeout period"
	}
	return fmt.Sprintf("after %.2g timeout periods", float64(p))
}

// meets returns how long after the state began the answers of /b on the one pool
// were at the level of those of /a for the first time: the end of a slice.
func (e experiment) meets(c cell, level func(a, b, control *load.Tally) bool) periods {
	for i, b := range c.shared.b.Slices {
		from := time.Duration(i) * e.slice
		if from >= e.strikes && level(c.shared.a.Slices[i], b, c.split.b.Slices[i]) {
			return periods((from + e.slice - e.strikes).Seconds() / e.timeout.Seconds())
		}
	}
	return never
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
	took, known := c.shared.b.Total.Quantile(0.5, load.OK)
	if usual, usually := c.split.b.Total.Quantile(0.5, load.OK); known && usually {
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
