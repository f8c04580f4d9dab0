package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

// okText is the share of good answers. Only all of them are 100 %.
func okText(r *load.Record) string {
	share, known := r.Total.Percent(load.OK)
	switch {
	case !known:
		return "–"
	case share > 99.9 && share < 100:
		return "99.9 %"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", share), ".0") + " %"
}

// timeText is a time with three digits and a space before its unit.
func timeText(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", 1000*d.Seconds())
}

// oneLine is a title that was parted.
func oneLine(title string) string { return strings.ReplaceAll(title, "\n", " ") }

// summary is the load and the pools.
func (e experiment) summary() string {
	return fmt.Sprintf("%d requests/s to /a and as many to /b; a call times out after %s; one pool of %d permits, or %d for A and %d for B",
		e.rate, timeText(e.timeout), e.pools.shared, e.pools.a, e.pools.b)
}
