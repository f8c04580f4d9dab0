package generator

import (
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/closer"
	"github.com/resgen-go/resgen/internal/fault"
)

// closing warns of methods that free something and may be refused, because a
// directive of the type guards them too. There is one line for an interface.
func (c *checker) closing(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		var refused []*method
		for _, m := range t.methods {
			if closer.Is(m.Func) && m.refusedByType() && !m.foreign {
				refused = append(refused, m)
			}
		}
		if len(refused) > 0 {
			faults = append(faults, t.closingWarning(c, refused))
		}
	}
	return faults
}

// refusing are the guards of a method itself that refuse calls.
func (m *method) refusing() (rows []*directives.Row) {
	for _, item := range m.guard.own() {
		if item.Row.Refuses {
			rows = append(rows, item.Row)
		}
	}
	return rows
}

// refusedByType reports whether a directive of the type puts a guard before a
// method that refuses calls. One of the method itself is meant.
func (m *method) refusedByType() bool {
	return slices.ContainsFunc(m.refusing(), func(row *directives.Row) bool {
		_, own := m.own.Get(row.Name)
		return !own
	})
}

func (t *target) closingWarning(c *checker, refused []*method) fault.Fault {
	at, directive := anchor(t.annotated, nil)
	var elsewhere []*method
	for _, m := range slices.Backward(refused) {
		if t.has(m) {
			at = m.Pos()
		} else {
			elsewhere = append(elsewhere, m)
		}
	}
	slices.Reverse(elsewhere)
	put, it := "put", "it"
	if len(elsewhere) > 0 {
		put = "declare " + fewNames(elsewhere) + " in " + t.name + " once more, and put"
	}
	if len(refused) > 1 {
		it = "them"
	}
	var guards []string
	for _, row := range refused[0].refusing() {
		guards = append(guards, row.Noun())
	}
	return c.warning(at, directive, "the %s of %s may refuse %s, and what that would free is kept for ever; %s //%s:%s on %s",
		joined(guards), t.name, fewNames(refused), put, directives.Tool, directives.None, it)
}
