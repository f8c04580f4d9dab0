package generator

import (
	"go/types"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// excused reports whether the interface at a line can't have a wrapper, by what
// its package is, and whatever the generator says of it.
func excused(pkg *load.Package, annotated map[*load.File][]directives.Interface, line int) bool {
	for _, interfaces := range annotated {
		for _, i := range interfaces {
			from, to := pkg.Fset.Position(i.All()[0].Slash).Line, pkg.Fset.Position(i.Spec.End()).Line
			if from <= line && line <= to {
				e := excuse{pkg: pkg.Types, seen: map[types.Type]bool{}}
				return e.takes(i.Spec.Name.Name) || e.needs() || e.has(pkg.Types.Scope().Lookup(i.Spec.Name.Name).Type())
			}
		}
	}
	return false
}

// An excuse is looked for in all types that an interface mentions.
type excuse struct {
	pkg  *types.Package
	seen map[types.Type]bool
}

// takes reports whether a name of the wrapper means something else in the package
// or in one of its files.
func (e excuse) takes(iface string) bool {
	typ, constructor := outputs.Names(iface, "")
	for _, name := range []string{typ, constructor} {
		if e.hides(name) {
			return true
		}
		for file := range e.pkg.Scope().Children() {
			if file.Lookup(name) != nil {
				return true
			}
		}
	}
	return false
}

// needs reports whether the package hides names of Go's that each constructor
// needs. An error that is hidden is written out.
func (e excuse) needs() bool { return e.hides("nil") || e.hides("error") && e.hides("string") }

func (e excuse) hides(name string) bool { return e.pkg.Scope().Lookup(name) != nil }

// has reports whether a type can't be written in the package.
func (e excuse) has(t types.Type) bool {
	if t == nil || e.seen[t] {
		return false
	}
	e.seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		return e.hides(t.Name())
	case *types.Alias:
		return e.names(t.Obj()) || e.all(t.TypeArgs()) || t.Obj().Pkg() == e.pkg && e.has(t.Rhs())
	case *types.Named:
		return e.names(t.Obj()) || e.all(t.TypeArgs()) || e.hasParams(t.TypeParams()) || t.Obj().Pkg() == e.pkg && e.has(t.Underlying()) ||
			t.Obj().Pkg() != e.pkg && types.IsInterface(t) && e.has(t.Underlying())
	case *types.TypeParam:
		return false
	case *types.Pointer:
		return e.has(t.Elem())
	case *types.Slice:
		return e.has(t.Elem())
	case *types.Array:
		return e.has(t.Elem())
	case *types.Chan:
		return e.has(t.Elem())
	case *types.Map:
		return e.has(t.Key()) || e.has(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if e.has(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return e.has(t.Params()) || e.has(t.Results())
	case *types.Struct:
		for field := range t.Fields() {
			if e.has(field.Type()) {
				return true
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if e.has(term.Type()) {
				return true
			}
		}
	case *types.Interface:
		return e.hasMethods(t)
	}
	return false
}

func (e excuse) hasMethods(t *types.Interface) bool {
	for method := range t.Methods() {
		if e.has(method.Type()) {
			return true
		}
	}
	for embedded := range t.EmbeddedTypes() {
		if e.has(embedded) {
			return true
		}
	}
	return false
}

// names reports whether a name has no meaning or another one in the package.
func (e excuse) names(name *types.TypeName) bool {
	switch name.Pkg() {
	case e.pkg:
		return false
	case nil:
		return e.hides(name.Name())
	}
	return !name.Exported()
}

func (e excuse) all(list *types.TypeList) bool {
	for t := range list.Types() {
		if e.has(t) {
			return true
		}
	}
	return false
}

func (e excuse) hasParams(list *types.TypeParamList) bool {
	for p := range list.TypeParams() {
		if e.has(p.Constraint()) {
			return true
		}
	}
	return false
}
