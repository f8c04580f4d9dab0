package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/resgen-go/resgen/generator"
	"github.com/resgen-go/resgen/internal/dashboard"
)

// writeDashboard prints a dashboard for the names that directives use.
func writeDashboard(args []string, stdout, stderr io.Writer) int {
	var output path
	var tags string
	flags := flag.NewFlagSet("resgen dashboard", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: resgen dashboard [flags] [packages]\n\n",
			"Prints a dashboard that Grafana imports, for the metrics that runtime/prometheus\n",
			"exports. It has a row for each breaker, bulkhead, rate limit and timeout that the\n",
			"directives of the packages name; the default is the package in the current\n",
			"folder. The dashboard.json of runtime/prometheus asks Prometheus for the names.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprint(flags.Output(), "\nExit status: 0 fine, 1 a fault, 2 wrong usage.\n")
	}
	flags.Var(&output, "o", "write to this `file`, unless it exists")
	flags.StringVar(&tags, "tags", "", "build tags, comma-separated, as for go build")
	if status, ok := parseFlags(flags, args, stderr); !ok {
		return status
	}
	result, ok := generate(generator.Options{Patterns: flags.Args(), Tags: tags}, stderr)
	if !ok {
		return exitFault
	}
	used := result.Used()
	if !usesNames(used) {
		fmt.Fprintln(stderr, "resgen: no directive there uses a name, so there is nothing to show")
		return exitFault
	}
	text := dashboard.Grafana(used)
	if output != "" {
		return begin(string(output), text, "remove it first, or print the dashboard without -o", stderr)
	}
	return printed(stdout, stderr, text)
}
