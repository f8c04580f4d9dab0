// Command strategies plays what makes people ask for a better breaker against
// every strategy, and shows what each makes of it.
//
//	go run ./examples/strategies [-out folder]
//
// The breakers are real, behind the generated wrapper of quotes.go and with
// their built-in settings. The dependency is played and time is fake, so eight
// minutes pass in an instant and every run shows the same. For each situation
// and strategy there are the timeline of states, the calls that were lost and
// those that were wrongly refused: as a table on the standard output and as a
// picture, in a temporary folder or the one of -out.
//
// STATIC_THRESHOLD lets a call through to a dead dependency every 20 seconds,
// and after three timeouts among ten calls refuses a stable one for as long.
// CANARY_RATE_THRESHOLD has to see more failures before it opens, then loses no
// call to a dead dependency, and is back within a turn of calls. A dependency
// that recovers slowly deceives it: it takes a good probe for more than it is,
// and loses more calls in trials than any other.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	folder := flag.String("out", filepath.Join(os.TempDir(), "resgen-examples"), "a `folder`, made if need be, for the picture strategies.svg; empty: no picture")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*folder, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "strategies:", err)
		os.Exit(1)
	}
}

func run(folder string, out io.Writer) error {
	plays, err := playAll()
	if err != nil {
		return err
	}
	writeTable(out, plays)
	return writeChart(out, folder, plays)
}

// writeChart draws the plays into a folder and says where on out; without a
// folder it does nothing.
func writeChart(out io.Writer, folder string, plays []play) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	path := filepath.Join(folder, "strategies.svg")
	if err := os.WriteFile(path, drawChart(plays), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe picture is %s.\n", path)
	return nil
}
