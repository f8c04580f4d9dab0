package generator

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
)

// sections of the settings file, by the kind of the directive that names one of
// their entries.
var sections = map[string]string{
	directives.Breaker:  "breakers",
	directives.Probe:    "breakers",
	directives.Bulkhead: "bulkheads",
	directives.Timeout:  "timeouts",
}

// named is the name that a directive in force gives or means. A name that it
// only means is noted, as another interface may come to mean the same.
func (t *target) named(d directives.Directive) string {
	if d.Unnamed() {
		t.unnamed = append(t.unnamed, d)
	}
	return d.Name.Text
}

// defaults are the names that directives in force only mean, with their sections.
func (t *target) defaults() []string {
	list := make([]string, len(t.unnamed))
	for i, d := range t.unnamed {
		list[i] = sections[d.Kind.Name] + "." + d.Name.Text
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// claim is a name that an interface has for want of another.
type claim struct {
	section, name string
	owner         owner
	kind          string // of the directive
	at            token.Position
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
			found[d.Slash] = claim{sections[d.Kind.Name], d.Name.Text, owners[d.Slash], d.Kind.Name, at}
		}
	}
	return slices.Collect(maps.Values(found))
}

// joinedByDefault are the faults of names that two interfaces have for want of others, so
// that the guards of both would be the same.
func joinedByDefault(outcomes []outcome) Faults {
	byName := map[string][]claim{}
	for _, out := range outcomes {
		for _, c := range out.claims {
			key := c.section + "." + c.name
			byName[key] = append(byName[key], c)
		}
	}
	var faults Faults
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
func (c claim) fault(rivals []string) Fault {
	if more := len(rivals) - maxRivals; more > 0 {
		rivals = append(rivals[:maxRivals:maxRivals], fmt.Sprint(more, " more"))
	}
	all := joined(append([]string{c.owner.String()}, rivals...))
	noun := strings.TrimSuffix(c.section, "s")
	return Fault{c.at, fmt.Sprintf(
		"%[1]s:%[2]s: %[3]s get %[4]s %[5]s by default, and would share it unasked; "+
			"give one a NAME of its own, such as //%[1]s:%[2]s %[6]s-%[5]s, or write //%[1]s:%[2]s %[5]s out where sharing is meant",
		directives.Tool, c.kind, all, noun, c.name, c.owner.pkg)}
}
