package directives

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Fault is one mistake, in the words in which its author reads it: what was
// found, what is allowed, and the way out.
type Fault struct {
	Position  token.Position
	Directive string // as it is written; empty if it has no name
	Message   string

	// Guess says that nothing may be wrong: the comment can mean what it says. It
	// is a warning, which stops nothing.
	Guess bool
}

// String is the fault in one line, in the form that editors and CI understand:
//
//	shop.go:14:2: resilience:probe: stands on type Shop; it belongs in …
func (f Fault) String() string {
	name := Tool
	if f.Guess {
		name = "warning: " + name
	}
	if f.Directive != "" {
		name += ":" + f.Directive
	}
	return fmt.Sprintf("%v: %s: %s", f.Position, name, f.Message)
}

// Faults are the mistakes of one run.
type Faults []Fault

// Error has one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the faults by position, each once. It leaves f as it is.
func (f Faults) Sorted() Faults {
	sorted := slices.Clone(f)
	slices.SortFunc(sorted, Fault.compare)
	return slices.CompactFunc(sorted, func(a, b Fault) bool { return a.compare(b) == 0 })
}

func (f Fault) compare(other Fault) int {
	return cmp.Or(
		cmp.Compare(f.Position.Filename, other.Position.Filename),
		cmp.Compare(f.Position.Line, other.Position.Line),
		cmp.Compare(f.Position.Column, other.Position.Column),
		cmp.Compare(f.Directive, other.Directive),
		cmp.Compare(f.Message, other.Message),
	)
}

// Position is where pos is in the file on disk. Unlike fset.Position it does
// not follow //line comments, which may know no column.
func Position(fset *token.FileSet, pos token.Pos) token.Position {
	return fset.PositionFor(pos, false)
}
