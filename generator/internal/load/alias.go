package load

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An alias is a declaration type A = B of a dependency, where B mentions a type
// that cannot be named from everywhere. It is kept with that, so that an output
// can name B by it.
type alias struct {
	unit *unit
	of   string // the type, without its package
}

// Importable tells whether Go lets the package from import path.
func Importable(path, from string) bool {
	if strings.HasPrefix(path, "vendor/") { // what the standard library vendors
		return false
	}
	parent, internal := "", strings.HasPrefix(path+"/", "internal/")
	if i := strings.LastIndex(path+"/", "/internal/"); i >= 0 {
		parent, internal = path[:i], true
	}
	return !internal || parent != "" && strings.HasPrefix(from+"/", parent+"/")
}

// queueNaming has packages parsed that no declaration needs, but that may name
// hidden types that some do: imports of the roots, and of all that these use. It
// says whether there are any that it has not had parsed before.
func (l *loader) queueNaming(roots []*node) bool {
	hidden := l.hiddenFrom(roots)
	type use struct {
		s   *source
		dep *node
	}
	var uses []use // all are found before the first one is parsed, which changes its node
	for _, n := range l.nodes {
		for _, s := range n.sources {
			for _, dep := range s.specs {
				if !n.uses[dep] && dep.importsAny(hidden) {
					uses = append(uses, use{s, dep})
				}
			}
		}
	}
	for _, u := range uses {
		u.s.used[u.dep], u.s.node.uses[u.dep] = true, true
		l.queue(u.dep)
	}
	return len(uses) > 0
}

// hiddenFrom are the packages that are needed but that one of the roots may not
// import. In the standard library, nothing shows what they hide.
func (l *loader) hiddenFrom(roots []*node) map[*packages.Package]bool {
	hidden := map[*packages.Package]bool{}
	for _, n := range l.nodes {
		if n.queued && n.Module != nil && slices.ContainsFunc(roots, func(root *node) bool { return !Importable(n.PkgPath, root.PkgPath) }) {
			hidden[n.Package] = true
		}
	}
	return hidden
}

// importsAny reports whether n imports one of some packages.
func (n *node) importsAny(some map[*packages.Package]bool) bool {
	for _, imported := range n.Imports {
		if some[imported] {
			return true
		}
	}
	return false
}

// noteAliases notes the aliases that n declares, and gives those that were
// noted for n to their types.
func (l *loader) noteAliases(n *node) {
	for _, u := range n.all {
		if spec, ok := u.node.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
			ast.Walk(mentions{u.source, func(dep *node, name string) { l.noteAlias(u, dep, name) }}, spec.Type)
		}
	}
	for _, a := range n.aliases {
		l.attach(n, a)
	}
}

// noteAlias notes that an alias mentions a type, as mentions finds it.
func (l *loader) noteAlias(u *unit, dep *node, name string) {
	switch {
	case dep == nil && name == "C" && u.source.cgo:
		l.keep(u) // of its type there is no declaration
	case dep == nil:
		if !ast.IsExported(name) {
			l.attach(u.source.node, alias{u, name})
		}
	case !slices.Contains(strings.Split(dep.PkgPath, "/"), "internal"):
	case dep.parsed:
		l.attach(dep, alias{u, name})
	default:
		dep.aliases = append(dep.aliases, alias{u, name})
	}
}

// attach has an alias kept as soon as its type is.
func (l *loader) attach(n *node, a alias) {
	for _, t := range n.units[a.of] {
		t.aliases = append(t.aliases, a.unit)
		if t.kept {
			l.keep(a.unit)
		}
	}
}
