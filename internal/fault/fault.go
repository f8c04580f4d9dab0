// Package fault tells of mistakes at places in files. All that reads source code
// here reports them in this form, sorts them and prints them by it.
package fault

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
	Position token.Position
	Label    string // such as "resilience:probe"; empty where Go itself finds the mistake
	Message  string // one line
}

// New is a fault with a message that is formatted.
func New(at token.Position, label, format string, args ...any) Fault {
	return Fault{at, label, fmt.Sprintf(format, args...)}
}

// String is the fault in one line, in the form that editors and CI understand:
//
//	shop.go:14:2: resilience:probe: stands on type Shop; it belongs in …
func (f Fault) String() string {
	line := f.Message
	if f.Label != "" {
		line = f.Label + ": " + line
	}
	switch {
	case f.Position.Filename == "":
		return line
	case !f.Position.IsValid():
		return f.Position.Filename + ": " + line
	}
	return f.Position.String() + ": " + line
}

// List are the faults of one run.
type List []Fault

// Error has one line for each fault.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, fault := range l {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the faults by position, each once. It leaves l as it is.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, Fault.compare)
	return slices.CompactFunc(sorted, func(a, b Fault) bool { return a.compare(b) == 0 })
}

func (f Fault) compare(other Fault) int {
	return cmp.Or(
		cmp.Compare(f.Position.Filename, other.Position.Filename),
		cmp.Compare(f.Position.Line, other.Position.Line),
		cmp.Compare(f.Position.Column, other.Position.Column),
		cmp.Compare(f.Label, other.Label),
		cmp.Compare(f.Message, other.Message),
	)
}
