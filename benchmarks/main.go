// Benchmarks compares guarded calls with the calls of other libraries, with the
// bare call and with the floors of the machine, on the same work.
//
//	go run ./benchmarks
//
// runs every path in several rounds, one path after the other in each, so that
// whatever else the machine does hits all alike. It prints the medians as
// Markdown, with the goals they are held against. For benchstat there is
//
//	go test -run '^$' -bench . -count 10 ./benchmarks
//
// It is a module of its own, so that nobody who uses resgen depends on the
// libraries that it is compared with.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

func main() {
	testing.Init()
	rounds := flag.Int("rounds", 51, "how often each path is measured")
	each := flag.Duration("time", 10*time.Millisecond, "how long one measurement takes")
	flag.Parse()
	if err := run(*rounds, *each); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(rounds int, each time.Duration) error {
	runtime.GOMAXPROCS(cores)
	flag.Set("test.benchtime", each.String())
	measured := make(results)
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		if err := measured.addRound(); err != nil {
			return err
		}
	}
	report(os.Stdout, measured, measureMemory())
	return nil
}
