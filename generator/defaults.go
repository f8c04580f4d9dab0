package generator

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/internal/fault"
)

// noteName notes a name that a directive in force only means, because another
// interface may come to mean the same.
func (t *target) noteName(d directives.Directive) {
	if d.Unnamed() {
		t.unnamed = append(t.unnamed, d)
	}
}

// defaults are the names that directives in force only mean, with their sections.
func (t *target) defaults() []string {
	list := make([]string, len(t.unnamed))
	for i, d := range t.unnamed {
		list[i] = d.Row.Section().Name + "." + d.Name().Text
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// claim is a name that an interface has for want of another.
type claim struct {
	row   *directives.Row
	name  string
	owner owner
	at    token.Position
}

// owner is the interface in which a directive without a name stands.
type owner struct {
	path, pkg, name string
	bound           bool // to a program or a test of its own, which no other package is part of
}

func (o owner) String() string { return o.path + "." + o.name }

// meets reports whether one program may have the wrappers of both.
func (o owner) meets(other owner) bool {
	return o.path == other.path || !o.bound || !other.bound
}

// claimsOf are those of the directives in force, each directive once.
func (c *checker) claimsOf(targets []*target, annotated map[*load.File][]directives.Interface) []claim {
	owners := map[token.Pos]owner{}
	for file, interfaces := range annotated {
		bound := file.Test || c.pkg.External || c.pkg.Types.Name() == "main"
		for _, iface := range interfaces {
			for _, d := range iface.All() {
				owners[d.Slash] = owner{c.pkg.Path, c.pkg.Types.Name(), iface.Spec.Name.Name, bound}
			}
		}
	}
	found := map[token.Pos]claim{}
	for _, t := range targets {
		for _, d := range t.unnamed {
			at := directives.Position(c.pkg.Fset, d.Slash)
			found[d.Slash] = claim{d.Row, d.Name().Text, owners[d.Slash], at}
		}
	}
	return slices.Collect(maps.Values(found))
}

// joinedByDefault are the faults of names that two interfaces have for want of others, so
// that the guards of both would be the same.
func joinedByDefault(outcomes []outcome) fault.List {
	byName := map[string][]claim{}
	for _, out := range outcomes {
		for _, c := range out.claims {
			key := c.row.Section().Name + "." + c.name
			byName[key] = append(byName[key], c)
		}
	}
	var faults fault.List
	for _, claims := range byName {
		for _, c := range claims {
			if others := c.rivals(claims); len(others) > 0 {
				faults = append(faults, c.fault(others))
			}
		}
	}
	return faults
}

// rivals are the other interfaces with that name, sorted.
func (c claim) rivals(claims []claim) []string {
	rivals := names{}
	for _, other := range claims {
		if other.owner != c.owner && other.owner.meets(c.owner) {
			rivals.add(other.owner.String())
		}
	}
	return rivals.sorted()
}

// maxRivals is how many interfaces a fault names.
const maxRivals = 3

// fault says with whom the interface would share its guard, and the ways out.
func (c claim) fault(rivals []string) fault.Fault {
	if more := len(rivals) - maxRivals; more > 0 {
		rivals = append(rivals[:maxRivals:maxRivals], fmt.Sprint(more, " more"))
	}
	all := joined(append([]string{c.owner.String()}, rivals...))
	return fault.New(c.at, directives.Label(c.row.Name), "%s get %s %s by default, and would share it unasked; "+
		"give one a NAME of its own, such as //%[4]s %[5]s-%[3]s, or write //%[4]s %[3]s out where sharing is meant",
		all, c.row.Noun(), c.name, directives.Label(c.row.Name), c.owner.pkg)
}
