package entries

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/refactor/satisfy"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// anticipated lists the interfaces with an anticipated method, in this package
// and in imported ones. Generic ones are left out: which instance a type
// implements is not to be seen in its methods.
func (f finder) anticipated() []*types.TypeName {
	var list []*types.TypeName
	for obj, g := range f.Known {
		if g.HasEntry() && types.IsInterface(obj.Type()) && !guards.IsGeneric(obj) {
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
func (f finder) implementations(anticipated []*types.TypeName) map[*types.Func]*Entry {
	found := map[*types.Func]*Entry{}
	conversions := f.conversions()
	for _, iface := range anticipated {
		for conversion := range conversions {
			if isOrEmbeds(conversion.LHS, iface) {
				f.implementation(conversion.RHS, iface, found)
			}
		}
	}
	for fn, e := range found {
		if e.Of == nil {
			delete(found, fn)
		}
	}
	return found
}

// conversions are the interfaces of the package's code, tests aside, with the
// types whose values become one: in a declaration such as
// var _ Shop = (*service)(nil), in an assignment, an argument, a result.
func (f finder) conversions() map[satisfy.Constraint]bool {
	var finder satisfy.Finder
	finder.Find(f.TypesInfo, slices.DeleteFunc(slices.Clone(f.Files), f.IsTest))
	return finder.Result
}

// isOrEmbeds reports whether a type is an interface or made of it.
func isOrEmbeds(t types.Type, iface *types.TypeName) bool {
	if guards.Named(t) == iface {
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
func (f finder) implementation(t types.Type, iface *types.TypeName, found map[*types.Func]*Entry) {
	obj := guards.Named(t)
	if obj == nil || obj.Pkg() != f.Pkg || types.IsInterface(t) || guards.IsGeneric(obj) {
		return
	}
	for _, m := range f.Known[iface].Methods {
		obj, _, _ := types.LookupFieldOrMethod(t, false, iface.Pkg(), m.Name)
		fn, ok := obj.(*types.Func)
		if !ok || !m.Entry || guards.ContextIndex(fn.Signature()) < 0 {
			continue
		}
		fn = fn.Origin()
		e := found[fn]
		if e == nil {
			found[fn] = &Entry{Package: f.Package, Of: iface, Method: m}
		} else if !e.Method.Like(m) {
			e.Of = nil
		}
	}
}

// decorates reports whether a method of the entry's type mentions what may be
// another implementation of the entry. Then it may well stand before the
// wrapper, where there is no reservation yet.
func (e *Entry) decorates(sig *types.Signature) bool {
	own, found := guards.Named(sig.Recv().Type()), false
	for fn, decl := range e.Declarations {
		if recv := fn.Signature().Recv(); recv == nil || guards.Named(recv.Type()) != own || decl.Body == nil {
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

// mayImplement reports whether an expression, not of the entry's own type, is a
// value with a method like the entry, or a function like it that is held
// somewhere.
func (e *Entry) mayImplement(x ast.Expr, own *types.TypeName, sig *types.Signature) bool {
	value := e.TypesInfo.Types[x]
	if !value.IsValue() || guards.Named(value.Type) == own {
		return false
	}
	if types.Identical(value.Type.Underlying(), sig) {
		return e.isHeld(x)
	}
	obj, _, _ := types.LookupFieldOrMethod(value.Type, true, e.Of.Pkg(), e.Method.Name)
	return obj != nil && types.Identical(obj.Type().Underlying(), sig)
}

// isHeld reports whether a function comes from elsewhere: it is neither declared
// nor made on the spot, nor a local variable, whose value is seen by itself.
func (e *Entry) isHeld(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit:
		return false
	case *ast.Ident, *ast.SelectorExpr:
		v, _ := e.Variable(x)
		return v != nil && guards.IsHeld(v)
	}
	return true
}
