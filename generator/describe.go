package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/words"
)

// doc is the comment of the type: how much of the interface it guards.
func (w wrapper) doc() string {
	switch guarded := w.guarded(); {
	case guarded == 0:
		return fmt.Sprintf("%s passes all calls of %s through.", w.Name, w.Interface)
	case guarded < len(w.Methods)+len(w.Sealed):
		return fmt.Sprintf("%s guards calls of %s, and passes others through.", w.Name, w.Interface)
	}
	return fmt.Sprintf("%s guards the calls of %s.", w.Name, w.Interface)
}

// constructorDoc is the comment of the constructor.
func (w wrapper) constructorDoc() string {
	n := w.Names
	switch {
	case w.guarded() > 0:
		return fmt.Sprintf("%s puts the guards of %s before %s, with the settings of %s.", w.Constructor, w.Interface, n.NextParam, n.Registry)
	case len(w.Probes) > 0:
		return fmt.Sprintf("%s lets breakers of %s probe %s, and puts no guard before it.", w.Constructor, n.Registry, n.NextParam)
	}
	return fmt.Sprintf("%s puts no guard before %s.", w.Constructor, n.NextParam)
}

// embeddedDoc is the comment of the alias by which an interface is embedded.
func (w wrapper) embeddedDoc() string {
	var packages []string
	for _, m := range w.Sealed {
		if !slices.Contains(packages, m.Package) {
			packages = append(packages, m.Package)
		}
	}
	return fmt.Sprintf("%s brings the methods of %s that only %s %s can declare.",
		w.Embedded, w.Interface, words.Plural("package", len(packages)), joined(packages))
}

// guarded is how many methods have a guard.
func (w wrapper) guarded() int {
	n := 0
	for _, m := range w.Methods {
		if len(m.Guard) > 0 {
			n++
		}
	}
	return n
}

// doc is the comment of a method: one line that says which guards it has.
func (m planned) doc() string {
	if len(m.Guard) == 0 {
		return fmt.Sprintf("%s passes through: %s.", m.Name, m.Why)
	}
	clauses := m.Guard.clauses()
	if m.Stream != nil {
		clauses = append(clauses, "lasts until what it returned is closed or has ended")
	}
	return m.Name + " " + joinedClauses(clauses) + "."
}

// clauses say what a guard does, in the order in which it does it: what it does by
// verbs comes before the guards of the method itself.
func (g guard) clauses() []string {
	var clauses []string
	for _, item := range g {
		if item.Verb != "" {
			clauses = append(clauses, item.Verb+" "+g.object(item))
		}
	}
	var own []string
	for _, item := range g.own() {
		if item.Verb == "" && !item.Row.Answers() {
			own = append(own, item.Section.Noun+" "+item.Refs[0].Text+g.by(item.Row))
		}
	}
	if len(own) > 0 {
		clauses = append(clauses, "is guarded by "+joined(own))
	}
	return clauses
}

// by is the key of a directive.
func (g guard) by(row *directives.Row) string {
	for _, i := range g {
		if i.Form == directives.Key && i.Row == row {
			return " (by " + i.texts()[0] + ")"
		}
	}
	return ""
}

// object is what the verb of an item is about. Behind a stand-in stands the NAME of
// its directive.
func (g guard) object(i item) string {
	texts := joined(i.texts())
	if i.Section != nil {
		return words.Plural(i.Section.Noun, len(i.Refs)) + " " + texts
	}
	for _, own := range g.own() {
		if own.Row == i.Row {
			texts += " (" + own.Section.Noun + " " + own.Refs[0].Text + ")"
		}
	}
	return texts
}

// joinedClauses lists clauses that may be lists themselves, so there is a comma
// before the last one, too.
func joinedClauses(clauses []string) string {
	if len(clauses) < 2 {
		return strings.Join(clauses, "")
	}
	last := len(clauses) - 1
	return strings.Join(clauses[:last], ", ") + ", and " + clauses[last]
}
