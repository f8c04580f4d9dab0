package main

import (
	"fmt"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// claim is one part of what is claimed about isolation.
type claim struct {
	words string
	needs []role // the states of A whose cells decide
	pair  pair
	judge func(*results, policy) (ruling, string)
}

// pair is an endpoint under both partitions, which got the same requests at the
// same moments: one that suffers, and its control. A claim about the control
// itself has nothing that suffers.
type pair struct{ suffers, control func(cell) *load.Record }

var (
	oneAgainstEach = pair{func(c cell) *load.Record { return c.shared.b }, func(c cell) *load.Record { return c.split.b }}
	eachAgainstOne = pair{func(c cell) *load.Record { return c.split.a }, func(c cell) *load.Record { return c.shared.a }}
	itself         = pair{control: oneAgainstEach.control}
)

// decides reports whether the pools must have made the difference of the two,
// because the control was well or much better off.
func (p pair) decides(c cell) bool {
	control := bad(p.control(c).Total)
	return control <= 100-upFrom || p.suffers != nil && bad(p.suffers(c).Total)-control >= worseFrom
}

var claims = []claim{
	{"With one pool, a slow A makes /b fail", []role{slow}, oneAgainstEach, (*results).slowFails},
	{"With one pool, the errors of /b rise to the level of /a", []role{slow}, oneAgainstEach, (*results).errorsReachA},
	{"With one pool, a slow A makes /b slow", []role{slow}, oneAgainstEach, (*results).slowDelays},
	{"With one pool, p99 of /b rises to the level of /a", []role{slow}, oneAgainstEach, (*results).p99ReachesA},
	{"With one pool, /b is at the level of /a within a few timeout periods", []role{slow}, oneAgainstEach, (*results).soonAtA},
	{"With a pool each, a slow A leaves the good answers of /b within their reference", []role{slow}, itself, (*results).splitKeeps},
	{"With a pool each, a slow A leaves p99 of /b within its reference", []role{slow}, itself, (*results).splitKeepsP99},
	{"With a pool each, /a shows fast refusals instead of timeouts", []role{slow}, itself, (*results).refusesFast},
	{"With one pool, an A that is down harms /b far less than a slow one", []role{slow, failing}, oneAgainstEach, (*results).deadHarmsLess},
	{"A pool each costs /a nothing while A is well", []role{well}, eachAgainstOne, (*results).splitIsFree},
}

func (r *results) slowFails(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.shared, "shared"); why != "" {
		return undecided, why
	}
	share, _ := c.shared.b.Total.Percent(load.OK)
	return between(share, downTo, stillUp),
		fmt.Sprintf("/b %s ok, with a pool each %s", okText(c.shared.b), okText(c.split.b))
}

func (r *results) errorsReachA(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.shared, "shared"); why != "" {
		return undecided, why
	}
	a, b := bad(c.shared.a.Total), bad(c.shared.b.Total)
	figures := fmt.Sprintf("bad answers: /b %.0f %%, /a %.0f %%; with a pool each /b %.0f %%, in the reference %.0f %%",
		b, a, bad(c.split.b.Total), bad(r.cell(reference, p).shared.b.Total))
	switch {
	case a < 100-stillUp:
		return undecided, figures + ": /a hardly fails"
	case b <= 100-stillUp:
		return unsupported, figures
	case b < 100-downTo:
		return middling, figures
	}
	return between(-b/a, -levelFrom, -farTo), figures
}

func (r *results) slowDelays(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.shared, "shared"); why != "" {
		return undecided, why
	}
	took, known := c.shared.b.Total.Quantile(0.5, load.OK)
	usual, usually := c.split.b.Total.Quantile(0.5, load.OK)
	if !known || !usually {
		return undecided, "/b has no good answers to compare"
	}
	return between(-harmOf(c).times, -lateFrom, -sameTo),
		fmt.Sprintf("p50 of good answers of /b %s, with a pool each %s", timeText(took), timeText(usual))
}

