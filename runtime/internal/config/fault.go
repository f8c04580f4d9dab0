package config

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Fault is one thing that is wrong, or worth a warning, in a file.
type Fault struct {
	File         string // the name that Parse was given
	Line, Column int    // from 1, in characters; 0 for a fault without a place in the file
	Path         string // of the value: "breakers.payments.testDelay"; empty for the file as a whole
	Message      string // says what was found and what is allowed
}

// String is the fault on one line: "resilience.json:7:30:
// breakers.payments.failureRateThreshold: 120 is outside (0, 100]".
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	if f.Path != "" {
		b.WriteString(": " + f.Path)
	}
	return b.String() + ": " + f.Message
}

// Faults are all faults of a file, in the order of their places. There is at
// least one.
type Faults []Fault

// maxLines is how many faults a text lists.
const maxLines = 200

// Error has one line for each fault. Of very many it lists the first ones and
// says how many more there are.
func (f Faults) Error() string {
	var lines []string
	for _, fault := range f[:min(len(f), maxLines)] {
		lines = append(lines, fault.String())
	}
	if more := len(f) - maxLines; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// settle sorts the faults and drops repetitions.
func (f Faults) settle() Faults {
	sort.Sort(byPlace(f))
	return slices.Compact(f)
}

// byPlace is for package sort, which servers link anyway. slices.SortFunc would
// add a copy of itself for faults.
type byPlace Faults

func (f byPlace) Len() int      { return len(f) }
func (f byPlace) Swap(i, j int) { f[i], f[j] = f[j], f[i] }

func (f byPlace) Less(i, j int) bool {
	a, b := &f[i], &f[j]
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message)) < 0
}

// faults is the fault that ends the reading.
func (t *text) faults(file string, bad *syntaxError) Faults {
	line, column := t.place(bad.at)
	return Faults{{File: file, Line: line, Column: column, Message: bad.message}}
}
