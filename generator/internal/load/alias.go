package load

import (
	"go/ast"
	"slices"
	"strings"
)

// An alias is an exported declaration type A = B of a dependency, where B cannot be named from everywhere. It is kept with
// B, so that an output can name B by it.
type alias struct {
	unit *unit
	of   string // B, without its package
}

// noteAliases notes the aliases that n declares, and gives those that were noted for n to their types.
func (l *loader) noteAliases(n *node) {
	for _, u := range n.all {
		if spec, ok := u.node.(*ast.TypeSpec); ok && spec.Assign.IsValid() && spec.Name.IsExported() {
			l.noteAlias(u, spec)
		}
	}
	for _, a := range n.aliases {
		l.attach(n, a)
	}
}

func (l *loader) noteAlias(u *unit, spec *ast.TypeSpec) {
	switch of := spec.Type.(type) {
	case *ast.Ident:
		if !of.IsExported() {
			l.attach(u.source.node, alias{u, of.Name})
		}
	case *ast.SelectorExpr:
		base, _ := of.X.(*ast.Ident)
		if base == nil || u.source.imports[base.Name] == nil {
			return
		}
		dep := u.source.imports[base.Name]
		switch {
		case !slices.Contains(strings.Split(dep.PkgPath, "/"), "internal"):
		case dep.parsed:
			l.attach(dep, alias{u, of.Sel.Name})
		default:
			dep.aliases = append(dep.aliases, alias{u, of.Sel.Name})
		}
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
