package guards

import (
	"go/ast"
	"go/types"
)

// Call is a call through an annotated interface or its wrapper.
type Call struct {
	*ast.CallExpr
	On        *types.TypeName // the interface or the wrapper
	Interface string          // the name of the interface
	Method    Method
	Context   ast.Expr // the argument; nil if there is none to see
}

// String names the method that is called.
func (c Call) String() string { return c.Interface + "." + c.Method.Name }

// Call reports whether a call goes through a guard.
func (p *Package) Call(call *ast.CallExpr) (Call, bool) {
	fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return Call{}, false
	}
	found, ok := p.Selected(fun)
	found.CallExpr = call
	if !ok {
		return found, false
	}
	if i := ContextIndex(p.TypesInfo.Selections[fun].Type().(*types.Signature)); i >= 0 && i < len(call.Args) {
		found.Context = call.Args[i]
	}
	return found, true
}

// Selected reports whether a method that is called, or handed to others, has a
// guard. The call itself is not known.
func (p *Package) Selected(fun *ast.SelectorExpr) (Call, bool) {
	selection := p.TypesInfo.Selections[fun]
	if selection == nil || selection.Kind() != types.MethodVal {
		return Call{}, false
	}
	on := Named(receiver(selection))
	if on == nil {
		return Call{}, false
	}
	known := p.Known[on]
	m, ok := known.method(fun.Sel.Name)
	return Call{On: on, Interface: known.Interface, Method: m}, ok
}

// receiver is the type that a selected method belongs to, behind the embedded
// fields that lead to it.
func receiver(selection *types.Selection) types.Type {
	if fields := Embedded(selection); len(fields) > 0 {
		return fields[len(fields)-1].Type()
	}
	return selection.Recv()
}

// Embedded lists the embedded fields that lead to what is selected.
func Embedded(selection *types.Selection) []*types.Var {
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
