package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// stem says where a context comes from.
type stem uint8

const (
	unseen  stem = iota // nothing was seen yet
	derived             // from the entry's context
	foreign             // surely from elsewhere
	unsure
)

func (s stem) and(other stem) stem {
	switch {
	case s == unseen || s == other:
		return other
	case other == unseen:
		return s
	}
	return unsure
}

// stem tells where the context comes from that an expression of the body gives.
func (e *entry) stem(x ast.Expr) stem { return e.stemOf(x, map[*types.Var]bool{}) }

// stemOf is stem without the variables on the way, which depend on themselves.
func (e *entry) stemOf(x ast.Expr, way map[*types.Var]bool) stem {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if v, _ := e.variable(x); v != nil {
			return e.stemOfVariable(v, x, way)
		}
	case *ast.CallExpr:
		if e.TypesInfo.Types[x.Fun].IsType() {
			return e.stemOf(x.Args[0], way)
		}
		return e.stemOfCall(x, way)
	}
	return unsure
}

func (e *entry) stemOfVariable(v *types.Var, x ast.Expr, way map[*types.Var]bool) stem {
	if v.IsField() {
		return e.stemOfField(v, x)
	}
	if way[v] {
		return unseen
	}
	way[v] = true
	defer delete(way, v)
	s := unseen
	switch {
	case v == e.ctx:
		s = derived
	case v.Parent() == v.Pkg().Scope():
		s = foreign
	case !e.declares(v):
		return unsure
	}
	for _, value := range e.origins[v] {
		s = s.and(e.stemOf(value, way))
	}
	if s == unseen {
		return unsure
	}
	return s
}

// stemOfField knows the fields of the receiver only: it serves all calls, so a
// context that nothing puts there after it is made is not of this call.
func (e *entry) stemOfField(v *types.Var, x ast.Expr) stem {
	selector, ok := x.(*ast.SelectorExpr)
	if !ok || v.Pkg() != e.Pkg || e.reassigned[v] {
		return unsure
	}
	owner, _ := e.variable(selector.X)
	if owner == nil || owner != e.receiver || len(e.origins[owner]) > 0 {
		return unsure
	}
	for _, field := range embedded(e.TypesInfo.Selections[selector]) {
		if e.reassigned[field.Origin()] {
			return unsure
		}
	}
	return foreign
}

// stemOfCall follows a call to the contexts it takes. A function that takes a
// derived one is trusted to pass it on; what a function makes of contexts from
// elsewhere is known of package context only.
func (e *entry) stemOfCall(call *ast.CallExpr, way map[*types.Var]bool) stem {
	fn := typeutil.StaticCallee(e.TypesInfo, call)
	ofContext := fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "context"
	s, takes := unseen, false
	for _, arg := range call.Args {
		if isContext(e.TypesInfo.TypeOf(arg)) {
			s, takes = s.and(e.stemOf(arg, way)), true
		}
	}
	switch {
	case ofContext && len(call.Args) == 0: // Background and TODO
		return foreign
	case !takes, s == foreign && !ofContext:
		return unsure
	}
	return s
}
