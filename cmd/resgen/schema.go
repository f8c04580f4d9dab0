package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// schema prints the JSON Schema of settings files.
func schema(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("resgen schema", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: resgen schema\n\n",
			"Prints the JSON Schema of settings files. Save it beside yours and point there,\n",
			"and editors know every setting:\n\n\t\"$schema\": \"./resilience.schema.json\"\n")
	}
	if status, ok := parseFlags(flags, args, stderr); !ok {
		return status
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(stderr, "resgen schema: takes no arguments")
		return exitUsage
	}
	return printed(stdout, stderr, settingsfile.Schema())
}
