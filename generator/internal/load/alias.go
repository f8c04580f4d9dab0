package load

import (
	"go/ast"
	"slices"
	"strings"
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

// queueNaming has the imports of the roots parsed that no declaration needs,
// but that may name hidden types that some do.
func (l *loader) queueNaming(roots []*node) {
	for _, root := range roots {
		for _, s := range root.sources {
			for _, dep := range s.specs {
				if l.mayName(root, dep) {
					root.uses[dep] = true
					l.queue(dep)
				}
			}
		}
	}
}

// mayName says whether dep imports what is needed but root may not import. In
// the standard library, nothing shows that.
func (l *loader) mayName(root, dep *node) bool {
	for _, imported := range dep.Imports {
		hidden := l.nodes[imported.ID]
		if hidden.queued && hidden.Module != nil && !Importable(hidden.PkgPath, root.PkgPath) {
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

// noteAlias notes that an alias mentions a type, as mentions tells it.
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
