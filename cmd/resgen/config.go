package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/resgen-go/resgen/generator"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// config prints a settings file for the names that directives use, or compares
// one with them.
func config(args []string, stdout, stderr io.Writer) int {
	var file, output path
	var tags string
	flags := flag.NewFlagSet("resgen config", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: resgen config [flags] [packages]\n\n",
			"Prints a complete settings file with every name that the directives of the\n",
			"packages use; the default is the package in the current folder. With -o it\n",
			"writes that to a new file.\n\n",
			"With -file it says instead what is wrong with the file, which of these names it\n",
			"lacks, which of its entries no wrapper asks for, and which directives reserve\n",
			"more than it gives a bulkhead. Where no packages are named and the current\n",
			"folder has no Go files, it looks at the file alone.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprint(flags.Output(), "\nExit status: 0 fine, 1 a fault or a difference, 2 wrong usage.\n")
	}
	flags.Var(&file, "file", "check this settings `file`, and compare it with the directives")
	flags.Var(&output, "o", "write to this `file`, unless it exists")
	flags.StringVar(&tags, "tags", "", "build tags, comma-separated, as for go build")
	status, ok := parseFlags(flags, args, stderr)
	switch {
	case !ok:
		return status
	case file != "" && output != "":
		fmt.Fprintln(stderr, "resgen config: -o does not go with -file")
		return exitUsage
	case file != "":
		return check(string(file), generator.Options{Patterns: flags.Args(), Tags: tags}, stdout, stderr)
	}
	result, ok := generate(generator.Options{Patterns: flags.Args(), Tags: tags}, stderr)
	switch {
	case !ok:
		return exitFault
	case output != "" && !usesNames(result.Used()):
		fmt.Fprintf(stderr, "resgen: no directive there uses a name, so there is nothing to write to %s\n", output)
		return exitFault
	case output != "":
		return begin(string(output), settingsfile.Starter(result.Used()), "resgen config -file "+string(output)+" says what it lacks", stderr)
	}
	return printed(stdout, stderr, settingsfile.Starter(result.Used()))
}

func usesNames(used map[string][]string) bool {
	for _, names := range used {
		if len(names) > 0 {
			return true
		}
	}
	return false
}

// noGo reports that the current folder has no Go files.
func noGo() bool {
	files, _ := filepath.Glob("*.go") // the pattern is well-formed
	return len(files) == 0
}

// begin writes a file, but never over one: settings that a service may be running
// with, or code that somebody has edited.
func begin(path string, text []byte, hint string, stderr io.Writer) int {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return taken(path, hint, stderr)
	}
	if err == nil {
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(path)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "resgen:", err)
		return exitFault
	}
	return exitFine
}

func taken(path, hint string, stderr io.Writer) int {
	fmt.Fprintf(stderr, "resgen: %s exists and stays as it is; %s\n", path, hint)
	return exitFault
}

// check says what is wrong with a settings file, how it differs from the names
// in use, and what can't be had of its bulkheads. Where there is no code, it
// looks at the file alone.
func check(path string, options generator.Options, stdout, stderr io.Writer) int {
	alone := len(options.Patterns) == 0 && noGo()
	if alone {
		fmt.Fprintf(stderr, "resgen: there are no Go files here, so %s is checked by itself\n", path)
	}
	settings, err := readSettings(path)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, err)
		return exitFault
	case alone:
		return printed(stdout, stderr, lines(settings.Warnings()))
	}
	options.Limit = limit(settings)
	result, ok := generate(options, stderr)
	if !ok {
		return exitFault
	}
	differences := settings.Compare(result.Used())
	status := printed(stdout, stderr, lines(append(settings.Warnings(usesOf(result.Uses())...), differences...)))
	if len(differences) > 0 {
		status = exitFault
	}
	return status
}

func lines(all []string) (text []byte) {
	for _, line := range all {
		text = fmt.Appendln(text, line)
	}
	return text
}

// usesOf are what the methods take from the settings.
func usesOf(uses []generator.Use) (all []settingsfile.Use) {
	for _, use := range uses {
		all = append(all, settingsfile.Use{
			Method: use.Method, Breaker: use.Names["breakers"], Bulkhead: use.Names["bulkheads"], Timeout: use.Names["timeouts"], Retry: use.Names["retries"], Rate: use.Names["rateLimits"], Fallback: use.Names["fallbacks"],
			Probe: use.Probe,
		})
	}
	return all
}

// readSettings reads a settings file.
func readSettings(path string) (*settingsfile.File, error) {
	settings, err := settingsfile.Load(path)
	if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
		err = fmt.Errorf("resgen: %w", err)
	}
	return settings, err
}

// limit tells what the settings file gives a setting; it is nil if there is no
// file to go by.
func (o *options) limit() (func(section, name, setting string) int, error) {
	if o.config == "" {
		return nil, nil
	}
	settings, err := readSettings(string(o.config))
	if err != nil {
		return nil, err
	}
	return limit(settings), nil
}

func limit(settings *settingsfile.File) func(section, name, setting string) int {
	return func(section, name, setting string) int {
		for _, value := range settings.Effective(section, name) {
			if n, ok := value.Value.(int); ok && value.Setting == setting {
				return n
			}
		}
		return math.MaxInt
	}
}
