package generator

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

	shown func(path string) string // as messages show it
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
)

// Status compares what is wanted with what there is.
func (f File) Status() Status {
	switch {
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
func (r *Result) finish(opts Options) {
	r.shown = opts.shorter
	for i := range r.Files {
		r.Files[i].Shown = opts.shorter(r.Files[i].Path)
	}
	slices.SortFunc(r.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(r.Plans, func(a, b Plan) int { return cmp.Compare(a.Path, b.Path) })
}

// Outdated are the files that are not as they should be.
func (r Result) Outdated() []File {
	return slices.DeleteFunc(slices.Clone(r.Files), func(f File) bool { return f.Status() == Current })
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
// what it points to is replaced. Write stops at the first error.
func (r Result) Write() error {
	for _, file := range r.Outdated() {
		if err := file.write(); err != nil {
			return fmt.Errorf("%s cannot be brought up to date: %w", file.Shown, err)
		}
	}
	return nil
}

func (f File) write() error {
	if f.Want == nil {
		return os.Remove(f.Path)
	}
	path := f.Path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".resgen-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails once it has its new name
	_, err = temp.Write(f.Want)
	if err == nil {
		err = temp.Chmod(f.mode())
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// mode is that of the file that is replaced, or the usual one.
func (f File) mode() os.FileMode {
	if info, err := os.Stat(f.Path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
