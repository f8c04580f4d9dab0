package main

import (
	"fmt"
	"strings"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// endpointTable says something about each endpoint in each cell.
func (r *results) endpointTable(says func(*load.Record) string) *table {
	t := &table{head: []string{"A", "policy", "/a, one pool", "/b, one pool", "/a, a pool each", "/b, a pool each"}}
	for _, c := range r.cells {
		t.add(c.state.title, c.policy.title, says(c.shared.a), says(c.shared.b), says(c.split.a), says(c.split.b))
	}
	return t
}

// kindsText counts the bad answers by kind: refused, timed out, failed.
func kindsText(r *load.Record) string {
	return fmt.Sprintf("%d, %d, %d", r.Total.Count(load.Refused), r.Total.Count(load.TimedOut), r.Total.Count(load.Failed))
}

// spreadText is how long answers of a kind took.
func spreadText(k load.Kind) func(*load.Record) string {
	return func(r *load.Record) string { return quantilesText(r.Total, k) }
}

// quantilesText is the p50 and p99 of answers of a kind.
func quantilesText(t *load.Tally, k load.Kind) string {
	half, known := t.Quantile(0.5, k)
	if !known {
		return "–"
	}
	return timeText(half) + ", " + timeText(most(t, k))
}

// sentText is the rate that was really offered, and by how much it came late.
func sentText(r *load.Record) string {
	return fmt.Sprintf("%.3g/s, %s", r.Offered(), timeText(r.Late()))
}

// verdictTable says what the run says about each claim.
func verdictTable(verdicts []verdict) *table {
	t := &table{head: []string{"claim", "policy", "this run", "figures"}}
	for _, v := range verdicts {
		t.add(v.claim, v.policy.title, "**"+v.ruling.String()+"**", v.why)
	}
	return t
}

// resourceTable says what each side of each cell held, and what ran out.
func (r *results) resourceTable() *table {
	t := &table{head: []string{"A", "policy", "permits", "in use, mean", "waiting, most", "goroutines /a, /b, most", "what ran out"}}
	for _, c := range r.cells {
		t.add(r.resources(c, c.shared, "one pool", "shared")...)
		t.add(r.resources(c, c.split, "a pool each", "a", "b")...)
	}
	return t
}

func (r *results) resources(c cell, s side, partition string, pools ...string) []string {
	var used, queued []string
	for _, pool := range pools {
		u := r.usage(s, pool)
		used = append(used, fmt.Sprintf("%s %.1f of %d", u.pool, u.mean, u.size))
		queued = append(queued, fmt.Sprintf("%s %d", u.pool, u.queue))
	}
	a, b := r.serving(s)
	return []string{c.state.title, c.policy.title, partition,
		strings.Join(used, ", "), strings.Join(queued, ", "), fmt.Sprintf("%d, %d", a, b), r.ranOut(s, pools...)}
}
