package generator

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// List prints a table of all methods of all wrappers: what guards each, or why
// it passes through.
func (r Result) List(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, plan := range r.Plans {
		if i > 0 {
			fmt.Fprintln(table)
		}
		fmt.Fprintf(table, "%s\n", r.shown(plan.Source))
		for _, wrapper := range plan.Wrappers {
			wrapper.list(table)
		}
	}
	return table.Flush()
}

func (w Wrapper) list(table io.Writer) {
	fmt.Fprintf(table, "  %s\t%s\n", w.Interface, w.Name)
	for _, m := range w.Methods {
		fmt.Fprintf(table, "    %s\t%s\n", m.Name, strings.Join(w.remarks(m), "; "))
	}
}

// remarks are what is to be said about a method.
func (w Wrapper) remarks(m Method) []string {
	remarks := []string{"passes through: " + m.Why}
	if m.Guard != nil {
		remarks = append(m.Guard.columns(), m.Skipped...)
	}
	if m.CutOff != "" {
		remarks = append(remarks, "the timeout cuts off what is read from its "+m.CutOff)
	}
	for _, probe := range w.Probes {
		if probe.Method == m.Name {
			remarks = append(remarks, "probe of breaker "+probe.Breaker)
		}
	}
	return remarks
}

// columns are the guards in the words of the directives.
func (g *Guard) columns() []string {
	own := g.own()
	if g.Classify.Name != "" {
		own[0] += " classify=" + g.Classify.String()
	}
	for _, reserved := range []struct {
		key   string
		words []string
	}{
		{"check", g.Check}, {"preload", permits(g.Preload)}, {"lease", permits(g.Lease)},
	} {
		if len(reserved.words) > 0 {
			own = append(own, reserved.key+" "+strings.Join(reserved.words, ", "))
		}
	}
	return own
}
