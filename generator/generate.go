// Package generator writes the wrappers that directives ask for.
//
// It owns the way from package patterns to the bytes of the outputs: packages are
// loaded, their directives resolved and checked against types, a [Plan] is made
// of each output, and the plan is emitted. The language of directives is that of
// package directives, and what generated code calls is that of package runtime,
// of which only the names are known here.
//
// [Generate] reads but never writes; a [Result] is compared with the disk, shown
// or written by its own methods.
package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
)

// Options say what to generate. The zero value means the package in the working
// folder.
type Options struct {
	// Context ends a run early, with the go commands that it has started. Nil
	// means that nothing does.
	Context context.Context
	// Dir is the folder that patterns, and the paths in messages, are relative
	// to. Empty means the working folder.
	Dir string
	// Patterns name packages as for the go command. None means ".".
	Patterns []string
	// Tags are build tags, comma-separated, as for go build -tags.
	Tags string
	// Env is the environment of the go command. Nil means that of the process.
	Env []string
	// Capacity, if not nil, tells how many permits a bulkhead has. A directive
	// that reserves more is a fault. Calls come from several goroutines at a
	// time.
	Capacity func(bulkhead string) int
	// Progress, if not nil, is told how many of the loaded packages are done.
	// Calls come one at a time, from any goroutine.
	Progress func(done, total int)
	// Plain loads packages in the slow, plain way, to see whether the fast one is
	// at fault.
	Plain bool
	// GoGenerate says that go generate runs this. It has listed the files of all
	// packages beforehand, and fails where one is gone. So an output that nothing
	// asks for any more is emptied, and removed by a later run.
	GoGenerate bool
}

// Generate makes the outputs for all packages that the patterns name.
//
// The error is nil or [Faults], all that were found; warnings are in the result.
// If a directive or an output is at fault, the result has no outputs: nothing
// should be written. If a package does not compile for another reason, the result still has
// the outputs of the others.
func Generate(opts Options) (Result, error) {
	var err error
	if opts.Dir, err = filepath.Abs(opts.Dir); err != nil {
		return Result{}, err
	}
	if opts.Context == nil {
		opts.Context = context.Background()
	}
	packages, err := load.Packages(load.Config{
		Context: opts.Context, Dir: opts.Dir, Tags: opts.Tags, Env: opts.Env, Plain: opts.Plain,
	}, opts.Patterns...)
	if err != nil {
		return Result{}, fromLoad(err, opts)
	}
	outcomes := make([]outcome, len(packages))
	progress := opts.counter(len(packages))
	each(packages, func(i int, pkg *load.Package) {
		if opts.Context.Err() == nil {
			outcomes[i] = process(pkg, opts)
		}
		progress()
	})
	if err := context.Cause(opts.Context); err != nil {
		return Result{}, err
	}
	return join(packages, outcomes, opts)
}

// counter returns a function that reports one more package.
func (o Options) counter(total int) func() {
	if o.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		o.Progress(done, total)
	}
}

// outcome is what became of one package.
type outcome struct {
	plans    []Plan
	files    []File
	broken   Faults // it does not compile
	invalid  Faults // its directives or outputs are at fault
	usage    usage
	claims   []claim
	guesses  Faults // comments that may have been meant as directives
	warnings Faults // for which it need not be compared with others
}

// each runs do for all packages, as many at a time as there are processors.
func each(packages []*load.Package, do func(int, *load.Package)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, pkg := range packages {
		slots <- struct{}{}
		group.Go(func() {
			do(i, pkg)
			<-slots
		})
	}
	group.Wait()
}

// process takes one package from its directives to its outputs.
func process(pkg *load.Package, opts Options) (out outcome) {
	annotated, faults, guesses := parse(pkg)
	out.guesses = fromDirectives(guesses)
	out.usage = usageOf(pkg, annotated)
	if len(pkg.Faults) == 0 && pkg.Types != nil {
		c := &checker{pkg: pkg, capacity: opts.Capacity, place: func(pos token.Pos) string {
			return opts.relative(directives.Position(pkg.Fset, pos)).String()
		}}
		targets := c.targets(annotated)
		out.plans = c.plans(targets)
		out.claims = c.claimsOf(targets, annotated)
		out.warnings = slices.Concat(c.cutOff(targets), c.unreserved(targets), c.idle(targets), c.foreign(targets),
			c.needless(targets), c.passing(targets), c.closing(targets))
		faults = append(faults, c.faults...)
		if c.unknown {
			pkg.Faults, out.plans = pkg.Below, nil // its outputs are no leftovers
		}
	}
	for _, fault := range pkg.Faults {
		out.broken = append(out.broken, Fault{fault.Position, fault.Message})
	}
	if out.invalid = fromDirectives(faults); len(out.invalid) > 0 {
		return out
	}
	for _, plan := range out.plans {
		file, err := emitted(plan)
		if err != nil {
			out.invalid = append(out.invalid, Fault{token.Position{Filename: plan.Path, Line: 1, Column: 1}, err.Error()})
		}
		out.files = append(out.files, file)
	}
	return out
}

