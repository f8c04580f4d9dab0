package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
)

// packageC stands in for what cgo makes for a package: whatever n mentions of C
// is a type there, of which nothing is known but its name. So types have the
// names that they are given in terms of C; values have none.
func (n *node) packageC() *types.Package {
	c := types.NewPackage("C", "C")
	for _, s := range n.sources {
		if !s.cgo {
			continue
		}
		ast.Inspect(s.file.Syntax, func(x ast.Node) bool {
			if selector, ok := x.(*ast.SelectorExpr); ok && isC(selector.X) {
				name := types.NewTypeName(selector.Sel.Pos(), c, selector.Sel.Name, nil)
				types.NewNamed(name, types.Typ[types.Invalid], nil)
				c.Scope().Insert(name)
			}
			return true
		})
	}
	c.MarkComplete()
	return c
}

func importsC(spec ast.Spec) bool {
	imported, ok := spec.(*ast.ImportSpec)
	return ok && imported.Path.Value == `"C"`
}

func isC(x ast.Expr) bool {
	base, ok := x.(*ast.Ident)
	return ok && base.Name == "C"
}

// UnknownLength is the length of arrays whose real length stems from C.
const UnknownLength = 1<<30 + 1

// hideLengths replaces what is written as the length of an array where it stems
// from C.
func (n *node) hideLengths() {
	n.lengths = map[*ast.ArrayType]ast.Expr{}
	for _, s := range n.sources {
		ast.Inspect(s.file.Syntax, func(x ast.Node) bool {
			array, ok := x.(*ast.ArrayType)
			if ok && array.Len != nil && (&unit{source: s, node: array.Len}).showsC(map[*unit]bool{}) {
				n.lengths[array] = array.Len
				array.Len = &ast.BasicLit{ValuePos: array.Len.Pos(), Kind: token.INT, Value: strconv.Itoa(UnknownLength)}
			}
			return true
		})
	}
}

// stemsFromC reports whether an error may be none for cgo, which knows C: it is not about
// a name, and stands in a declaration that something of C shows in.
func (n *node) stemsFromC(e types.Error) bool {
	if aboutName.MatchString(e.Msg) {
		return false
	}
	return slices.ContainsFunc(n.all, func(u *unit) bool {
		return u.node.Pos() <= e.Pos && e.Pos < u.node.End() && u.showsC(map[*unit]bool{})
	})
}

var aboutName = regexp.MustCompile(`^undefined: |^could not import | redeclared in this block`)

// showsC reports whether the declaration mentions something of C, or another one
// that does.
func (u *unit) showsC(seen map[*unit]bool) bool {
	if seen[u] {
		return false
	}
	seen[u] = true
	others, shows := slices.Clone(u.methods), false
	ast.Walk(mentions{u.source, func(dep *node, name string) {
		shows = shows || dep == nil && name == "C" && u.source.cgo
		others = append(others, u.source.declaring(dep, name)...)
	}}, u.node)
	return shows || slices.ContainsFunc(others, func(other *unit) bool { return other.showsC(seen) })
}

// declaring are the declarations of a name that s mentions, as mentions tells
// it. The standard library shows nothing of C.
func (s *source) declaring(dep *node, name string) []*unit {
	if dep != nil {
		if dep.Module == nil {
			return nil
		}
		return dep.units[name]
	}
	units := slices.Clone(s.node.units[name])
	for _, dep := range s.dots {
		units = append(units, s.declaring(dep, name)...)
	}
	return units
}
