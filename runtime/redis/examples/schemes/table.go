package main

import (
	"fmt"
	"strings"
)

// table shows the rows as Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| scheme | a broken host of 60 holds all | a bad zone of 40 % does | sudden death: held after | failed calls by then | writes/s while all is well |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %.0f %% of the time | %.0f %% | %.1f s | %d | %.1f |\n", r.name, r.host, r.zone, r.hold, r.failed, r.writes)
	}
	return b.String()
}
