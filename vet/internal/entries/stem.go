package entries

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// Stem is where a context comes from.
type Stem uint8

const (
	unseen  Stem = iota // nothing was seen yet
	Derived             // from the entry's context
	Foreign             // surely from elsewhere
	unsure
)

func (s Stem) and(other Stem) Stem {
	switch {
	case s == unseen || s == other:
		return other
	case other == unseen:
		return s
	}
	return unsure
}

// Stem says where the context comes from that an expression of the body gives.
func (e *Entry) Stem(x ast.Expr) Stem { return e.stemOf(x, map[*types.Var]bool{}) }

// stemOf is Stem without the variables on the way, which depend on themselves.
func (e *Entry) stemOf(x ast.Expr, way map[*types.Var]bool) Stem {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if v, _ := e.Variable(x); v != nil {
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

func (e *Entry) stemOfVariable(v *types.Var, x ast.Expr, way map[*types.Var]bool) Stem {
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
		s = Derived
	case v.Parent() == v.Pkg().Scope():
		s = Foreign
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
func (e *Entry) stemOfField(v *types.Var, x ast.Expr) Stem {
	selector, ok := x.(*ast.SelectorExpr)
	if !ok || v.Pkg() != e.Pkg || e.reassigned[v] {
		return unsure
	}
	owner, _ := e.Variable(selector.X)
	if owner == nil || owner != e.receiver || len(e.origins[owner]) > 0 {
		return unsure
	}
	for _, field := range guards.Embedded(e.TypesInfo.Selections[selector]) {
		if e.reassigned[field.Origin()] {
			return unsure
		}
	}
	return Foreign
}

// stemOfCall follows a call to the contexts it takes. A function that takes a
// derived one is trusted to pass it on; what a function makes of contexts from
// elsewhere is known of package context only.
func (e *Entry) stemOfCall(call *ast.CallExpr, way map[*types.Var]bool) Stem {
	fn := typeutil.StaticCallee(e.TypesInfo, call)
	ofContext := fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "context"
	s, takes := unseen, false
	for _, arg := range call.Args {
		if guards.IsContext(e.TypesInfo.TypeOf(arg)) {
			s, takes = s.and(e.stemOf(arg, way)), true
		}
	}
	switch {
	case ofContext && len(call.Args) == 0: // Background and TODO
		return Foreign
	case !takes, s == Foreign && !ofContext:
		return unsure
	}
	return s
}
