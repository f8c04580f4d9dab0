package generator

import "go/types"

// closes reports whether the convention of HTTP clients holds for a method: it
// closes the body of the request, also where it returns an error.
func (m *method) closes() bool {
	return m.context.Carried && isOfHTTP(m.context.Type, "Request") &&
		m.Signature().Results().Len() > 1 && isOfHTTP(m.Signature().Results().At(0).Type(), "Response")
}

// isCloser reports whether a value may be nil or has to be closed.
func isCloser(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "Close")
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Params().Len() == 0 && fn.Signature().Results().Len() == 1 && isError(fn.Signature().Results().At(0).Type())
}

// isOfHTTP reports whether t is a pointer to a type of package net/http.
func isOfHTTP(t types.Type, name string) bool {
	pointer, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(pointer.Elem()).(*types.Named)
	return ok && isNamed(named.Obj(), "net/http", name)
}
