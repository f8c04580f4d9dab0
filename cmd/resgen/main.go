// Resgen writes resilience wrappers for Go interfaces.
//
// Usage:
//
//	resgen [flags] [packages]
//	resgen config [-o FILE | -file FILE] [packages]
//	resgen dashboard [-o FILE] [packages]
//	resgen interface [-name NAME] [-methods NAMES | -used] [-o FILE] PKG.TYPE [packages]
//	resgen advise SNAPSHOT SNAPSHOT…
//	resgen replay [-settings FILE …] [-sweep SETTING=VALUES | -suggest] [-picture FILE] TRACE…
//	resgen schema
//
// Packages are named as for the go command, such as ./... or work; the default
// is the package in the current folder. Resgen is usually run by go generate,
// from a line in the package:
//
//	//go:generate go tool resgen
//
// For every interface that carries directives, which are comments such as
//
//	//resilience:breaker payments
//
// in its doc comment or in that of a method, resgen writes a wrapper type that
// implements the interface and guards its calls. The wrappers for the interfaces
// of shop.go are in shop_resilience.go beside it, those for shop_test.go in
// shop_resilience_test.go. Outputs that nothing asks for any more are removed;
// under go generate, which has listed them and fails where one is gone, they are
// emptied, and removed by a later run. A file that resgen did not write is never
// changed. A file that is not part of this build is not looked at, and its output
// stays; -check and -diff name it.
//
// Resgen runs the go command to list packages, and nothing else: no code of the
// packages, no cgo and no compiler, except with -plain.
//
// A run that has nothing to say says nothing. All mistakes in the directives are
// reported in one run, and then no file is changed.
//
// Warnings change neither outputs nor, but for the first, the exit status. There
// is one
//
//   - where an anticipate or probe directive names a breaker or bulkhead that
//     nothing in the module or workspace, or in what it imports, guards with;
//     -check fails for it
//   - where an anticipate directive reserves a part of what the calls under it
//     need, because these pass a rate limit, too
//   - where a comment looks like a directive and may be prose
//   - where a timeout, or the reservation of an anticipated method, ends before
//     what the result hands out is read
//   - where a method that gives something back, such as Close, may be refused
//   - where methods with a context pass through, because they return no error
//   - where a method falls back on something and nothing leads to that
//   - where a directive on an interface guards none of its methods, or a method
//     opts out of what there is not
//   - where a method is embedded from another package and has directives there,
//     which do not hold
//   - where the method behind an anticipated one calls another that is
//     anticipated, in the same package, and their reservations do not go
//     together: bulkheads against the order of their names, or, with -config,
//     more permits than there are
//
// Resgen config prints a settings file with every name that the directives use,
// or writes it to a file that does not exist yet; with -file it checks a file and
// compares it with the directives. Resgen dashboard prints a dashboard for Grafana
// with these names. Resgen interface writes an interface for a
// client that is a struct, once, to be edited. Resgen replay plays recorded calls
// against settings, and says what these would have made of them. Resgen schema
// prints the JSON Schema of settings files. Resgen advise proposes settings from
// snapshots of a service.
//
// The exit status is 0 if all is well, 1 if the input is at fault or, with -check
// or -diff, an output is not as it should be, and 2 if the command line is wrong.
//
// Run resgen -help for the flags and the directives.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator"
	"github.com/resgen-go/resgen/internal/nearest"
)

const (
	exitFine  = 0
	exitFault = 1
	exitUsage = 2
)

// commands are run when the first argument is their name. Each is in a file of
// its own.
var commands = map[string]func(args []string, stdout, stderr io.Writer) int{
	"advise":    adviseSettings,
	"config":    config,
	"dashboard": writeDashboard,
	"interface": writeInterface,
	"replay":    replayTraces,
	"schema":    schema,
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var first string
	if len(args) > 0 {
		first = args[0]
	}
	if command := commands[first]; command != nil {
		return command(args[1:], stdout, stderr)
	}
	if near, ok := nearCommand(first); ok {
		fmt.Fprintf(stderr, "resgen: there is no command %s; did you mean %s? A package would be ./%[1]s\n", first, near)
		return exitUsage
	}
	return wrappers(args, stdout, stderr)
}

