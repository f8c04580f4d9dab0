package guards

import "go/types"

// Named is the name of a type, or of what a pointer type points to; nil if it
// has none.
func Named(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// Underlying is the interface that a name stands for.
func Underlying(iface *types.TypeName) *types.Interface {
	return iface.Type().Underlying().(*types.Interface)
}

// IsNamed reports whether an object is the one of that name in a package.
func IsNamed(obj types.Object, path, name string) bool {
	return obj.Pkg() != nil && obj.Pkg().Path() == path && obj.Name() == name
}

// IsRuntime reports whether an object is of the package that generated code calls.
func IsRuntime(obj types.Object) bool { return obj.Pkg() != nil && obj.Pkg().Path() == runtimePath }

// IsContext reports whether a type is context.Context.
func IsContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && IsNamed(n.Obj(), "context", "Context")
}

func returnsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && IsError(sig.Results().At(n-1).Type())
}

// IsError reports whether a type is error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// ContextIndex is which parameter carries a reservation: the first that is
// exactly a context.Context; -1 if none is.
func ContextIndex(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		if IsContext(sig.Params().At(i).Type()) {
			return i
		}
	}
	return -1
}

// IsGeneric reports whether a type has type parameters.
func IsGeneric(obj *types.TypeName) bool {
	n, ok := obj.Type().(*types.Named)
	return ok && n.TypeParams().Len() > 0
}

// IsHeld reports whether a variable outlives a call: a field, or one of a package.
func IsHeld(v *types.Var) bool { return v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }
