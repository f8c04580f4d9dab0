package main

import (
	"fmt"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// claim is one part of what is claimed about isolation.
type claim struct {
	words string
	needs []role // the states of A whose cells decide
	judge func(*results, policy) (ruling, string)
}

var claims = []claim{
	{"With one pool, a slow A makes /b fail", []role{slow}, (*results).slowFails},
	{"With one pool, a slow A makes /b slow", []role{slow}, (*results).slowDelays},
	{"A pool each keeps /b up while A is slow", []role{slow}, (*results).splitKeeps},
	{"With one pool, an A that is down harms /b far less than a slow one", []role{slow, failing}, (*results).deadHarmsLess},
	{"A pool each costs /a nothing while A is well", []role{well}, (*results).splitIsFree},
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

func (r *results) slowDelays(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.shared, "shared"); why != "" {
		return undecided, why
	}
	took, known := c.shared.b.Total.Quantile(0.5)
	usual, usually := c.split.b.Total.Quantile(0.5)
	if !known || !usually {
		return undecided, "/b has no good answers to compare"
	}
	return between(-harmOf(c).times, -lateFrom, -sameTo),
		fmt.Sprintf("p50 of /b %s, with a pool each %s", timeText(took), timeText(usual))
}

func (r *results) splitKeeps(p policy) (ruling, string) {
	c := r.cell(slow, p)
	if why := r.scarce(c.split, "a"); why != "" {
		return undecided, why
	}
	share, _ := c.split.b.Total.Percent(load.OK)
	return between(-share, -upFrom, -stillUp),
		fmt.Sprintf("/b %s ok, while /a has %s", okText(c.split.b), okText(c.split.a))
}

func (r *results) deadHarmsLess(p policy) (ruling, string) {
	bySlow, byDead := harmOf(r.cell(slow, p)), harmOf(r.cell(failing, p))
	figures := fmt.Sprintf("down: %v; slow: %v", byDead, bySlow)
	switch {
	case bySlow.great() && byDead.little():
		return supported, figures
	case bySlow.great() && byDead.great():
		return unsupported, figures
	}
	return undecided, figures
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
// second on; those between decide nothing.
func between(figure, yesTo, noFrom float64) ruling {
	switch {
	case figure <= yesTo:
		return supported
	case figure >= noFrom:
		return unsupported
	}
	return undecided
}
