package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/internal/words"
)

// okText is the share of good answers, with a decimal where there are so many
// requests that it means something. Only all of them are 100 %, and none is 0 %.
func okText(r *load.Record) string {
	share, known := r.Total.Percent(load.OK)
	if !known {
		return "–"
	}
	decimals, step := 0, 1.0
	if r.Total.Sent() >= 1000 {
		decimals, step = 1, 0.1
	}
	if share > 0 && share < 100 {
		share = min(max(share, step), 100-step)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.*f", decimals, share), ".0") + " %"
}

// timeText is a time with three digits and a space before its unit.
func timeText(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", 1000*d.Seconds())
}

// summary is the load and the pools.
func (e experiment) summary() string {
	ends := "a call times out after " + timeText(e.timeout)
	if e.unbounded {
		ends = "calls have no timeout, their callers give them " + timeText(e.timeout)
	}
	return fmt.Sprintf("%s/s to /a and as many to /b; %s; one pool of %s, or %s for A and %s for B",
		words.Count(e.rate, "request"), ends, words.Count(e.pools.shared.permits, "permit"), e.pools.a.text("a"), e.pools.b.text("b"))
}

// text is the number of permits, and the name where it is the user's.
func (p pool) text(usual string) string {
	if p.name == usual {
		return fmt.Sprint(p.permits)
	}
	return fmt.Sprintf("%d (%s)", p.permits, p.name)
}
