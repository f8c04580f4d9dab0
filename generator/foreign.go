package generator

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// foreign warns of directives on methods that are embedded from another package:
// they hold in that one alone.
func (c *checker) foreign(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		for _, m := range t.methods {
			for _, e := range c.embedded(t, m) {
				_, set := c.commentsAt(e.fn.Pos(), m.Name())
				if len(set) > 0 && !holdsAnyway(set, m) {
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
