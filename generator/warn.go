package generator

import (
	"go/token"
	"maps"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/internal/fault"
)

// usage is how the directives of one package use names.
type usage struct {
	guarding   guards
	references []reference
	reserved   []reserved // by each entry
}

// guards are names that guard calls, by the section that they are in.
type guards map[*directives.Section]names

func (g guards) add(section *directives.Section, more ...string) {
	if g[section] == nil {
		g[section] = names{}
	}
	g[section].add(more...)
}

func (g guards) addAll(more guards) {
	for section, all := range more {
		g.add(section, slices.Collect(maps.Keys(all))...)
	}
}

// reference is a name that a directive mentions without guarding by it.
type reference struct {
	directive string
	section   *directives.Section
	name      string
	at        token.Position
}

func usageOf(pkg *load.Package, annotated map[*load.File][]directives.Interface) usage {
	u := usage{guarding: guards{}}
	for _, interfaces := range annotated {
		for _, iface := range interfaces {
			u.add(pkg.Fset, iface.All())
		}
	}
	return u
}

func (u *usage) add(fset *token.FileSet, set directives.Set) {
	for _, d := range set {
		var counted reserved
		for _, arg := range d.Args {
			for _, ref := range arg.Refs {
				mention := reference{d.Row.Name, arg.Section, directives.BaseOf(ref.Text), directives.Position(fset, ref.Pos)}
				switch {
				case arg.Section == nil:
				case arg.Key == "" && d.Row.Guards():
					u.guarding.add(arg.Section, ref.Text)
				case arg.Form == directives.CountList:
					counted = append(counted, mention)
					fallthrough
				default:
					u.references = append(u.references, mention)
				}
			}
		}
		u.reserved = append(u.reserved, counted)
	}
}

// warningsOf are those of each package alone.
func warningsOf(outcomes []outcome) fault.List {
	var faults fault.List
	for _, out := range outcomes {
		faults = append(faults, out.warnings...)
	}
	return faults
}

// dangling warns of names that guard nothing, neither in the packages nor, where
// the patterns or the build left something out, in whatever they belong to.
func dangling(packages []*load.Package, outcomes []outcome) fault.List {
	guarding := guards{}
	for _, out := range outcomes {
		guarding.addAll(out.usage.guarding)
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
	guarding.addAll(guardsAround(around))
	var faults fault.List
	for _, ref := range missed {
		if !guarding[ref.section][ref.name] {
			faults = append(faults, directives.Warning(ref.at, ref.directive, "nothing is guarded by %s %s%s",
				ref.section.Noun, ref.name, didYouMean(ref.name, guarding[ref.section].sorted())))
		}
	}
	return faults
}

// missing are the references to names that guard nothing. One without a name was
// reported.
func (u *usage) missing(guarding guards) []reference {
	return slices.DeleteFunc(slices.Clone(u.references), func(ref reference) bool {
		return ref.name == "" || guarding[ref.section][ref.name]
	})
}
