package generator

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// idle warns of directives on a type that guard none of its methods.
func (c *checker) idle(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		for _, d := range t.annotated.Directives {
			guards := func(m *method) bool { return !m.overrides(d.Row) && c.obstacle(m, d.Row) == nil }
			if d.Row.Guards() && !slices.ContainsFunc(t.methods, guards) {
				faults = append(faults, c.warning(d.Slash, d.Row.Name, "it guards no method of %s; %s", t.name, t.whyIdle(d.Row)))
			}
		}
	}
	return faults
}

// whyIdle says what a method would need to be guarded.
func (t *target) whyIdle(row *directives.Row) string {
	switch {
	case !slices.ContainsFunc(t.methods, func(m *method) bool { return !m.overrides(row) }):
		return "each has a " + row.Noun() + " of its own or is marked none"
	case row.Needs != "":
		return "one would need error as its last result, or a fallback, and a context.Context parameter to carry " + string(row.Needs)
	}
	return "one would need error as its last result, or a fallback"
}

// needless warns of kinds that a method opts out of though no interface that has
// the method guards by them.
func (c *checker) needless(targets []*target) fault.List {
	needed := map[token.Pos]bool{}
	for _, t := range targets {
		for _, m := range t.methods {
			none, _ := m.own.Get(directives.None)
			for _, kind := range none.Kinds() {
				_, guarded := t.annotated.Directives.Get(kind.Text)
				needed[kind.Pos] = needed[kind.Pos] || guarded
			}
		}
	}
	var faults fault.List
	for _, t := range targets {
		for _, m := range t.annotated.Methods {
			none, _ := m.Directives.Get(directives.None)
			for _, kind := range none.Kinds() {
				if !needed[kind.Pos] {
					faults = append(faults, c.warning(kind.Pos, directives.None,
						"there is no %s on %s that %s could opt out of", kind.Text, t.name, m.Name.Name))
				}
			}
		}
	}
	return faults
}

// neverFalling warns of fallbacks that nothing leads to: their methods return no
// error, and no guard refuses their calls or judges their results.
func (c *checker) neverFalling(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		for _, m := range t.methods {
			i, falls := m.guard.standIn()
			leads := func(i item) bool { return i.Row.Refuses || i.inBody && i.Form == directives.Function }
			if falls && !returnsError(m.Signature()) && !slices.ContainsFunc(m.guard, leads) {
				faults = append(faults, c.warning(i.Refs[0].Pos, i.Row.Name,
					"%s never falls back: it returns no error, and no guard refuses its calls or judges its results", m.Name()))
			}
		}
	}
	return faults
}

// passing warns of calls that look guarded and are not: methods with a context
// that pass through for want of an error. Where no method is guarded, idle says
// so.
func (c *checker) passing(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		var passing []*method
		for _, m := range t.methods {
			if !m.guarded() && m.context.Index >= 0 && len(m.lacking) > 0 && !returnsError(m.Signature()) {
				passing = append(passing, m)
			}
		}
		if len(passing) > 0 && slices.ContainsFunc(t.methods, func(m *method) bool { return m.guarded() }) {
			faults = append(faults, t.passingWarning(c, passing))
		}
	}
	return faults
}

func (t *target) passingWarning(c *checker, passing []*method) fault.Fault {
	guards := func(d directives.Directive) bool { return d.Row.Guards() }
	first := t.annotated.Directives[slices.IndexFunc(t.annotated.Directives, guards)]
	said := fmt.Sprintf("%s of %s takes a context and passes through unguarded, because it returns no error; a fallback lets it be guarded, and //%s:%s on it says that this is meant",
		passing[0].Name(), t.name, directives.Tool, directives.None)
	if len(passing) > 1 {
		said = fmt.Sprintf("%d of the %d methods of %s take a context and pass through unguarded, because they return no error; "+
			"-list names them, fallbacks let them be guarded, and //%s:%s on them says that this is meant", len(passing), len(t.methods), t.name, directives.Tool, directives.None)
	}
	return c.warning(first.Slash, first.Row.Name, "%s", said)
}
