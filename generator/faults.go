package generator

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
)

// Fault is something wrong at one place of the input, or at the place of an
// output.
type Fault struct {
	Position token.Position // its file is relative to [Options.Dir] where that is shorter
	Message  string
}

// String is the fault in one line, in the form that editors and CI understand.
func (f Fault) String() string {
	switch {
	case f.Position.Filename == "":
		return f.Message
	case !f.Position.IsValid():
		return f.Position.Filename + ": " + f.Message
	}
	return f.Position.String() + ": " + f.Message
}

// Faults are all that was found wrong in one run, sorted by position.
type Faults []Fault

// Error has one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

func fromDirectives(list directives.Faults) Faults {
	var faults Faults
	for _, fault := range list {
		message := strings.TrimPrefix(fault.String(), fault.Position.String()+": ")
		faults = append(faults, Fault{fault.Position, message})
	}
	return faults
}

// fromLoad is the error of a load that failed as a whole; where it tells of
// places, these are faults like all others.
func fromLoad(err error, opts Options) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var faults Faults
	for _, err := range joined.Unwrap() {
		fault, ok := err.(load.Fault)
		if !ok {
			return err
		}
		faults = append(faults, Fault{fault.Position, fault.Message})
	}
	return faults.err(opts)
}

// err is the faults as an error: sorted; nil if there are none.
func (f Faults) err(opts Options) error {
	if len(f) == 0 {
		return nil
	}
	return f.sorted(opts)
}

// sorted is the faults by position, each once.
func (f Faults) sorted(opts Options) Faults {
	sorted := make(Faults, len(f))
	for i, fault := range f {
		sorted[i] = Fault{opts.relative(fault.Position), fault.Message}
	}
	slices.SortFunc(sorted, Fault.compare)
	return slices.Compact(sorted)
}

func (f Fault) compare(other Fault) int {
	return cmp.Or(
		cmp.Compare(f.Position.Filename, other.Position.Filename),
		cmp.Compare(f.Position.Line, other.Position.Line),
		cmp.Compare(f.Position.Column, other.Position.Column),
		cmp.Compare(f.Message, other.Message),
	)
}

func (o Options) relative(pos token.Position) token.Position {
	pos.Filename = o.shorter(pos.Filename)
	return pos
}

// shorter is a path as it is shown: relative to the folder if that is shorter.
func (o Options) shorter(path string) string {
	if rel, err := filepath.Rel(o.Dir, path); err == nil && filepath.IsAbs(path) && len(rel) < len(path) {
		return rel
	}
	return path
}
