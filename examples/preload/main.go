// Command preload measures what a reservation is worth: a front-end entry makes
// five calls in parallel on a pool of 20 permits, and is offered more and more
// work, once taking permits call by call and once with preload=5. Then the
// dependency goes down and comes back again and again behind a breaker, and
// entries come with and without trials that are reserved for them.
//
//	go run ./examples/preload [-out folder] [-seconds 12 | -quick]
//
// Everything is real and on loopback: HTTP servers as the dependency, HTTP
// clients behind the generated wrappers of entry.go, and entries that come when
// they come. The tables go to the standard output, a row as soon as it is
// measured; a countdown goes to the terminal. The charts go to a temporary
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
	out   string        // folder of the charts; empty: none
}

func main() {
	o := options{rates: []float64{20, 60, 100, 200}}
	seconds := flag.Float64("seconds", 12, "how many `seconds` to measure each of the four rates, and the recovery, 0.5 to 3600")
	quick := flag.Bool("quick", false, "as -seconds 1.5: ends within 10 seconds, with rough figures")
	flag.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "resgen-examples"), "a `folder`, made if need be, for the charts preload.svg and recovery.svg; empty: none")
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
	stop := countdown(progress, "a recovering dependency", warmUp+o.over)
	r, err := recoverBoth(ctx, o.over)
	stop()
	if err != nil || ctx.Err() != nil {
		return err
	}
	writeRecovery(out, o.over, r)
	return writeCharts(out, o.out, rows, r)
}

// writeCharts draws both experiments into a folder and says where on out; without a
// folder it does nothing.
func writeCharts(out io.Writer, folder string, rows []row, r recovery) error {
	if folder == "" {
		return nil
	}
	first, second := filepath.Join(folder, "preload.svg"), filepath.Join(folder, "recovery.svg")
	if err := os.WriteFile(first, drawChart(rows), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(second, drawRecovery(r), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe charts are %s\nand %s.\n", first, second)
	return nil
}
