package generator

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
)

// usage is how the directives of one package use names.
type usage struct {
	guarding   map[string]names // that guard calls, by the kind of the guard
	references []reference
}

// reference is a breaker or bulkhead that a directive names without guarding by
// it.
type reference struct {
	directive  string
	kind, name string
	at         token.Position
}

func usageOf(pkg *load.Package, annotated map[*load.File][]directives.Interface) usage {
	u := usage{guarding: map[string]names{directives.Breaker: {}, directives.Bulkhead: {}}}
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

// warnings are those of each package alone, and those of names that guard
// nothing. If not all of a module is loaded, what they guard may be elsewhere:
// then only those count that are nearly the name of a guard.
func warnings(packages []*load.Package, outcomes []outcome, opts Options) Faults {
	guarding := map[string]names{directives.Breaker: {}, directives.Bulkhead: {}}
	for _, out := range outcomes {
		for kind, all := range guarding {
			maps.Copy(all, out.usage.guarding[kind])
		}
	}
	var faults Faults
	for i, out := range outcomes {
		faults = append(faults, out.warnings...)
		for _, ref := range out.usage.references {
			if guarding[ref.kind][ref.name] {
				continue
			}
			meant := didYouMean(ref.name, guarding[ref.kind].sorted())
			if meant != "" || opts.loadsAll(packages, packages[i].Module) {
				faults = append(faults, warning(ref.at, ref.directive, "nothing is guarded by %s %s%s", ref.kind, ref.name, meant))
			}
		}
	}
	return faults
}

// warning is a Fault that does not stand in the way of outputs.
func warning(at token.Position, directive, format string, args ...any) Fault {
	return Fault{at, "warning: " + directives.Tool + ":" + directive + ": " + fmt.Sprintf(format, args...)}
}

// loadsAll tells whether no directive of a module was left out, neither by the
// patterns nor by the build.
func (o Options) loadsAll(packages []*load.Package, m *load.Module) bool {
	if m == nil || slices.ContainsFunc(packages, func(p *load.Package) bool { return len(p.Ignored) > 0 }) {
		return false
	}
	return slices.ContainsFunc(o.Patterns, func(pattern string) bool {
		root, wild := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
		if !filepath.IsAbs(root) {
			root = filepath.Join(o.Dir, root)
		}
		return pattern == "work" || pattern == "all" || pattern == m.Path+"/..." || wild && root == m.Dir
	})
}
