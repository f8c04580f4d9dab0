package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/resgen-go/resgen/generator"
	resilience "github.com/resgen-go/resgen/runtime"
)

func init() { commands["config"] = config }

// config prints a settings file for the names that directives use, or compares
// one with them.
func config(args []string, stdout, stderr io.Writer) int {
	var file, tags string
	flags := flag.NewFlagSet("resgen config", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "Usage: resgen config [flags] [packages]\n\n",
			"Prints a complete settings file with every name that the directives of the\n",
			"packages use; the default is the package in the current folder. With -file it\n",
			"says instead which of these names the file lacks and which of its entries no\n",
			"directive uses.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprint(stderr, "\nExit status: 0 fine, 1 a fault or a difference, 2 wrong usage.\n")
	}
	flags.StringVar(&file, "file", "", "compare this settings `file` with the directives")
	flags.StringVar(&tags, "tags", "", "build tags, comma-separated, as for go build")
	if status, ok := parseFlags(flags, args); !ok {
		return status
	}
	result, err := generator.Generate(generator.Options{Patterns: flags.Args(), Tags: tags})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	if file == "" {
		return printed(stdout, stderr, resilience.StartingSettings(result.Used()))
	}
	return compare(file, result.Used(), stdout, stderr)
}

func compare(path string, used map[string][]string, stdout, stderr io.Writer) int {
	text, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(stderr, "resgen config:", err)
		return exitFault
	}
	settings, err := resilience.ParseSettings(path, text)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	differences := settings.Compare(used)
	for _, line := range append(settings.Warnings(), differences...) {
		fmt.Fprintln(stdout, line)
	}
	if len(differences) > 0 {
		return exitFault
	}
	return exitFine
}