// nearCommand is the command that somebody meant with what is no flag and no
// path.
func nearCommand(name string) (string, bool) {
	if strings.HasPrefix(name, "-") || strings.ContainsAny(name, `./\`) {
		return "", false
	}
	return nearest.Name(name, slices.Sorted(maps.Keys(commands)))
}

// wrappers writes wrappers, or says what it would write.
func wrappers(args []string, stdout, stderr io.Writer) int {
	opts, status, ok := parse(args, stdout, stderr)
	if !ok {
		return status
	}
	limit, err := opts.limit()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	ctx, stop := untilSignal()
	defer stop()
	result, ok := generate(generator.Options{
		Context: ctx, Patterns: opts.patterns, Tags: opts.tags, Plain: opts.plain, Limit: limit,
		GoGenerate: underGoGenerate(),
	}, stderr)
	if !opts.finish(result, stdout, stderr) || !ok {
		return exitFault
	}
	return exitFine
}

// generate says what there is to say of the directives. ok is false if something
// is at fault.
func generate(options generator.Options, stderr io.Writer) (result generator.Result, ok bool) {
	if options.Context == nil {
		ctx, stop := untilSignal()
		defer stop()
		options.Context = ctx
	}
	progress := newProgress(stderr)
	options.Progress = progress.done
	result, err := generator.Generate(options)
	progress.end()
	for _, warning := range result.Warnings {
		fmt.Fprintln(stderr, warning)
	}
	switch {
	case options.Context.Err() != nil:
		fmt.Fprintln(stderr, "resgen: nothing was written:", err)
	case err != nil:
		fmt.Fprintln(stderr, err)
	}
	if err == nil && (len(result.Outputs) == 0 || len(options.Patterns) > 1) {
		fmt.Fprint(stderr, unmatched(options))
	}
	return result, err == nil
}

// options are the command line.
type options struct {
	check, diff, list, plain, verbose, version bool
	config                                     path
	tags                                       string
	patterns                                   []string
}

func (o *options) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("resgen", flag.ContinueOnError)
	flags.Usage = func() { usage(flags) }
	flags.BoolVar(&o.check, "check", false, "write nothing; name each output that is missing, stale or left over, and fail for these and for names that guard nothing")
	flags.Var(&o.config, "config", "settings `file`; to reserve more permits than it gives a bulkhead is a mistake")
	flags.BoolVar(&o.diff, "diff", false, "write nothing; show how the outputs would change")
	flags.BoolVar(&o.list, "list", false, "write nothing; list all methods with their guards, or why they have none")
	flags.BoolVar(&o.plain, "plain", false, "load dependencies slowly and completely, to see whether the fast way is at fault; "+
		"unlike that, it runs cgo, the C compiler and what GOFLAGS names by -toolexec")
	flags.StringVar(&o.tags, "tags", "", "build tags, comma-separated, as for go build")
	flags.BoolVar(&o.verbose, "v", false, "name each file that is written or removed")
	flags.BoolVar(&o.version, "version", false, "print the version and exit")
	return flags
}

// parse reads the command line. If that settles it all, ok is false and status
// is the exit status.
func parse(args []string, stdout, stderr io.Writer) (opts options, status int, ok bool) {
	flags := opts.flags()
	status, ok = parseFlags(flags, args, stderr)
	switch {
	case !ok:
		return opts, status, false
	case opts.version:
		return opts, printed(stdout, stderr, fmt.Appendln(nil, "resgen", buildVersion(), runtime.Version())), false
	case opts.list && (opts.check || opts.diff):
		fmt.Fprintln(stderr, "resgen: -list goes with neither -check nor -diff")
		return opts, exitUsage, false
	}
	opts.patterns = flags.Args()
	return opts, exitFine, true
}

func usage(flags *flag.FlagSet) {
	w := flags.Output()
	fmt.Fprint(w, "Usage: resgen [flags] [packages]\n",
		"       resgen config [-o FILE | -file FILE] [packages]\n",
		"       resgen dashboard [-o FILE] [packages]\n",
		"       resgen interface [flags] PKG.TYPE [packages]\n",
		"       resgen replay [flags] TRACE…\n",
		"       resgen advise SNAPSHOT SNAPSHOT…\n",
		"       resgen schema\n\n",
		"Resgen writes a wrapper with circuit breakers, bulkheads and timeouts for each\n",
		"interface that carries directives. Packages are named as for the go command; the\n",
		"default is the one in the current folder. Config prints a settings file for the\n",
		"names that the directives use, or checks one and compares it with them; dashboard\n",
		"prints a dashboard for Grafana; interface writes an interface for a client that is\n",
		"a struct; replay plays recorded calls against settings; advise proposes settings\n",
		"from snapshots of a service; schema prints the JSON Schema of settings files.\n\nFlags:\n")
	flags.PrintDefaults()
	fmt.Fprint(w, "\nExit status: 0 fine, 1 a fault in the input or an outdated file, 2 wrong usage.\n\n",
		"Directives, in the doc comment of an interface (type) or of its methods:\n\n", directives.Help())
}

// buildVersion is that of the module that resgen was built from.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// finish does with the result what the flags ask for. It is false if that fails
// or, where nothing is to be written, if a file is not as it should be.
func (o options) finish(result generator.Result, stdout, stderr io.Writer) bool {
	var err error
	fine := true
	if o.check || o.diff {
		for _, file := range result.Unseen {
			fmt.Fprintln(stderr, file)
		}
	}
	switch {
	case o.list:
		err = result.List(stdout)
	case o.diff:
		fine = len(result.Outdated()) == 0
		err = result.Diff(stdout)
	case o.check:
		fine = len(result.Outdated()) == 0
		err = result.Check(stdout)
		if !fine {
			fmt.Fprintln(stderr, "resgen: go generate, or resgen without -check, brings these files up to date")
		}
		if len(result.Dangling) > 0 {
			fine = false
			fmt.Fprintln(stderr, "resgen: with -check, a name that guards nothing is a fault")
		}
	default:
		err = o.write(result, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "resgen:", err)
	}
	return fine && err == nil
}

func (o options) write(result generator.Result, stderr io.Writer) error {
	if err := result.Write(); err != nil {
		return err
	}
	for _, file := range result.Outputs {
		switch status := file.Status(); {
		case !o.verbose || status == generator.Current:
		case file.Want == nil:
			fmt.Fprintln(stderr, "removed", file.Shown)
		default:
			fmt.Fprintln(stderr, "wrote", file.Shown)
		}
	}
	return nil
}
