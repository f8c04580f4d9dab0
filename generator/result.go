package generator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// Result is what [Generate] made, and what stands on disk in its place.
type Result struct {
	Plans []Plan // sorted by path
	Files []File // sorted by path

	// Warnings are of what is probably not meant, but does no harm to the
	// outputs. Where there are faults, they are only of comments that look like
	// directives, which may explain a fault.
	Warnings Faults
	// Dangling are the warnings of names that directives mention though nothing is
	// guarded by them. An output may be written before its names are in use, but
	// should not be checked in.
	Dangling Faults

	// Unseen are the files that have directives, but are not part of this build,
	// with the way to look at them. They are neither faults nor warnings.
	Unseen Faults

	ctx     context.Context
	folders map[string]bool          // of the packages
	shown   func(path string) string // as messages show it
}

// File is one output.
type File struct {
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
func (f File) Status() Status {
	switch {
	case f.Want == nil && isEmptied(f.Have):
		return Emptied
	case f.Want == nil:
		return Leftover
	case f.Have == nil:
		return Missing
	case !bytes.Equal(f.Want, f.Have):
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
	for i := range r.Files {
		r.Files[i].Shown = opts.shorter(r.Files[i].Path)
	}
	slices.SortFunc(r.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(r.Plans, func(a, b Plan) int { return cmp.Compare(a.Path, b.Path) })
}

// Outdated are the files that are not as they should be. Emptied ones are not
// among them.
func (r Result) Outdated() []File {
	return slices.DeleteFunc(slices.Clone(r.Files), func(f File) bool {
		return f.Status() == Current || f.Status() == Emptied
	})
}

// Check names the outputs that are not as they should be, one a line.
func (r Result) Check(w io.Writer) error {
	for _, file := range r.Outdated() {
		if _, err := fmt.Fprintf(w, "%s: %s\n", file.Shown, file.Status()); err != nil {
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
	for _, file := range r.Files {
		if file.Status() == Current {
			continue
		}
		if err := context.Cause(r.ctx); err != nil {
			return fmt.Errorf("%s is not up to date: %w", file.Shown, err)
		}
		if err := file.write(); err != nil {
			return fmt.Errorf("%s cannot be brought up to date: %w", file.Shown, err)
		}
	}
	return nil
}

func (f File) write() error {
	if f.Want != nil {
		return replace(f.target(), f.Want, f.mode())
	}
	if err := os.Remove(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // a run beside this one was faster
}

// target is where the file is written: at its path, or at what that links to.
func (f File) target() string {
	if target, err := filepath.EvalSymlinks(f.Path); err == nil {
		return target
	}
	return f.Path
}

// mode is that of the file that is replaced, or the usual one.
func (f File) mode() os.FileMode {
	if info, err := os.Stat(f.Path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
