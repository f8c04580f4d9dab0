package generator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/internal/fault"
)

// Result is what [Generate] made, and what stands on disk in its place.
type Result struct {
	Outputs []Output // sorted by path

	// Warnings are of what is probably not meant, but does no harm to the
	// outputs. Where there are faults, they are only of comments that look like
	// directives, which may explain a fault.
	Warnings fault.List
	// Dangling are the warnings of names that directives mention though nothing is
	// guarded by them. An output may be written before its names are in use, but
	// should not be checked in.
	Dangling fault.List

	// Unseen are the files that have directives, but are not part of this build,
	// with the way to look at them. They are neither faults nor warnings.
	Unseen fault.List

	plans   []plan // sorted by path
	ctx     context.Context
	folders map[string]bool          // of the packages
	shown   func(path string) string // as messages show it
}

// Output is one output.
type Output struct {
	Path  string // absolute
	Shown string // as messages show it
	Want  []byte // nil: nothing asks for it any more
	Have  []byte // what stands on disk; nil: nothing
}

// Status says how an output on disk compares with what it should be.
type Status string

// The states of an output.
const (
	Current  Status = "current"
	Missing  Status = "missing"
	Stale    Status = "stale"    // differs from what it should be
	Leftover Status = "leftover" // nothing asks for it any more
	Emptied  Status = "emptied"  // nothing asks for it any more, and it does no harm
)

// Status compares what is wanted with what there is.
func (o Output) Status() Status {
	switch {
	case o.Want == nil && isEmptied(o.Have):
		return Emptied
	case o.Want == nil:
		return Leftover
	case o.Have == nil:
		return Missing
	case !bytes.Equal(o.Want, o.Have):
		return Stale
	}
	return Current
}

// finish sorts and completes the result.
func (r *Result) finish(packages []*load.Package, opts Options) {
	r.ctx, r.shown, r.folders = opts.Context, opts.shorter, map[string]bool{}
	for _, pkg := range packages {
		r.folders[pkg.Dir] = true
	}
	for i := range r.Outputs {
		r.Outputs[i].Shown = opts.shorter(r.Outputs[i].Path)
	}
	slices.SortFunc(r.Outputs, func(a, b Output) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(r.plans, func(a, b plan) int { return cmp.Compare(a.Path, b.Path) })
}

// wrappers are those of all plans.
func (r Result) wrappers() iter.Seq[wrapper] {
	return func(yield func(wrapper) bool) {
		for _, plan := range r.plans {
			for _, w := range plan.Wrappers {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// Outdated are the files that are not as they should be. Emptied ones are not
// among them.
func (r Result) Outdated() []Output {
	return slices.DeleteFunc(slices.Clone(r.Outputs), func(o Output) bool {
		return o.Status() == Current || o.Status() == Emptied
	})
}

// Check names the outputs that are not as they should be, one a line.
func (r Result) Check(w io.Writer) error {
	for _, output := range r.Outdated() {
		if _, err := fmt.Fprintf(w, "%s: %s\n", output.Shown, output.Status()); err != nil {
			return err
		}
	}
	return nil
}

// Write brings the disk up to date. Each file is replaced at one go, so that a
// run that is killed leaves the old or the new one; files that are as they should
// be are left alone, and leftovers are removed. Where a link stands for a file,
// what it points to is replaced. What runs that were killed left beside the files
// goes, too. Write stops at the first error, and between two files at the end of
// the context.
func (r Result) Write() error {
	r.sweep()
	for _, output := range r.Outputs {
		if output.Status() == Current {
			continue
		}
		if err := context.Cause(r.ctx); err != nil {
			return fmt.Errorf("%s is not up to date: %w", output.Shown, err)
		}
		if err := output.write(); err != nil {
			return fmt.Errorf("%s cannot be brought up to date: %w", output.Shown, err)
		}
	}
	return nil
}

func (o Output) write() error {
	if o.Want != nil {
		return replace(o.target(), o.Want, o.mode())
	}
	if err := os.Remove(o.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // a run beside this one was faster
}

// target is where the file is written: at its path, or at what that links to.
func (o Output) target() string {
	if target, err := filepath.EvalSymlinks(o.Path); err == nil {
		return target
	}
	return o.Path
}

// mode is that of the file that is replaced, or the usual one.
func (o Output) mode() os.FileMode {
	if info, err := os.Stat(o.Path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
