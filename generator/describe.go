package generator

import (
	"fmt"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/words"
)

// doc is the comment of the type: how much of the interface it guards.
func (w Wrapper) doc() string {
	switch guarded := w.guarded(); {
	case guarded == 0:
		return fmt.Sprintf("%s passes all calls of %s through.", w.Name, w.Interface)
	case guarded < len(w.Methods):
		return fmt.Sprintf("%s guards calls of %s, and passes others through.", w.Name, w.Interface)
	}
	return fmt.Sprintf("%s guards the calls of %s.", w.Name, w.Interface)
}

// constructorDoc is the comment of the constructor.
func (w Wrapper) constructorDoc() string {
	n := w.Names
	switch {
	case w.guarded() > 0:
		return fmt.Sprintf("%s puts the guards of %s before %s, with the settings of %s.", w.Constructor, w.Interface, n.NextParam, n.Registry)
	case len(w.Probes) > 0:
		return fmt.Sprintf("%s lets breakers of %s probe %s, and puts no guard before it.", w.Constructor, n.Registry, n.NextParam)
	}
	return fmt.Sprintf("%s puts no guard before %s.", w.Constructor, n.NextParam)
}

// guarded is how many methods have a guard.
func (w Wrapper) guarded() int {
	n := 0
	for _, m := range w.Methods {
		if m.Guard != nil {
			n++
		}
	}
	return n
}

// doc is the comment of a method: one line that says which guards it has.
func (m Method) doc() string {
	if m.Guard == nil {
		return fmt.Sprintf("%s passes through: %s.", m.Name, m.Why)
	}
	return m.Name + " " + joinedClauses(m.Guard.clauses()) + "."
}

// clauses say what a guard does, in the order in which it does it.
func (g *Guard) clauses() []string {
	var clauses []string
	if len(g.Check) > 0 {
		clauses = append(clauses, "checks "+words.Plural("breaker", len(g.Check))+" "+joined(g.Check))
	}
	if len(g.Preload) > 0 {
		clauses = append(clauses, "preloads "+words.Plural("bulkhead", len(g.Preload))+" "+joined(permits(g.Preload)))
	}
	if len(g.Lease) > 0 {
		clauses = append(clauses, "leases "+words.Plural("bulkhead", len(g.Lease))+" "+joined(permits(g.Lease)))
	}
	if own := g.own(); len(own) > 0 {
		clauses = append(clauses, "is guarded by "+joined(own))
	}
	return clauses
}

// own are the guards of the method itself.
func (g *Guard) own() []string {
	var own []string
	for _, kind := range g.kinds() {
		own = append(own, kind+" "+g.named(kind))
	}
	return own
}

// kinds are the kinds of the method's own guards.
func (g *Guard) kinds() []string {
	var kinds []string
	for _, kind := range []string{directives.Breaker, directives.Bulkhead, directives.Timeout} {
		if g.named(kind) != "" {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// named is the name of the method's own guard of a kind; empty if it has none.
func (g *Guard) named(kind string) string {
	return map[string]string{directives.Breaker: g.Breaker, directives.Bulkhead: g.Bulkhead, directives.Timeout: g.Timeout}[kind]
}

func permits(list []Permits) []string {
	var words []string
	for _, p := range list {
		words = append(words, fmt.Sprintf("%s:%d", p.Bulkhead, p.N))
	}
	return words
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
