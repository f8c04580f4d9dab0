// Command schemes plays what ways of deciding together are worth, by the clock
// of a simulation, and prints a table and a chart:
//
//	go run ./examples/schemes -o schemes.svg
//
// Sixty processes make ten calls a second each. In three plays one process is a
// broken host that fails two thousand calls a second, then a zone of 40 percent of
// the processes fails all its calls, and then the dependency is gone for all. In
// the first two every outage is a false one. The last scheme is the rule of
// package redis.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	chart := flag.String("o", "schemes.svg", "file for the chart; empty: none")
	flag.Parse()
	var rows []row
	for _, s := range schemes {
		rows = append(rows, measure(s))
	}
	fmt.Print(table(rows))
	if *chart == "" {
		return
	}
	if err := os.WriteFile(*chart, draw(rows), 0o644); err != nil {
		log.Fatal(err)
	}
}

// row is what was seen of a scheme.
type row struct {
	name       string
	host, zone float64 // percent of ten minutes in which healthy processes were held
	hold       float64 // seconds from the end of the dependency until all are held
	failed     int     // calls until then
	writes     float64 // a second, while all is well
}
