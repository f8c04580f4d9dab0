// Command preload measures what a reservation is worth: a front-end entry makes
// five calls in parallel on a pool of 20 permits, and is offered more and more
// work, once taking permits call by call and once with preload=5.
//
//	go run ./examples/preload [-out folder] [-seconds 12 | -quick]
//
// Everything is real and on loopback: HTTP servers as the dependency, HTTP
// clients behind the generated wrappers of entry.go, and entries that come when
// they come. The table goes to the standard output, a row as soon as it is
// measured; a countdown goes to the terminal. The chart goes to a temporary
// folder or the one of -out.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

type options struct {
	rates []float64     // entries per second
	over  time.Duration // how long each rate is measured
	out   string        // folder of the chart; empty: no chart
}

func main() {
	o := options{rates: []float64{20, 60, 100, 200}}
	seconds := flag.Float64("seconds", 12, "how many `seconds` to measure each of the four rates, 0.5 to 3600")
	quick := flag.Bool("quick", false, "as -seconds 1.5: ends within 10 seconds, with rough figures")
	flag.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "resgen-examples"), "a `folder`, made if need be, for the chart preload.svg; empty: no chart")
	flag.Parse()
	if *quick {
		*seconds = 1.5
	}
	if !(*seconds >= 0.5 && *seconds <= 3600) || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "preload: -seconds goes from 0.5 to 3600, and there are no arguments")
		flag.Usage()
		os.Exit(2)
	}
	o.over = time.Duration(*seconds * float64(time.Second))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout, terminal(os.Stderr)); err != nil {
		fmt.Fprintln(os.Stderr, "preload:", err)
		os.Exit(1)
	}
}

// run measures one rate after the other and writes what it measured. When ctx
// is done before the end, the rate being measured and the chart are left out.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	if o.out != "" { // fail now rather than after a minute
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return err
		}
	}
	writeHead(out, o.over)
	var rows []row
	for _, rate := range o.rates {
		stop := countdown(progress, fmt.Sprintf("%g entries/s", rate), warmUp+o.over)
		r, err := measure(ctx, rate, o.over)
		stop()
		if ctx.Err() != nil {
			fmt.Fprintln(out, "\nInterrupted: what was not measured to its end is left out.")
			return nil
		}
		if err != nil {
			return err
		}
		writeRow(out, r)
		rows = append(rows, r)
	}
	writeFoot(out)
	return writeChart(out, o.out, rows)
}

// writeChart draws the rows into a folder and says where on out; without a
// folder it does nothing.
func writeChart(out io.Writer, folder string, rows []row) error {
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, "preload.svg")
	if err := os.WriteFile(path, drawChart(rows), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe chart is %s.\n", path)
	return nil
}
