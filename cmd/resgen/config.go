package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/resgen-go/resgen/generator"
	resilience "github.com/resgen-go/resgen/runtime"
)

// config prints a settings file for the names that directives use, or compares
// one with them.
func config(args []string, stdout, stderr io.Writer) int {
	var file path
	var tags string
	flags := flag.NewFlagSet("resgen config", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(stderr, "Usage: resgen config [flags] [packages]\n\n",
			"Prints a complete settings file with every name that the directives of the\n",
			"packages use; the default is the package in the current folder. With -file it\n",
			"says instead which of these names the file lacks and which of its entries no\n",
			"wrapper asks for.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprint(stderr, "\nExit status: 0 fine, 1 a fault or a difference, 2 wrong usage.\n")
	}
	flags.Var(&file, "file", "compare this settings `file` with the directives")
	flags.StringVar(&tags, "tags", "", "build tags, comma-separated, as for go build")
	if status, ok := parseFlags(flags, args, stderr); !ok {
		return status
	}
	result, ok := generate(generator.Options{Patterns: flags.Args(), Tags: tags}, stderr)
	switch {
	case !ok:
		return exitFault
	case file == "":
		return printed(stdout, stderr, resilience.StartingSettings(result.Used()))
	}
	return compare(string(file), result.Used(), stdout, stderr)
}

func compare(path string, used map[string][]string, stdout, stderr io.Writer) int {
	settings, err := readSettings(path)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	differences := settings.Compare(used)
	var text []byte
	for _, line := range append(settings.Warnings(), differences...) {
		text = fmt.Appendln(text, line)
	}
	status := printed(stdout, stderr, text)
	if len(differences) > 0 {
		status = exitFault
	}
	return status
}

func readSettings(path string) (*resilience.SettingsFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("resgen: %w", err)
	}
	defer f.Close()
	return resilience.ReadSettings(path, f)
}

// capacity tells how many permits the settings file gives a bulkhead; it is nil
// if there is no file to go by.
func (o *options) capacity() (func(bulkhead string) int, error) {
	if o.config == "" {
		return nil, nil
	}
	settings, err := readSettings(string(o.config))
	if err != nil {
		return nil, err
	}
	return func(bulkhead string) int { return maxConcurrentCalls(settings, bulkhead) }, nil
}

func maxConcurrentCalls(settings *resilience.SettingsFile, bulkhead string) int {
	for _, value := range settings.Effective("bulkheads", bulkhead) {
		if n, ok := value.Value.(int); ok && value.Setting == "maxConcurrentCalls" {
			return n
		}
	}
	return math.MaxInt
}
