package generator

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
)

// usage is how the directives of one package use names.
type usage struct {
	guarding   guards
	references []reference
}

// guards are names that guard calls, by the kind of the guard.
type guards map[string]names

func guardNames() guards {
	return guards{directives.Breaker: {}, directives.Bulkhead: {}}
}

func (g guards) add(more guards) {
	for kind, all := range more {
		maps.Copy(g[kind], all)
	}
}

// reference is a breaker or bulkhead that a directive names without guarding by
// it.
type reference struct {
	directive  string
	kind, name string
	at         token.Position
}

func usageOf(pkg *load.Package, annotated map[*load.File][]directives.Interface) usage {
	u := usage{guarding: guardNames()}
	for _, interfaces := range annotated {
		for _, iface := range interfaces {
			u.add(pkg.Fset, iface.All())
		}
	}
	return u
}

func (u *usage) add(fset *token.FileSet, set directives.Set) {
	for _, d := range set {
		if guarding := u.guarding[d.Kind.Name]; guarding != nil {
			guarding.add(d.Name.Text)
		}
		refer := func(kind string, ref directives.Ref) {
			u.references = append(u.references, reference{d.Kind.Name, kind, ref.Text, directives.Position(fset, ref.Pos)})
		}
		if d.Kind.Name == directives.Probe {
			refer(directives.Breaker, d.Name)
		}
		for _, breaker := range d.Check {
			refer(directives.Breaker, breaker)
		}
		for _, r := range slices.Concat(d.Preload, d.Lease) {
			refer(directives.Bulkhead, r.Bulkhead)
		}
	}
}

// warningsOf are those of each package alone.
func warningsOf(outcomes []outcome) Faults {
	var faults Faults
	for _, out := range outcomes {
		faults = append(faults, out.warnings...)
	}
	return faults
}

// dangling warns of names that guard nothing, neither in the packages nor, where
// the patterns or the build left something out, in whatever they belong to.
func dangling(packages []*load.Package, outcomes []outcome) Faults {
	guarding := guardNames()
	for _, out := range outcomes {
		guarding.add(out.usage.guarding)
	}
	var missed []reference
	var around []*load.Package
	for i, out := range outcomes {
		before := len(missed)
		missed = append(missed, out.usage.missing(guarding)...)
		if len(missed) > before {
			around = append(around, packages[i])
		}
	}
	if len(missed) == 0 {
		return nil
	}
	guarding.add(guardsAround(around))
	var faults Faults
	for _, ref := range missed {
		if !guarding[ref.kind][ref.name] {
			faults = append(faults, warning(ref.at, ref.directive, "nothing is guarded by %s %s%s",
				ref.kind, ref.name, didYouMean(ref.name, guarding[ref.kind].sorted())))
		}
	}
	return faults
}

// missing are the references to names that guard nothing. One without a name was
// reported.
func (u *usage) missing(guarding guards) []reference {
	return slices.DeleteFunc(slices.Clone(u.references), func(ref reference) bool {
		return ref.name == "" || guarding[ref.kind][ref.name]
	})
}

// warning is a Fault that does not stand in the way of outputs.
func warning(at token.Position, directive, format string, args ...any) Fault {
	return Fault{at, "warning: " + directives.Tool + ":" + directive + ": " + fmt.Sprintf(format, args...)}
}
