package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/resgen-go/resgen/internal/column"
	"github.com/resgen-go/resgen/internal/nearest"
)

// path is a flag that names a file. An empty one is a mistake, such as a variable
// that is not set.
type path string

func (p *path) String() string { return string(*p) }

func (p *path) Set(text string) error {
	if text == "" {
		return errors.New("it names no file")
	}
	*p = path(text)
	return nil
}

// parseFlags reads the flags, which come before all other arguments. If that
// settles it all, ok is false and status is the exit status.
func parseFlags(flags *flag.FlagSet, args []string, stderr io.Writer) (status int, ok bool) {
	err := quietly(flags, args)
	flags.SetOutput(stderr)
	switch {
	case err == flag.ErrHelp:
		var help strings.Builder
		flags.SetOutput(&help)
		flags.Usage()
		fmt.Fprint(stderr, column.Lines(help.String()))
		return exitFine, false
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v%s\nRun %[1]s -help for the flags.\n", flags.Name(), err, suggestion(flags, err))
		return exitUsage, false
	}
	return exitFine, true
}

// quietly is flags.Parse that leaves it to the caller to say what is wrong.
func quietly(flags *flag.FlagSet, args []string) error {
	usage := flags.Usage
	defer func() { flags.Usage = usage }()
	flags.Usage = func() {}
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.Arg(0) == "help" {
		return flag.ErrHelp
	}
	for i, arg := range flags.Args() {
		switch {
		case flags.Lookup(arg) != nil:
			return fmt.Errorf("there is no package %s; did you mean -%[1]s? A package would be ./%[1]s", arg)
		case !strings.HasPrefix(arg, "-"):
		case i == 0:
			return fmt.Errorf("%s is not a package", arg)
		default:
			return fmt.Errorf("%s stands behind %s; flags come first", arg, flags.Arg(0))
		}
	}
	return nil
}

// suggestion is the flag that was most likely meant by one that there is not.
func suggestion(flags *flag.FlagSet, err error) string {
	wrote, undefined := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	near, ok := nearest.Name(wrote, names)
	if !undefined || !ok {
		return ""
	}
	return "; did you mean -" + near + "?"
}

func printed(stdout, stderr io.Writer, text []byte) int {
	if _, err := stdout.Write(text); err != nil {
		fmt.Fprintln(stderr, "resgen:", err)
		return exitFault
	}
	return exitFine
}
