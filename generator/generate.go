// Package generator writes the wrappers that directives ask for.
//
// It owns the way from package patterns to the bytes of the outputs: packages are
// loaded, their directives resolved and checked against types, a plan is made of
// each output, and the plan is emitted. The language of directives is that of
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
	"github.com/resgen-go/resgen/generator/internal/outputs"
	"github.com/resgen-go/resgen/internal/fault"
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
	// Limit, if not nil, tells the value of a setting that no count of a directive may
	// exceed, such as "maxConcurrentCalls" of an entry of "bulkheads", or math.MaxInt
	// for one without a value. A directive that reserves more is a fault. Calls come
	// from several goroutines at a time.
	Limit func(section, name, setting string) int
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
// The error is nil or a list of faults, all that were found; warnings are in the result.
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
	var reader outputs.Reader
	packages, err := load.Packages(load.Config{
		Hooks: reader.Hooks(), Context: opts.Context, Dir: opts.Dir, Tags: opts.Tags, Env: opts.Env, Plain: opts.Plain,
	}, opts.Patterns...)
	if err != nil {
		return Result{}, opts.ofLoad(err)
	}
	outcomes := make([]outcome, len(packages))
	progress := opts.counter(len(packages))
	each(packages, func(i int, pkg *load.Package) {
		if opts.Context.Err() == nil {
			outcomes[i] = process(pkg, &reader, opts)
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
	plans    []plan
	outputs  []Output
	broken   fault.List // it does not compile
	invalid  fault.List // its directives or outputs are at fault
	usage    usage
	claims   []claim
	guesses  fault.List // comments that may have been meant as directives
	warnings fault.List // for which it need not be compared with others
}

// each runs do for all packages, with one goroutine for each processor.
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
func process(pkg *load.Package, reader *outputs.Reader, opts Options) (out outcome) {
	annotated, read := readDirectives(pkg, reader)
	out.invalid, out.guesses = read.Faults, read.Guesses
	out.usage = usageOf(pkg, annotated)
	if len(pkg.Faults) == 0 && pkg.Types != nil {
		out.plan(pkg, annotated, opts)
	}
	out.broken = pkg.Faults
	if len(out.invalid) > 0 {
		return out
	}
	for _, plan := range out.plans {
		output, err := emitted(plan)
		if err != nil {
			out.invalid = append(out.invalid, fault.Fault{Position: token.Position{Filename: plan.Path, Line: 1, Column: 1}, Message: err.Error()})
		}
		out.outputs = append(out.outputs, output)
	}
	return out
}

// plan makes the plans of a package that compiles, and the warnings.
func (out *outcome) plan(pkg *load.Package, annotated map[*load.File][]directives.Interface, opts Options) {
	c := &checker{pkg: pkg, limit: opts.Limit, place: func(pos token.Pos) string {
		at := directives.Position(pkg.Fset, pos)
		at.Filename = opts.shorter(at.Filename)
		return at.String()
	}}
	targets := c.targets(annotated)
	out.plans = c.plans(targets)
	out.claims = c.claimsOf(targets, annotated)
	out.warnings = slices.Concat(c.cutOff(targets), c.unreserved(targets), c.idle(targets), c.foreign(targets),
		c.needless(targets), c.passing(targets), c.closing(targets), c.unjudged(targets), c.usedUp(targets), c.neverFalling(targets), c.reservedByKey(targets))
	out.invalid = append(out.invalid, c.faults...)
	if c.unknown {
		pkg.Faults, out.plans = pkg.Below, nil // its outputs are no leftovers
	}
}

// readDirectives reads the directives of all files that have some, with all that
// is said of them.
func readDirectives(pkg *load.Package, reader *outputs.Reader) (annotated map[*load.File][]directives.Interface, all directives.Reading) {
	annotated = map[*load.File][]directives.Interface{}
	for _, file := range pkg.Files {
		if !file.Asks || file.Syntax == nil {
			continue
		}
		read := reader.Directives(pkg.Fset, file)
		annotated[file] = read.Interfaces
		all.Faults = append(all.Faults, read.Faults...)
		all.Guesses = append(all.Guesses, read.Guesses...)
	}
	return annotated, all
}

// emitted is the output of a plan, beside what stands in its place.
func emitted(plan plan) (Output, error) {
	output := Output{Path: plan.Path}
	var err error
	if output.Want, err = emit(plan); err != nil {
		return output, err
	}
	output.Have, err = os.ReadFile(plan.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return output, nil
	case err == nil && len(bytes.TrimSpace(output.Have)) > 0 && !outputs.IsOurs(output.Have):
		err = fmt.Errorf("the output for %s belongs here, but this file was not generated by resgen; move it or rename %[1]s",
			filepath.Base(plan.Source))
	}
	return output, err
}

// join brings the packages together: one fault of a directive leaves nothing to
// write.
func join(packages []*load.Package, outcomes []outcome, opts Options) (Result, error) {
	var result Result
	var broken, invalid, guesses fault.List
	for _, out := range outcomes {
		result.plans = append(result.plans, out.plans...)
		result.Outputs = append(result.Outputs, out.outputs...)
		broken = append(broken, out.broken...)
		invalid = append(invalid, out.invalid...)
		guesses = append(guesses, out.guesses...)
	}
	if invalid = append(invalid, joinedByDefault(outcomes)...); len(invalid) > 0 {
		return Result{Warnings: opts.shown(guesses)}, opts.err(append(invalid, broken...))
	}
	result.Outputs = append(result.Outputs, leftovers(packages, result.plans, opts)...)
	result.Unseen = opts.shown(unseen(packages))
	result.finish(packages, opts)
	warnings := guesses
	if len(broken) == 0 {
		result.Dangling = opts.shown(dangling(packages, outcomes))
		warnings = slices.Concat(guesses, warningsOf(outcomes), halfway(outcomes), result.Dangling)
	}
	result.Warnings = opts.shown(warnings)
	return result, opts.err(broken)
}

// leftovers are outputs of ours that no source file asks for any more, in
// whatever build configuration it may be.
func leftovers(packages []*load.Package, plans []plan, opts Options) []Output {
	wanted := map[string]bool{}
	broken := map[string]bool{}
	for _, plan := range plans {
		wanted[plan.Path] = true
	}
	for _, pkg := range packages {
		for _, file := range pkg.Ignored {
			wanted[outputs.Path(file.Path)] = true
		}
		broken[pkg.Dir] = broken[pkg.Dir] || len(pkg.Faults) > 0
	}
	var left []Output
	for _, pkg := range packages {
		for _, output := range pkg.Outputs {
			if !wanted[output.Path] && !broken[pkg.Dir] {
				left = append(left, leftover(output, opts))
			}
		}
	}
	return left
}

// leftover is an output that is to go: at once, or under go generate in two
// steps. Emptied, the file is part of no build, so that go generate does not list
// it again.
func leftover(file *load.File, opts Options) Output {
	output := Output{Path: file.Path, Have: file.Src}
	if opts.GoGenerate && !(isEmptied(file.Src) && olderThan(file.Path, listed)) {
		output.Want = emptied(file.Src)
	}
	return output
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
	return []byte(outputs.Header + `

//go:build ignore

// Nothing asks for this file any more: a later run of resgen removes it.

package ` + name + "\n")
}

func isEmptied(output []byte) bool { return bytes.Equal(output, emptied(output)) }
