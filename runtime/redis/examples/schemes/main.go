// Command schemes measures, against a real redis-server that it starts itself,
// what ways of counting the outcomes of a fleet cost and are worth, and how
// much one server carries. It prints tables and draws a chart:
//
//	go run ./examples/schemes -o schemes.svg
//
// Twenty simulated processes call a dependency that fails 40 percent of its
// calls, which is below the threshold of 50, so that every outage is a false
// one; then it fails altogether, and the time until an outage begins is taken.
// The scripts are those of package redis. Time is compressed, thirty times at
// the small load: a minute takes two seconds, and so do all intervals and
// windows; what is counted per second is given in uncompressed time. It takes
// about ten minutes; with -quick about one, and the figures are rough.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"time"
)

// scheme is a way of recording outcomes.
type scheme struct {
	name  string
	rate  float64       // probability with which a success is recorded, as 1/rate
	flush time.Duration // outcomes are recorded together, so often; 0: each by itself
}

var schemes = []scheme{
	{"a write a call", 1, 0},
	{"a write a sample, p = .1", .1, 0},
	{"a write a sample, p = .05", .05, 0},
	{"a write a sample, p = .01", .01, 0},
	{"AGGREGATED, 1 s", 1, time.Second},
	{"AGGREGATED, 10 s", 1, 10 * time.Second},
	{"SAMPLED, p = .1, 1 s", .1, time.Second},
}

const processes = 20

// extent is how much is measured of each scheme.
type extent struct {
	few, many load // 1000 and 100000 calls a minute
	capacity  time.Duration
}

var (
	thorough = extent{
		few:      load{callsPerMinute: 1000, compressed: 30, fleets: 6, fill: fullWindow, minutes: 20, detect: true},
		many:     load{callsPerMinute: 100_000, compressed: 5, fleets: 1, fill: fullWindow, minutes: 1},
		capacity: 10 * time.Second,
	}
	quick = extent{
		few:      load{callsPerMinute: 1000, compressed: 60, fleets: 6, fill: fullWindow, minutes: 2, detect: true},
		many:     load{callsPerMinute: 100_000, compressed: 5, fleets: 1, fill: window / 12, minutes: .2},
		capacity: time.Second,
	}
)

func main() {
	log.SetFlags(0)
	chart := flag.String("o", "schemes.svg", "file for the chart; empty: none")
	only := flag.Bool("capacity", false, "measure only how much one server carries")
	rough := flag.Bool("quick", false, "end within about a minute, with rough figures")
	flag.Parse()
	server, err := startServer()
	if err != nil {
		log.Fatal(err)
	}
	defer server.stop()
	e := thorough
	if *rough {
		e = quick
	}
	if *only {
		fmt.Print(measureCapacity(server, e.capacity))
		return
	}
	var rows []row
	for _, s := range schemes {
		log.Printf("measuring %s", s.name)
		rows = append(rows, row{s, e.few.run(server, s), e.many.run(server, s)})
	}
	fmt.Print(table(rows))
	fmt.Println()
	fmt.Print(measureCapacity(server, e.capacity))
	if *chart == "" {
		return
	}
	if err := os.WriteFile(*chart, draw(rows), 0o644); err != nil {
		log.Fatal(err)
	}
}

// row is what was measured of a scheme.
type row struct {
	scheme
	few, many figures // at 1000 and at 100000 calls a minute
}

// figures are those of one load.
type figures struct {
	writes float64 // scripts a second
	cpu    float64 // percent of a core that the server takes
	error  float64 // of the rate of failures, root mean square, in percentage points
	wrong  float64 // outages in ten minutes, of which none is right
	detect float64 // seconds from the failure of the dependency to the outage, the median
}
