package generator

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/column"
)

// List prints a table of all methods of all wrappers: what guards each, or why
// it passes through.
func (r Result) List(w io.Writer) error {
	var text strings.Builder
	for i, plan := range r.plans {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintln(&text, r.shown(plan.Source))
		var table listing
		for _, wrapper := range plan.Wrappers {
			wrapper.list(&table)
		}
		table.write(&text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (w wrapper) list(table *listing) {
	*table = append(*table, [2]string{"  " + w.Interface, w.Name})
	for _, m := range w.Methods {
		*table = append(*table, [2]string{"    " + m.Name, strings.Join(w.remarks(m), "; ")})
	}
	for _, m := range w.Sealed {
		*table = append(*table, [2]string{"    " + m.Name, "passes through: only package " + m.Package + " can declare it"})
	}
}

// listing is a table of names and what is said about them.
type listing [][2]string

// write writes the remarks into a column of their own, where long ones go on. A
// name that would leave them no room has a line to itself.
func (l listing) write(text *strings.Builder) {
	const between, room = 2, 32
	left := 6 // more than an indent, and less than any name needs
	for _, line := range l {
		if wide := utf8.RuneCountInString(line[0]) + between; wide <= room {
			left = max(left, wide)
		}
	}
	indent := strings.Repeat(" ", left)
	for _, line := range l {
		name := fmt.Sprintf("%-*s", left, line[0])
		if utf8.RuneCountInString(line[0])+between > left {
			fmt.Fprintln(text, line[0])
			name = indent
		}
		fmt.Fprintln(text, column.Wrap(name+line[1], indent))
	}
}

// remarks are what is to be said about a method.
func (w wrapper) remarks(m planned) []string {
	remarks := []string{"passes through: " + m.Why}
	if len(m.Guard) > 0 {
		remarks = append(m.Guard.columns(), m.Skipped...)
	}
	if m.Stream != nil {
		remarks = append(remarks, directives.Stream)
	}
	if deadline, ok := m.Guard.with(directives.Deadline); ok && m.CutOff != "" {
		remarks = append(remarks, "the "+deadline.Row.Noun()+" cuts off what is read from its "+m.CutOff)
	}
	for _, probe := range w.Probes {
		if probe.Method == m.Name {
			remarks = append(remarks, "probe of breaker "+probe.Breaker)
		}
	}
	return remarks
}

// columns are the guards in the words of the directives. An argument that says how
// a guard works stands behind the name of that.
func (g guard) columns() []string {
	var columns []string
	for _, item := range g {
		switch {
		case item.names():
			columns = append(columns, item.Section.Noun+" "+item.Refs[0].Text)
		case item.Verb != "" && item.Section != nil:
			columns = append(columns, item.Key+" "+strings.Join(item.texts(), ", "))
		default:
			columns[len(columns)-1] += " " + item.Key + "=" + item.texts()[0]
		}
	}
	return columns
}
