package vet

import (
	"go/ast"
	"go/types"
)

// guardedCall is a call through an annotated interface or its wrapper.
type guardedCall struct {
	*ast.CallExpr
	on      *types.TypeName // the interface or the wrapper
	iface   string          // the name of the interface
	method  method
	context ast.Expr // the argument; nil if there is none to see
}

// guardedCall tells whether a call goes through a guard.
func (c *checker) guardedCall(call *ast.CallExpr) (guardedCall, bool) {
	fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return guardedCall{}, false
	}
	selection := c.TypesInfo.Selections[fun]
	if selection == nil || selection.Kind() != types.MethodVal {
		return guardedCall{}, false
	}
	on := named(receiver(selection))
	if on == nil {
		return guardedCall{}, false
	}
	known, _ := c.guarded(on)
	m, ok := known.method(fun.Sel.Name)
	guarded := guardedCall{CallExpr: call, on: on, iface: known.Interface, method: m}
	sig := selection.Type().(*types.Signature)
	if i := contextIndex(sig); i >= 0 && i < len(call.Args) {
		guarded.context = call.Args[i]
	}
	return guarded, ok
}

// receiver is the type that a selected method belongs to, behind the embedded
// fields that lead to it.
func receiver(selection *types.Selection) types.Type {
	if fields := embedded(selection); len(fields) > 0 {
		return fields[len(fields)-1].Type()
	}
	return selection.Recv()
}

// embedded lists the embedded fields that lead to what is selected.
func embedded(selection *types.Selection) []*types.Var {
	var fields []*types.Var
	t := selection.Recv()
	path := selection.Index()
	for _, i := range path[:len(path)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		fields, t = append(fields, field), field.Type()
	}
	return fields
}
