package main

import (
	"flag"
	"fmt"
	"io"

	resilience "github.com/resgen-go/resgen/runtime"
)

func init() { commands["schema"] = schema }

// schema prints the JSON Schema of settings files.
func schema(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("resgen schema", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "Usage: resgen schema\n\n",
			"Prints the JSON Schema of settings files. Save it beside yours and point there,\n",
			"and editors know every setting:\n\n\t\"$schema\": \"./resilience.schema.json\"\n")
	}
	if status, ok := parseFlags(flags, args); !ok {
		return status
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(stderr, "resgen schema: takes no arguments")
		return exitUsage
	}
	return printed(stdout, stderr, resilience.Schema())
}

// parseFlags is flags.Parse with its exit status; if ok is false, that settles it.
func parseFlags(flags *flag.FlagSet, args []string) (status int, ok bool) {
	switch err := flags.Parse(args); err {
	case nil:
		return exitFine, true
	case flag.ErrHelp:
		return exitFine, false
	}
	return exitUsage, false
}

func printed(stdout, stderr io.Writer, text []byte) int {
	if _, err := stdout.Write(text); err != nil {
		fmt.Fprintln(stderr, "resgen:", err)
		return exitFault
	}
	return exitFine
}
