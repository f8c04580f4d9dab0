package vet

import "go/types"

// named is the name of a type, or of what a pointer type points to; nil if it
// has none.
func named(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// underlying is the interface that a name stands for.
func underlying(iface *types.TypeName) *types.Interface {
	return iface.Type().Underlying().(*types.Interface)
}

func isNamed(obj types.Object, path, name string) bool {
	return obj.Pkg() != nil && obj.Pkg().Path() == path && obj.Name() == name
}

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && isNamed(n.Obj(), "context", "Context")
}

func returnsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && isError(sig.Results().At(n-1).Type())
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// contextIndex is which parameter carries a reservation: the first that is
// exactly a context.Context; -1 if none is.
func contextIndex(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		if isContext(sig.Params().At(i).Type()) {
			return i
		}
	}
	return -1
}

func isGeneric(obj *types.TypeName) bool {
	n, ok := obj.Type().(*types.Named)
	return ok && n.TypeParams().Len() > 0
}

// isHeld tells whether a variable outlives a call: a field, or one of a package.
func isHeld(v *types.Var) bool { return v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }
