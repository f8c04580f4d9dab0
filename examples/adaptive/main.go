// Command adaptive measures what a size that follows the dependency is worth: ten
// clients overload a dependency that goes on working for callers that have given up,
// once with a fixed bulkhead, once with "limit": "ADAPTIVE", once with failsafe-go's
// adaptive limiter and once with a semaphore.
//
//	go run ./examples/adaptive [-out folder] [-quick]
//
// Everything is real and on loopback: HTTP servers with workers and a queue, HTTP
// clients with a registry each, calls that come when they come, the same to all four
// at the same moments. The table goes to the standard output, a row as soon as it is
// measured; the chart goes to a temporary folder or the one of -out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
)

func main() {
	out := flag.String("out", filepath.Join(os.TempDir(), "resgen-examples"), "a `folder`, made if need be, for the chart adaptive.svg; empty: no chart")
	quick := flag.Bool("quick", false, "three phases in half a minute, with rough figures; fails where the claim does not hold")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "adaptive: there are no arguments")
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, schedule(*quick), *out, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "adaptive:", err)
		os.Exit(1)
	}
}

// schedule are the phases: those of the model but the one with next to no load,
// shortened.
func schedule(quick bool) []overload.Phase {
	all := overload.Phases(size)
	phases := append(all[:6:6], all[7])
	length := 25 * time.Second
	if quick {
		phases, length = []overload.Phase{all[0], all[1], all[2]}, 12*time.Second
	}
	for i := range phases {
		phases[i].Length = length
	}
	return phases
}

// run plays the phases on all sides and writes what came of it. When ctx is done
// before the end, the phase that is under way and the chart are left out.
func run(ctx context.Context, phases []overload.Phase, folder string, out io.Writer) error {
	if folder != "" { // fail now rather than after three minutes
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	var sides []*side
	defer func() {
		for _, s := range sides {
			s.stop()
		}
	}()
	for _, p := range policies {
		s, err := startSide(p, phases[0])
		if err != nil {
			return err
		}
		sides = append(sides, s)
	}
	writeHead(out, phases)
	if err := play(ctx, phases, sides, func(n int) { writeRow(out, phases[n], sides, n) }); err != nil {
		fmt.Fprintln(out, "\nInterrupted: what was not measured to its end is left out.")
		return nil
	}
	writeFoot(out)
	return errors.Join(writeChart(out, folder, phases, sides), judge(phases, sides))
}

// judge is an error where the claim does not hold: that an overload ends with a size
// that follows the dependency, and lasts with fixed ones.
func judge(phases []overload.Phase, sides []*side) error {
	for n, phase := range phases[1:min(3, len(phases))] {
		fixed, adaptive := sides[0].phases[n+1].share(phase), sides[1].phases[n+1].share(phase)
		if adaptive < fixed+.3 {
			return fmt.Errorf("the claim does not hold in this run: in phase %q fixed sizes give %.0f %%, and adaptive ones %.0f %%",
				phase.Name, 100*fixed, 100*adaptive)
		}
	}
	return nil
}

// writeChart draws the run into a folder and says where on out; without a folder it
// does nothing.
func writeChart(out io.Writer, folder string, phases []overload.Phase, sides []*side) error {
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, "adaptive.svg")
	if err := os.WriteFile(path, drawChart(phases, sides), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe chart is %s.\n", path)
	return nil
}
