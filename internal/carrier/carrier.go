// Package carrier finds the parameter by which a method gets its context: a
// context.Context or, where there is none, a value that carries one, such as an
// HTTP request.
package carrier

import "go/types"

// Param is such a parameter.
type Param struct {
	Index   int  // of the parameter; -1: there is none
	Carried bool // by the method Context of the parameter
	Fixed   bool // the carrier has no WithContext, so the callee cannot get another context
	Type    types.Type
}

// Of finds the first parameter that is exactly a context.Context, else the first
// that carries one.
func Of(sig *types.Signature) Param {
	found := Param{Index: -1}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		switch spread := sig.Variadic() && i == sig.Params().Len()-1; {
		case IsContext(t):
			return Param{Index: i, Type: t}
		case found.Index < 0 && !spread && carries(t):
			found = Param{i, true, !takesContext(t), t}
		}
	}
	return found
}

// Replaceable reports whether a guard can hand a context of its own to the
// method.
func (p Param) Replaceable() bool { return p.Index >= 0 && !p.Fixed }

// IsContext reports whether t is exactly a context.Context.
func IsContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}

// carries reports whether a type has the method Context() context.Context.
func carries(t types.Type) bool {
	sig := methodOf(t, "Context")
	return sig != nil && sig.Params().Len() == 0 && sig.Results().Len() == 1 && IsContext(sig.Results().At(0).Type())
}

// takesContext reports whether a type T has the method
// WithContext(context.Context) T.
func takesContext(t types.Type) bool {
	sig := methodOf(t, "WithContext")
	return sig != nil && !sig.Variadic() && sig.Params().Len() == 1 && IsContext(sig.Params().At(0).Type()) &&
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
