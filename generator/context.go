package generator

import "go/types"

// contextParam is the parameter by which a method gets its context: a
// context.Context or, where there is none, a value that carries one, such as an
// HTTP request.
type contextParam struct {
	index   int  // of the parameter; -1: there is none
	carried bool // by the method Context of the parameter
	fixed   bool // the carrier has no WithContext, so the callee cannot get another context
	t       types.Type
}

// contextOf finds the first parameter that is exactly a context.Context, else the
// first that carries one.
func contextOf(sig *types.Signature) contextParam {
	carrier := contextParam{index: -1}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		switch spread := sig.Variadic() && i == sig.Params().Len()-1; {
		case isContext(t):
			return contextParam{index: i, t: t}
		case carrier.index < 0 && !spread && carries(t):
			carrier = contextParam{i, true, !takesContext(t), t}
		}
	}
	return carrier
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && isNamed(named.Obj(), "context", "Context")
}

// carries reports whether a type has the method Context() context.Context.
func carries(t types.Type) bool {
	sig := methodOf(t, "Context")
	return sig != nil && sig.Params().Len() == 0 && sig.Results().Len() == 1 && isContext(sig.Results().At(0).Type())
}

// takesContext reports whether a type T has the method
// WithContext(context.Context) T.
func takesContext(t types.Type) bool {
	sig := methodOf(t, "WithContext")
	return sig != nil && !sig.Variadic() && sig.Params().Len() == 1 && isContext(sig.Params().At(0).Type()) &&
		sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), t)
}

// methodOf is the type of an exported method; nil if t does not have it.
func methodOf(t types.Type, name string) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	if fn, ok := obj.(*types.Func); ok {
		return fn.Signature()
	}
	return nil
}

// closes reports whether the convention of HTTP clients holds for a method: it
// closes the body of the request, also where it returns an error.
func (m *method) closes() bool {
	return m.context.carried && isOfHTTP(m.context.t, "Request") &&
		m.Signature().Results().Len() > 1 && isOfHTTP(m.Signature().Results().At(0).Type(), "Response")
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
