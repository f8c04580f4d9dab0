package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/resgen-go/resgen/cmd/resgen/internal/extract"
)

// writeInterface writes an interface for a client that has none.
func writeInterface(args []string, stdout, stderr io.Writer) int {
	var options extract.Options
	var methods string
	var output path
	var used bool
	flags := flag.NewFlagSet("resgen interface", flag.ContinueOnError)
	flags.Usage = func() { interfaceUsage(flags) }
	flags.StringVar(&methods, "methods", "", "`names` of the methods to have, separated by commas, in place of all")
	flags.StringVar(&options.Name, "name", "", "`name` of the interface")
	flags.Var(&output, "o", "write to this `file`, unless it exists, and for its package")
	flags.StringVar(&options.Tags, "tags", "", "build tags, comma-separated, as for go build")
	flags.BoolVar(&used, "used", false, "have the methods that the packages use, in place of all")
	status, ok := parseFlags(flags, args, stderr)
	fail := func(format string, args ...any) int {
		fmt.Fprintf(stderr, "resgen interface: "+format+"\n", args...)
		return exitUsage
	}
	options.Output, options.Type = string(output), flags.Arg(0)
	switch {
	case !ok:
		return status
	case options.Type == "":
		return fail("name a type, such as net/http.Client")
	case flags.NArg() > 1 && !used:
		return fail("there is one PKG.TYPE; packages behind it are for -used")
	case used && methods != "":
		return fail("-methods does not go with -used")
	case output != "" && !strings.HasSuffix(string(output), ".go"):
		return fail("-o %s: it would be no Go file", output)
	case methods != "":
		options.Methods = strings.FieldsFunc(methods, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if options.Used = flags.Args()[1:]; used && len(options.Used) == 0 {
		options.Used = []string{"."}
	}
	return extracted(options, stdout, stderr)
}

func extracted(options extract.Options, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal()
	defer stop()
	options.Context = ctx
	if _, err := os.Lstat(options.Output); err == nil {
		return taken(options.Output, interfaceHint, stderr)
	}
	progress := newProgress(stderr)
	result, err := extract.Interface(options)
	progress.end()
	for _, note := range result.Notes {
		fmt.Fprintln(stderr, "resgen interface:", note)
	}
	if err != nil {
		fmt.Fprintln(stderr, "resgen interface:", err)
		return exitFault
	}
	if options.Output != "" {
		return begin(options.Output, result.Text, interfaceHint, stderr)
	}
	return printed(stdout, stderr, result.Text)
}

const interfaceHint = "name another file, or print the interface without -o"

func interfaceUsage(flags *flag.FlagSet) {
	w := flags.Output()
	fmt.Fprint(w, "Usage: resgen interface [flags] PKG.TYPE [packages]\n\n",
		"Prints an interface for a client that is a struct, as most clients of services\n",
		"are: its exported methods, directives to edit, and a line that makes it an error\n",
		"of the compiler where the client no longer fits. What can't be guarded says why.\n",
		"The text is yours: nothing writes it again.\n\n",
		"PKG is an import path, or a folder such as ./client; without it the type is one\n",
		"of the current folder. With -used, the packages are searched for what they call\n",
		"on the type, and for interfaces that they use it as; the default is the package\n",
		"in the current folder.\n\n",
		"\tresgen interface -name Bucket -used -o bucket.go \\\n",
		"\t\tgithub.com/aws/aws-sdk-go-v2/service/s3.Client ./...\n\nFlags:\n")
	flags.PrintDefaults()
	fmt.Fprint(w, "\nExit status: 0 fine, 1 a fault in the input, 2 wrong usage.\n")
}
