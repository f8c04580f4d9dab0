package generator

import (
	"fmt"
	"go/token"
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

// needless warns of kinds that a method opts out of though no interface that has
// the method guards by them.
func (c *checker) needless(targets []*target) Faults {
	needed := map[token.Pos]bool{}
	for _, t := range targets {
		for _, m := range t.methods {
			none, _ := m.own.Get(directives.None)
			for _, kind := range none.Kinds {
				_, guarded := t.annotated.Directives.Get(kind.Text)
				needed[kind.Pos] = needed[kind.Pos] || guarded
			}
		}
	}
	var faults Faults
	for _, t := range targets {
		for _, m := range t.annotated.Methods {
			none, _ := m.Directives.Get(directives.None)
			for _, kind := range none.Kinds {
				if !needed[kind.Pos] {
					faults = append(faults, warning(directives.Position(c.pkg.Fset, kind.Pos), directives.None,
						"there is no %s on %s that %s could opt out of", kind.Text, t.name, m.Name.Name))
				}
			}
		}
	}
	return faults
}

// passing warns of calls that look guarded and are not: methods with a context
// that pass through for want of an error. Where no method is guarded, idle says
// so.
func (c *checker) passing(targets []*target) Faults {
	var faults Faults
	for _, t := range targets {
		var passing []*method
		for _, m := range t.methods {
			if m.guard == nil && m.context >= 0 && len(m.lacking) > 0 && !returnsError(m.Signature()) {
				passing = append(passing, m)
			}
		}
		if len(passing) > 0 && slices.ContainsFunc(t.methods, func(m *method) bool { return m.guard != nil }) {
			faults = append(faults, t.passingWarning(c, passing))
		}
	}
	return faults
}

func (t *target) passingWarning(c *checker, passing []*method) Fault {
	guards := func(d directives.Directive) bool { return d.Kind.Guards }
	first := t.annotated.Directives[slices.IndexFunc(t.annotated.Directives, guards)]
	said := fmt.Sprintf("%s of %s takes a context and passes through unguarded, because it returns no error; //%s:%s on it says that this is meant",
		passing[0].Name(), t.name, directives.Tool, directives.None)
	if len(passing) > 1 {
		said = fmt.Sprintf("%d of the %d methods of %s take a context and pass through unguarded, because they return no error; "+
			"-list names them, and //%s:%s on them says that this is meant", len(passing), len(t.methods), t.name, directives.Tool, directives.None)
	}
	return warning(directives.Position(c.pkg.Fset, first.Slash), first.Kind.Name, "%s", said)
}
