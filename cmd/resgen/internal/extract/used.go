package extract

import (
	"go/ast"
	"go/types"
	"slices"
)

// uses are the methods and fields of a client that some packages need.
type uses struct {
	client  *client
	info    *types.Info
	names   map[string]bool
	fields  map[string]bool
	results []*types.Tuple // of the functions around the node that is looked at
}

// usedBy finds what a package uses of the client: methods that it calls or names,
// and those of interfaces that it uses the client as.
func (u *uses) usedBy(c *checked) {
	u.info = c.info
	for _, file := range c.files {
		ast.Walk(u, file)
	}
}

func (u *uses) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if fn, ok := u.info.Defs[n.Name].(*types.Func); ok {
			return u.inside(fn.Signature())
		}
	case *ast.FuncLit:
		if sig, ok := u.info.TypeOf(n).(*types.Signature); ok {
			return u.inside(sig)
		}
	case *ast.SelectorExpr:
		u.selector(n)
	case *ast.CallExpr:
		u.call(n)
	case *ast.AssignStmt:
		u.assigned(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		for _, value := range n.Values {
			u.flows(value, u.info.TypeOf(n.Names[0]))
		}
	case *ast.ReturnStmt:
		u.returned(n)
	case *ast.CompositeLit:
		u.literal(n)
	case *ast.SendStmt:
		if channel, ok := u.typeOf(n.Chan).Underlying().(*types.Chan); ok {
			u.flows(n.Value, channel.Elem())
		}
	}
	return u
}

// inside looks at a function with the results that its return statements have.
func (u *uses) inside(sig *types.Signature) ast.Visitor {
	inner := *u
	inner.results = append(slices.Clip(u.results), sig.Results())
	return &inner
}

// selector notes a method or field that is selected from the client, be it by way
// of a struct that embeds it.
func (u *uses) selector(n *ast.SelectorExpr) {
	selection := u.info.Selections[n]
	if selection == nil || !u.through(selection) {
		return
	}
	switch obj := selection.Obj().(type) {
	case *types.Func:
		u.names[obj.Name()] = true
	case *types.Var:
		if len(selection.Index()) == 1 {
			u.fields[obj.Name()] = true
		}
	}
}

// through reports whether a selection begins at the client or leads through it.
func (u *uses) through(selection *types.Selection) bool {
	t := selection.Recv()
	for _, i := range selection.Index() {
		if u.is(t) {
			return true
		}
		structure, ok := deref(t).Underlying().(*types.Struct)
		if !ok || i >= structure.NumFields() {
			return false
		}
		t = structure.Field(i).Type()
	}
	return false
}

// is reports whether t is the client or a pointer to it.
func (u *uses) is(t types.Type) bool {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	own, _ := types.Unalias(u.client.t).(*types.Named)
	return ok && own != nil && named.Origin() == own.Origin()
}

func deref(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// flows notes the methods that an interface needs which the client is used as.
func (u *uses) flows(value ast.Expr, to types.Type) {
	if to == nil || !u.is(u.typeOf(value)) {
		return
	}
	if _, generic := types.Unalias(to).(*types.TypeParam); generic {
		return
	}
	if iface, ok := to.Underlying().(*types.Interface); ok {
		for m := range iface.Methods() {
			u.names[m.Name()] = true
		}
	}
}

func (u *uses) typeOf(e ast.Expr) types.Type {
	if t := u.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (u *uses) call(n *ast.CallExpr) {
	fun := u.info.Types[n.Fun]
	if fun.IsType() {
		for _, arg := range n.Args {
			u.flows(arg, fun.Type)
		}
		return
	}
	sig, ok := u.typeOf(n.Fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range n.Args {
		u.flows(arg, parameter(sig, i, n.Ellipsis.IsValid()))
	}
}

// parameter is the type of the parameter that takes an argument.
func parameter(sig *types.Signature, i int, spread bool) types.Type {
	last := sig.Params().Len() - 1
	switch {
	case sig.Variadic() && i >= last && !spread:
		return sig.Params().At(last).Type().(*types.Slice).Elem()
	case i <= last:
		return sig.Params().At(i).Type()
	}
	return nil
}

func (u *uses) assigned(to, values []ast.Expr) {
	if len(to) == len(values) {
		for i := range to {
			u.flows(values[i], u.info.TypeOf(to[i]))
		}
	}
}

func (u *uses) returned(n *ast.ReturnStmt) {
	if len(u.results) == 0 {
		return
	}
	results := u.results[len(u.results)-1]
	for i, value := range n.Results {
		if results.Len() == len(n.Results) {
			u.flows(value, results.At(i).Type())
		}
	}
}

func (u *uses) literal(n *ast.CompositeLit) {
	for i, elem := range n.Elts {
		pair, keyed := elem.(*ast.KeyValueExpr)
		switch t := deref(u.typeOf(n)).Underlying().(type) {
		case *types.Struct:
			if keyed {
				u.flows(pair.Value, u.info.TypeOf(pair.Key))
			} else if i < t.NumFields() {
				u.flows(elem, t.Field(i).Type())
			}
		case interface{ Elem() types.Type }:
			if keyed {
				elem = pair.Value
			}
			u.flows(elem, t.Elem())
		}
	}
}
