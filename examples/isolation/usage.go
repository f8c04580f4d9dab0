package main

import (
	"fmt"
	"strings"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// usage is how a pool was used after the warm-up.
type usage struct {
	pool          string
	size          int
	mean          float64 // permits in use
	full          float64 // percent of the readings in which all were
	queue         int     // the most calls that waited, of the readings
	refused, sent int     // requests
}

// usage sums up the gauges of a pool, and what became of the requests that asked
// it.
func (e experiment) usage(s side, key string) usage {
	u := usage{pool: e.pools.of(key).name}
	var inUse mean
	full := 0
	for _, g := range s.gauges {
		if g.At < e.warmUp {
			continue
		}
		now := g.Pools[key]
		u.size = now.MaxConcurrentCalls
		u.queue = max(u.queue, now.Waiting)
		inUse.add(now.InUse)
		if now.InUse >= now.MaxConcurrentCalls {
			full++
		}
	}
	u.mean, u.full = inUse.value(), 100*float64(full)/float64(inUse.n)
	for _, r := range s.asking(key) {
		u.refused += r.Total.Count(load.Refused)
		u.sent += r.Total.Sent()
	}
	return u
}

// asking are the records of the endpoints whose requests take permits of a pool.
func (s side) asking(key string) []*load.Record {
	switch key {
	case "a":
		return []*load.Record{s.a}
	case "b":
		return []*load.Record{s.b}
	}
	return []*load.Record{s.a, s.b}
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

// outFrom is the share of the readings from which on a pool counts as run out,
// where nothing else proves it.
const outFrom = 5 // percent

// ranOut reports whether the pool had too few permits. Gauges are read now and
// then and may miss it; a refusal and a call that waits are proof.
func (u usage) ranOut() bool { return u.refused > 0 || u.queue > 0 || u.full >= outFrom }

// String says how it ran out.
func (u usage) String() string {
	var signs []string
	if u.refused > 0 {
		signs = append(signs, fmt.Sprintf("%d of %d requests refused", u.refused, u.sent))
	}
	if u.queue > 0 {
		signs = append(signs, fmt.Sprintf("up to %d waiting", u.queue))
	}
	signs = append(signs, fmt.Sprintf("all %d in use %.0f %% of the time", u.size, u.full))
	return fmt.Sprintf("permits of %s (%s)", u.pool, strings.Join(signs, ", "))
}

// ranOut names what a side had too little of.
func (e experiment) ranOut(s side, pools ...string) string {
	var out []string
	for _, pool := range pools {
		if u := e.usage(s, pool); u.ranOut() {
			out = append(out, u.String())
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
