package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// foreign warns of directives on methods that are embedded from another package:
// they hold in that one alone. The file of such a method is read once more, as
// the comments of dependencies are not loaded.
func (c *checker) foreign(targets []*target) fault.List {
	var faults fault.List
	files := map[string]map[spot]directives.Set{}
	for _, t := range targets {
		for _, m := range t.methods {
			for _, e := range c.embedded(t, m) {
				from := directives.Position(c.pkg.Fset, e.fn.Pos())
				if files[from.Filename] == nil {
					files[from.Filename] = directivesIn(from.Filename)
				}
				set := files[from.Filename][spot{from.Line, m.Name()}]
				if holdsAnyway(set, m) {
					continue
				}
				if len(set) > 0 {
					m.foreign = true
					faults = append(faults, c.warning(e.at, set[0].Row.Name,
						"the directives of %s at %s do not hold in %s, as its package is another; declare %[1]s in %[3]s once more, with those that should",
						m.Name(), c.place(e.fn.Pos()), t.name))
				}
			}
		}
	}
	return faults
}

// holdsAnyway reports whether a set of directives does nothing but opt out of
// guards that the method does not have here, either.
func holdsAnyway(set directives.Set, m *method) bool {
	_, none := set.Get(directives.None)
	guards := slices.ContainsFunc(set, func(d directives.Directive) bool { return d.Row.Guards() })
	return none && !guards && !slices.ContainsFunc(m.guard.own(), func(i item) bool { return set.OptsOut(i.Row.Name) })
}

// embedding is a place where an interface gets a method from another one.
type embedding struct {
	at token.Pos
	fn *types.Func
}

// embedded is where an interface gets a method from other packages; nowhere if
// this one declares the method, too, and with it the directives that hold.
func (c *checker) embedded(t *target, m *method) []embedding {
	if t.has(m) {
		return nil
	}
	var found []embedding
	for _, x := range embeddedBy(t.annotated.Spec.Type) {
		of := c.pkg.Info.Types[x].Type
		if of == nil {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(of, false, m.Pkg(), m.Name())
		fn, ok := obj.(*types.Func)
		switch {
		case !ok:
		case fn.Pkg() == c.pkg.Types, fn.Pkg() == nil: // of error
			return nil
		default:
			found = append(found, embedding{x.Pos(), fn})
		}
	}
	return found
}

// embeddedBy are the interfaces that the one written as x embeds, or stands for.
func embeddedBy(x ast.Expr) []ast.Expr {
	literal, ok := ast.Unparen(x).(*ast.InterfaceType)
	if !ok {
		return []ast.Expr{x}
	}
	var list []ast.Expr
	for _, field := range literal.Methods.List {
		if len(field.Names) == 0 {
			list = append(list, field.Type)
		}
	}
	return list
}

// spot is where a file declares a method.
type spot struct {
	line int
	name string
}

// directivesIn are those of all methods in a file, none if it cannot be read.
func directivesIn(path string) map[spot]directives.Set {
	found := map[spot]directives.Set{}
	src, err := os.ReadFile(path)
	if err != nil || !directives.Asks(src) {
		return found
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return found
	}
	for _, iface := range directives.Parse(fset, file, src).Interfaces {
		for _, m := range iface.Methods {
			found[spot{directives.Position(fset, m.Name.Pos()).Line, m.Name.Name}] = m.Directives
		}
	}
	return found
}
