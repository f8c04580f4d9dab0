package main

import (
	"fmt"
	"io"

	"github.com/resgen-go/resgen/internal/column"
)

const rowFormat = "  %-33s %9s %7s   %12s %7s\n"

// writeHead, writeState and writeRow write how many answers were good, a row as
// soon as it is known.
func writeHead(out io.Writer, e experiment) {
	fmt.Fprintln(out, column.Wrap(e.summary()+".", ""))
	for _, note := range e.notes {
		fmt.Fprintln(out, column.Wrap("Note: "+note+".", "  "))
	}
	fmt.Fprint(out, "Good answers:\n\n")
	fmt.Fprintf(out, "  %-33s %9s %23s\n", "", "one pool:", "a pool each:")
	fmt.Fprintf(out, rowFormat, "", "/a", "/b", "/a", "/b")
}

func writeState(out io.Writer, s state) { fmt.Fprintln(out, s.title) }

func writeRow(out io.Writer, c cell) {
	fmt.Fprintf(out, rowFormat, c.policy.title,
		okText(c.shared.a), okText(c.shared.b), okText(c.split.a), okText(c.split.b))
}

// writeVerdicts writes what the run says about each claim.
func writeVerdicts(out io.Writer, verdicts []verdict) {
	claim := ""
	for _, v := range verdicts {
		if v.claim != claim {
			claim = v.claim
			fmt.Fprintf(out, "\n%s\n", column.Wrap(claim+":", "  "))
		}
		text := fmt.Sprintf("- %s: %s; %s", v.policy.title, v.ruling, v.why)
		fmt.Fprintln(out, column.Wrap(text, "  "))
	}
}
