package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/resgen-go/resgen/internal/column"
	"github.com/resgen-go/resgen/internal/overload"
)

func writeHead(out io.Writer, phases []overload.Phase) {
	about := fmt.Sprintf("%d clients call a dependency of %d servers that take 50 ms on average and go on working for callers that "+
		"have given up, after %v. Good answers, in percent of those that were possible, and the 99th percentile of their time. "+
		"The first %v of each phase don't count.", clients, phases[0].Servers, timeout, phases[0].Length-counted(phases[0]))
	fmt.Fprintf(out, "%s\n\n| %-24s |", column.Wrap(about, ""), "phase")
	for _, p := range policies {
		fmt.Fprintf(out, " %12s |", p.name)
	}
	fmt.Fprintf(out, "\n|%s|%s\n", strings.Repeat("-", 26), strings.Repeat(strings.Repeat("-", 13)+":|", len(policies)))
}

func writeRow(out io.Writer, phase overload.Phase, sides []*side, n int) {
	fmt.Fprintf(out, "| %-24s |", phase.Name)
	for _, s := range sides {
		s.mu.Lock()
		f := s.phases[n]
		s.mu.Unlock()
		fmt.Fprintf(out, " %3.0f %% %6s |", 100*f.share(phase), f.time())
	}
	fmt.Fprintln(out)
}

// time is the 99th percentile, as far as there is one.
func (f figures) time() string {
	if len(f.took) == 0 {
		return "–"
	}
	return fmt.Sprint(f.percentile(.99).Milliseconds(), " ms")
}

func writeFoot(out io.Writer) {
	fmt.Fprintln(out, "\n"+column.Wrap("This run does not show: clients that differ, more than one dependency, a network with loss, a dependency "+
		"that drops abandoned work (then a fixed size recovers by itself), and breakers, which end an overload too, by refusing all.", ""))
}
