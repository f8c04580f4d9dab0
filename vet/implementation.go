package vet

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/refactor/satisfy"
)

// anticipated lists the interfaces with an anticipated method, in this package
// and in imported ones. Generic ones are left out: which instance a type
// implements is not to be seen in its methods.
func (c *checker) anticipated() []*types.TypeName {
	var list []*types.TypeName
	for obj, g := range c.known {
		if g.isEntry() && types.IsInterface(obj.Type()) && !isGeneric(obj) {
			list = append(list, obj)
		}
	}
	slices.SortFunc(list, func(a, b *types.TypeName) int {
		return cmp.Or(cmp.Compare(a.Pkg().Path(), b.Pkg().Path()), cmp.Compare(a.Name(), b.Name()))
	})
	return list
}

// implementations finds the methods of the package that implement anticipated
// ones. That a type has such methods is not enough, as Run(ctx) error may be
// anything: the package has to use the type as the interface. A method that
// implements two is left out if they reserve differently.
func (c *checker) implementations(anticipated []*types.TypeName) map[*types.Func]*entry {
	found := map[*types.Func]*entry{}
	conversions := c.conversions()
	for _, iface := range anticipated {
		for conversion := range conversions {
			if isOrEmbeds(conversion.LHS, iface) {
				c.implementation(conversion.RHS, iface, found)
			}
		}
	}
	for fn, e := range found {
		if e.of == nil {
			delete(found, fn)
		}
	}
	return found
}

// conversions are the interfaces of the package's code, tests aside, with the
// types whose values become one: in a declaration such as
// var _ Shop = (*service)(nil), in an assignment, an argument, a result.
func (c *checker) conversions() map[satisfy.Constraint]bool {
	var finder satisfy.Finder
	finder.Find(c.TypesInfo, slices.DeleteFunc(slices.Clone(c.Files), c.isTest))
	return finder.Result
}

// isOrEmbeds tells whether a type is an interface or made of it.
func isOrEmbeds(t types.Type, iface *types.TypeName) bool {
	if named(t) == iface {
		return true
	}
	whole, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for embedded := range whole.EmbeddedTypes() {
		if isOrEmbeds(embedded, iface) {
			return true
		}
	}
	return false
}

// implementation adds the anticipated methods of a type that is used as an
// interface.
func (c *checker) implementation(t types.Type, iface *types.TypeName, found map[*types.Func]*entry) {
	obj := named(t)
	if obj == nil || obj.Pkg() != c.Pkg || types.IsInterface(t) || isGeneric(obj) {
		return
	}
	known, _ := c.guarded(iface)
	for _, m := range known.Methods {
		obj, _, _ := types.LookupFieldOrMethod(t, false, iface.Pkg(), m.Name)
		fn, ok := obj.(*types.Func)
		if !ok || !m.Entry || contextIndex(fn.Signature()) < 0 {
			continue
		}
		fn = fn.Origin()
		e := found[fn]
		if e == nil {
			found[fn] = &entry{checker: c, of: iface, method: m}
		} else if !slices.Equal(e.method.Preload, m.Preload) || !slices.Equal(e.method.Lease, m.Lease) {
			e.of = nil
		}
	}
}

// decorates tells whether a method of the entry's type mentions what may be
// another implementation of the entry. Then it may well stand before the
// wrapper, where there is no reservation yet.
func (e *entry) decorates(sig *types.Signature) bool {
	own, found := named(sig.Recv().Type()), false
	for fn, decl := range e.declarations {
		if recv := fn.Signature().Recv(); recv == nil || named(recv.Type()) != own || decl.Body == nil {
			continue
		}
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			found = found || ok && e.mayImplement(x, own, sig)
			return !found
		})
	}
	return found
}

// mayImplement tells whether an expression, not of the entry's own type, is a
// value with a method like the entry, or a function like it that is held
// somewhere.
func (e *entry) mayImplement(x ast.Expr, own *types.TypeName, sig *types.Signature) bool {
	value := e.TypesInfo.Types[x]
	if !value.IsValue() || named(value.Type) == own {
		return false
	}
	if types.Identical(value.Type.Underlying(), sig) {
		return e.isHeld(x)
	}
	obj, _, _ := types.LookupFieldOrMethod(value.Type, true, e.of.Pkg(), e.method.Name)
	return obj != nil && types.Identical(obj.Type().Underlying(), sig)
}

// isHeld tells whether a function comes from elsewhere: it is neither declared
// nor made on the spot, nor a local variable, whose value is seen by itself.
func (e *entry) isHeld(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit:
		return false
	case *ast.Ident, *ast.SelectorExpr:
		v, _ := e.variable(x)
		return v != nil && isHeld(v)
	}
	return true
}
