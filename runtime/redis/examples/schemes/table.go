package main

import (
	"fmt"
	"strings"
)

// table shows the rows as Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("Twenty processes, 40 % failures, threshold 50 % over 2 m. Left at 1000, right at 100000 calls a minute.\n\n")
	b.WriteString("| scheme | writes/s | server CPU | rate off by | false outages in 10 min | outage seen after | writes/s | server CPU | rate off by |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %.1f | %.2f %% | %.2f | %.2f | %.0f s | %.0f | %.1f %% | %.2f |\n", r.name,
			r.few.writes, r.few.cpu, r.few.error, r.few.wrong, r.few.detect, r.many.writes, r.many.cpu, r.many.error)
	}
	return b.String()
}