func (r *results) p99ReachesA(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.shared, "shared"); why != "" {
		return undecided, why
	}
	a, b, usual := p99(c.shared.a.Total), p99(c.shared.b.Total), p99(c.split.b.Total)
	figures := fmt.Sprintf("p99 of all answers: /b %s, /a %s; with a pool each /b %s, in the reference %s",
		timeText(b), timeText(a), timeText(usual), timeText(p99(r.cell(reference, p).shared.b.Total)))
	if b < sameTo*usual {
		return unsupported, figures
	}
	return between(-b.Seconds()/a.Seconds(), -levelFrom, -farTo), figures
}

func (r *results) soonAtA(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.shared, "shared"); why != "" {
		return undecided, why
	}
	byErrors, byTime := r.meets(c, errorsMeet), r.meets(c, timesMeet)
	figures := fmt.Sprintf("errors %v; p99 %v", byErrors, byTime)
	if first := min(byErrors, byTime); first != never {
		return between(float64(first), fewPeriods, fewPeriods+1), figures
	}
	return unsupported, figures
}

func (r *results) splitKeeps(p policy) (ruling, string) {
	c, usual := r.cell(slow, p), r.cell(reference, p).split.b
	if why := r.scarce(c.split, "a"); why != "" {
		return undecided, why
	}
	share, _ := c.split.b.Total.Percent(load.OK)
	figures := fmt.Sprintf("/b %s ok, in the reference %s, while /a has %s", okText(c.split.b), okText(usual), okText(c.split.a))
	if bad(usual.Total) > 100-stillUp {
		return undecided, figures + ": /b fails with nothing faulty"
	}
	return between(-share, -upFrom, -stillUp), figures
}

func (r *results) splitKeepsP99(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.split, "a"); why != "" {
		return undecided, why
	}
	took, usual := p99(c.split.b.Total), p99(r.cell(reference, p).split.b.Total)
	figures := fmt.Sprintf("p99 of all answers of /b %s, in the reference %s", timeText(took), timeText(usual))
	rose := took - usual
	if rose <= r.timeout/20 { // nobody who waits for a timeout notices
		return supported, figures
	}
	if late := r.late(c); late >= rose/2 {
		return undecided, fmt.Sprintf("%s, but requests were sent up to %s late: the machine was busy", figures, timeText(late))
	}
	return between(took.Seconds()/usual.Seconds(), sameTo, lateFrom), figures
}

func (r *results) refusesFast(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.split, "a"); why != "" {
		return undecided, why
	}
	t := c.split.a.Total
	refused, timedOut := t.Count(load.Refused), t.Count(load.TimedOut)
	figures := fmt.Sprintf("/a: %d refused (p50, p99 %s), %d timed out; good answers %s",
		refused, quantilesText(t, load.Refused), timedOut, quantilesText(t, load.OK))
	half, _ := t.Quantile(0.5, load.Refused)
	fast := r.timeout / fastPart
	switch {
	case refused+timedOut == 0:
		return undecided, figures + ": /a lost nothing"
	case timedOut > refused || half > fast:
		return unsupported, figures
	case most(t, load.Refused) > fast || timedOut > refused/20:
		return middling, figures
	}
	return supported, figures
}

func (r *results) deadHarmsLess(p policy) (ruling, string) {
	bySlow, byDead := harmOf(r.cell(slow, p)), harmOf(r.cell(failing, p))
	figures := fmt.Sprintf("down: %v; slow: %v", byDead, bySlow)
	switch {
	case bySlow.great() && byDead.little():
		return supported, figures
	case bySlow.great() && byDead.great():
		return unsupported, figures
	case bySlow.little():
		return undecided, figures + ": not even a slow one harms"
	}
	return middling, figures
}

func (r *results) splitIsFree(p policy) (ruling, string) {
	c := r.cell(well, p)
	common, _ := c.shared.a.Total.Percent(load.OK)
	own, _ := c.split.a.Total.Percent(load.OK)
	figures := fmt.Sprintf("/a %s ok, with one pool %s", okText(c.split.a), okText(c.shared.a))
	if common < stillUp {
		return undecided, figures + ": even one pool is too small"
	}
	return between(common-own, sameTo, worseFrom), figures
}

// between supports a claim for figures up to the first bound and not from the
// second on.
func between(figure, yesTo, noFrom float64) ruling {
	switch {
	case figure <= yesTo:
		return supported
	case figure >= noFrom:
		return unsupported
	}
	return middling
}
