package main

import (
	"fmt"
	"io"
)

const rowFormat = "%-26s %-33s %9s %9s    %9s %9s\n"

// writeHead and writeRow write how many answers were good, a row as soon as it
// is known.
func writeHead(out io.Writer, e experiment) {
	fmt.Fprintf(out, "%s.\n", e.summary())
	for _, note := range e.notes {
		fmt.Fprintf(out, "Note: %s.\n", note)
	}
	fmt.Fprint(out, "Good answers:\n\n")
	fmt.Fprintf(out, rowFormat, "", "", "one pool:", "", "a pool each:", "")
	fmt.Fprintf(out, rowFormat, "A", "policy", "/a", "/b", "/a", "/b")
}

func writeRow(out io.Writer, c cell) {
	fmt.Fprintf(out, rowFormat, c.state.title, oneLine(c.policy.title),
		okText(c.shared.a), okText(c.shared.b), okText(c.split.a), okText(c.split.b))
}

// writeVerdicts writes what the run says about each claim.
func writeVerdicts(out io.Writer, verdicts []verdict) {
	claim := ""
	for _, v := range verdicts {
		if v.claim != claim {
			claim = v.claim
			fmt.Fprintf(out, "\n%s:\n", claim)
		}
		fmt.Fprintf(out, "  %-33s %s: %s\n", oneLine(v.policy.title), v.ruling, v.why)
	}
}
