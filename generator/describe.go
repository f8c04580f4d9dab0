package generator

import (
	"fmt"
	"strings"

	"github.com/resgen-go/resgen/directives"
)

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
		clauses = append(clauses, "checks "+plural("breaker", len(g.Check))+" "+joined(g.Check))
	}
	if len(g.Preload) > 0 {
		clauses = append(clauses, "preloads "+plural("bulkhead", len(g.Preload))+" "+joined(permits(g.Preload)))
	}
	if len(g.Lease) > 0 {
		clauses = append(clauses, "leases "+plural("bulkhead", len(g.Lease))+" "+joined(permits(g.Lease)))
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

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
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
