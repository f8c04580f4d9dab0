package main

import (
	"fmt"
	"io"
	"time"

	"github.com/resgen-go/resgen/internal/column"
)

// atBest is how many entries per second the pool can serve if no permit is ever
// idle and no call is wasted.
const atBest = pool * float64(time.Second) / float64(callsPerEntry*(shortest+longest)/2)

// bestPercent is the share of the entries that can go well at a rate.
func bestPercent(rate float64) float64 { return 100 * min(1, atBest/rate) }

func writeHead(out io.Writer, over time.Duration) {
	about := fmt.Sprintf("An entry makes %d calls in parallel, of %d to %d ms each, on a pool of %d permits, without waiting. "+
		"At best the pool serves %g entries/s. Entries come at random (Poisson), the same to both sides, for %v a rate.",
		callsPerEntry, shortest.Milliseconds(), longest.Milliseconds(), pool, atBest, over)
	fmt.Fprintf(out, "%s\n\n", column.Wrap(about, ""))
	fmt.Fprintln(out, "| entries/s | entries | at best | plain: ok | wasted | preload=5: ok | wasted |")
	fmt.Fprintln(out, "|----------:|--------:|--------:|----------:|-------:|--------------:|-------:|")
}

func writeRow(out io.Writer, r row) {
	fmt.Fprintf(out, "| %9g | %7d | %5.0f %% | %7.1f %% | %4.0f %% | %11.1f %% | %4.0f %% |\n",
		r.rate, r.plain.entries, bestPercent(r.rate),
		r.plain.okPercent(), r.plain.wastedPercent(),
		r.preload.okPercent(), r.preload.wastedPercent())
}

func writeFoot(out io.Writer) {
	fmt.Fprintf(out, "\nok: entries with all %d calls answered, of those offered.\n", callsPerEntry)
	fmt.Fprintln(out, "wasted: calls that reached the dependency for entries that then failed,\nof all that reached it.")
}
