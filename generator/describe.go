package generator

import (
	"fmt"
	"strings"
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
	for _, guard := range []struct{ kind, name string }{
		{"breaker", g.Breaker}, {"bulkhead", g.Bulkhead}, {"timeout", g.Timeout},
	} {
		if guard.name != "" {
			own = append(own, guard.kind+" "+guard.name)
		}
	}
	return own
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
