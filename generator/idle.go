package generator

import (
	"slices"

	"github.com/resgen-go/resgen/directives"
)

// idle warns of directives on a type that guard none of its methods.
func (c *checker) idle(targets []*target) Faults {
	var faults Faults
	for _, t := range targets {
		for _, d := range t.annotated.Directives {
			kind := d.Kind.Name
			guards := func(m *method) bool { return !m.overrides(kind) && c.obstacle(m, kind) == nil }
			if d.Kind.Guards && !slices.ContainsFunc(t.methods, guards) {
				faults = append(faults, warning(directives.Position(c.pkg.Fset, d.Slash), kind,
					"it guards no method of %s; %s", t.name, t.whyIdle(kind)))
			}
		}
	}
	return faults
}

// whyIdle says what a method would need to be guarded.
func (t *target) whyIdle(kind string) string {
	switch what, needed := carries[kind]; {
	case !slices.ContainsFunc(t.methods, func(m *method) bool { return !m.overrides(kind) }):
		return "each has a " + kind + " of its own or is marked none"
	case needed:
		return "one would need error as its last result and a context.Context parameter to carry " + what
	}
	return "one would need error as its last result"
}
