// Command isolation tests a claim by experiment: with one pool of permits, a
// dependency that is slow takes unrelated endpoints down; a bulkhead for each
// dependency keeps them up; and a dependency that is down does far less harm.
//
//	go run ./examples/isolation [-quick] [-adaptive] [-out folder]
//
// Everything is real and on loopback: a service with /a and /b behind generated
// wrappers, its pools from JSON settings; two dependencies, the first behind a
// proxy that injects faults; load at a fixed rate, whatever the answers. It takes
// a minute, judges each part of the claim by what it measured, and writes a
// report with charts into the folder.
//
//	go run ./examples/isolation -config resilience.json -pools payments,inventory -a URL -b URL [-rate 60] [-seconds 60]
//
// puts two endpoints of yours in the places of the dependencies, with two
// bulkheads of your settings file and the timeouts of the same names. The faults
// of the first are made on this side of the wire. The endpoints must be on this
// machine, unless -allow-remote is given.
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

	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
)

type options struct {
	own
	quick bool
	out   string // folder of the report; empty: there is none
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "a `folder`, made if need be, for report.md and its charts (default: only the table and the verdicts)")
	flag.BoolVar(&o.quick, "quick", false, "end within about 10 seconds, with rough figures")
	flag.BoolVar(&o.adaptive, "adaptive", false, "add a policy: pools whose sizes follow what the dependencies can bear")
	flag.StringVar(&o.config, "config", "", "with -a and -b: your settings `file` (default: the settings of the demonstration)")
	flag.StringVar(&o.pools, "pools", "", "with -config: the `names` of two bulkheads of the file with a comma between, that of a and that of b; each call also has the timeout of that name, or else the timeout call (default: a,b)")
	flag.StringVar(&o.a, "a", "", "the `URL` of your endpoint that is made slow and cut off")
	flag.StringVar(&o.b, "b", "", "the `URL` of your endpoint that should not suffer")
	flag.IntVar(&o.rate, "rate", 60, fmt.Sprintf("with -a and -b: requests per second to each, 1 to %d", mostRate))
	flag.IntVar(&o.seconds, "seconds", 60, fmt.Sprintf("with -a and -b: how long the load lasts, %d to %d", leastSeconds, mostSeconds))
	flag.BoolVar(&o.remote, "allow-remote", false, "let -a and -b be on other machines")
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { o.given = o.given || f.Name != "out" && f.Name != "quick" && f.Name != "adaptive" })
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout, terminal(os.Stderr)); err != nil {
		fmt.Fprintln(os.Stderr, "isolation:", err)
		os.Exit(1)
	}
}

// run makes the experiment and writes what came out. Where ctx is done before
// the end, there is no report.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	if o.out != "" { // fail now rather than after a minute
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return err
		}
	}
	e, d, err := o.prepare(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	r, err := e.run(ctx, d, out, progress)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(out, "\nInterrupted: there is no report.")
		return nil
	}
	if err != nil {
		return err
	}
	return o.write(r, out)
}

// prepare chooses the experiment and starts what it needs.
func (o options) prepare(ctx context.Context) (experiment, *stand.Dependencies, error) {
	if o.given {
		if o.quick {
			o.seconds = 10
		}
		return o.own.prepare(ctx)
	}
	e := inAMinute
	if o.quick {
		e = inTenSeconds
	}
	if o.adaptive {
		e = e.withAdaptive()
	}
	d, err := stand.OwnDependencies(e.timeout / 100)
	return e, d, err
}

// write writes the verdicts, and the report where it is wanted.
func (o options) write(r *results, out io.Writer) error {
	writeVerdicts(out, r.judge())
	if o.out == "" {
		return nil
	}
	if err := r.save(o.out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nThe report is %s.\n", filepath.Join(o.out, reportFile))
	return err
}