// parse reads the directives of all files that have some, with what is wrong in
// them and what only may be.
func parse(pkg *load.Package) (annotated map[*load.File][]directives.Interface, faults, guesses directives.Faults) {
	annotated = map[*load.File][]directives.Interface{}
	for _, file := range pkg.Files {
		if !file.Asks || file.Syntax == nil {
			continue
		}
		interfaces, found := directives.Parse(pkg.Fset, file.Syntax, file.Src)
		annotated[file] = interfaces
		for _, fault := range found {
			if fault.Guess {
				guesses = append(guesses, fault)
			} else {
				faults = append(faults, fault)
			}
		}
	}
	return annotated, faults, guesses
}

// emitted is the output of a plan, beside what stands in its place.
func emitted(plan Plan) (File, error) {
	file := File{Path: plan.Path}
	var err error
	if file.Want, err = emit(plan); err != nil {
		return file, err
	}
	file.Have, err = os.ReadFile(plan.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, nil
	case err == nil && len(bytes.TrimSpace(file.Have)) > 0 && !load.IsOurs(file.Have):
		err = fmt.Errorf("the output for %s belongs here, but this file was not generated by resgen; move it or rename %[1]s",
			filepath.Base(plan.Source))
	}
	return file, err
}

// join brings the packages together: one fault of a directive leaves nothing to
// write.
func join(packages []*load.Package, outcomes []outcome, opts Options) (Result, error) {
	var result Result
	var broken, invalid, guesses Faults
	for _, out := range outcomes {
		result.Plans = append(result.Plans, out.plans...)
		result.Files = append(result.Files, out.files...)
		broken = append(broken, out.broken...)
		invalid = append(invalid, out.invalid...)
		guesses = append(guesses, out.guesses...)
	}
	if invalid = append(invalid, joinedByDefault(outcomes)...); len(invalid) > 0 {
		return Result{Warnings: guesses.sorted(opts)}, append(invalid, broken...).err(opts)
	}
	result.Files = append(result.Files, leftovers(packages, result.Plans, opts)...)
	result.Unseen = unseen(packages).sorted(opts)
	result.finish(packages, opts)
	result.Warnings = guesses
	if len(broken) == 0 {
		result.Dangling = dangling(packages, outcomes).sorted(opts)
		result.Warnings = slices.Concat(guesses, warningsOf(outcomes), result.Dangling)
	}
	result.Warnings = result.Warnings.sorted(opts)
	return result, broken.err(opts)
}

// leftovers are outputs of ours that no source file asks for any more, in
// whatever build configuration it may be.
func leftovers(packages []*load.Package, plans []Plan, opts Options) []File {
	wanted := map[string]bool{}
	broken := map[string]bool{}
	for _, plan := range plans {
		wanted[plan.Path] = true
	}
	for _, pkg := range packages {
		for _, file := range pkg.Ignored {
			wanted[load.OutputPath(file.Path)] = true
		}
		broken[pkg.Dir] = broken[pkg.Dir] || len(pkg.Faults) > 0
	}
	var files []File
	for _, pkg := range packages {
		for _, output := range pkg.Outputs {
			if !wanted[output.Path] && !broken[pkg.Dir] {
				files = append(files, leftover(output, opts))
			}
		}
	}
	return files
}

// leftover is an output that is to go: at once, or under go generate in two
// steps. Emptied, the file is part of no build, so that go generate does not list
// it again.
func leftover(output *load.File, opts Options) File {
	file := File{Path: output.Path, Have: output.Src}
	if opts.GoGenerate && !(isEmptied(output.Src) && olderThan(output.Path, listed)) {
		file.Want = emptied(output.Src)
	}
	return file
}

// listed is for how long go generate may go on with files that it has listed. One
// go generate may run resgen more than once.
const listed = time.Hour

// emptied is what an output becomes that nothing asks for any more.
func emptied(output []byte) []byte {
	name := "empty" // it matters to nobody
	if syntax, err := parser.ParseFile(token.NewFileSet(), "", output, parser.PackageClauseOnly); err == nil {
		name = syntax.Name.Name
	}
	return []byte(header + `

//go:build ignore

// Nothing asks for this file any more: a later run of resgen removes it.

package ` + name + "\n")
}

func isEmptied(output []byte) bool { return bytes.Equal(output, emptied(output)) }
