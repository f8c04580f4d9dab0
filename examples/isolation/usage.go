package main

import (
	"fmt"
	"strings"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// usage is how a pool was used after the warm-up.
type usage struct {
	pool  string
	size  int
	mean  float64 // permits in use
	full  float64 // percent of the time in which all were
	queue int     // the most calls that waited
}

// usage sums up the gauges of a pool.
func (e experiment) usage(s side, pool string) usage {
	u := usage{pool: pool}
	var inUse mean
	full := 0
	for _, g := range s.gauges {
		if g.At < e.warmUp {
			continue
		}
		now := g.Pools[pool]
		u.size = now.MaxConcurrentCalls
		u.queue = max(u.queue, now.Waiting)
		inUse.add(now.InUse)
		if now.InUse >= now.MaxConcurrentCalls {
			full++
		}
	}
	u.mean, u.full = inUse.value(), 100*float64(full)/float64(inUse.n)
	return u
}

// serving is how many goroutines served requests of /a and /b at most.
func (e experiment) serving(s side) (a, b int) {
	for _, g := range s.gauges {
		if g.At >= e.warmUp {
			a, b = max(a, g.ServingA), max(b, g.ServingB)
		}
	}
	return a, b
}

// outFrom is the share of the time from which on a pool counts as run out.
const outFrom = 5 // percent

func (u usage) ranOut() bool { return u.full >= outFrom }

// ranOut names what a side had too little of.
func (e experiment) ranOut(s side, pools ...string) string {
	var out []string
	for _, pool := range pools {
		if u := e.usage(s, pool); u.ranOut() {
			out = append(out, fmt.Sprintf("permits of %s (all %d in use %.0f %% of the time)", u.pool, u.size, u.full))
		}
	}
	if n := count(s, load.TimedOut); n > 0 {
		out = append(out, fmt.Sprintf("time (timed out: %d)", n))
	}
	if n := count(s, load.Failed); n > 0 {
		out = append(out, fmt.Sprintf("the dependency (errors: %d)", n))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

func count(s side, k load.Kind) int { return s.a.Total.Count(k) + s.b.Total.Count(k) }
