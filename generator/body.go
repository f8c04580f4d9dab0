package generator

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// body tells what names in the body of a function stand for. Bodies are not
// checked, so it knows only what can be seen at a glance, and nothing of a name
// that the body gives more than one meaning.
type body struct {
	pkg    *load.Package
	scope  *types.Scope          // of the function
	bound  map[string]int        // how often the body declares or assigns a name
	locals map[string]types.Type // of names that it declares, as in x := s.field
}

func newBody(pkg *load.Package, decl *ast.FuncDecl) *body {
	b := &body{pkg: pkg, scope: pkg.Info.Scopes[decl.Type], bound: map[string]int{}, locals: map[string]types.Type{}}
	ast.Inspect(decl.Body, func(node ast.Node) bool {
		for _, x := range binds(node) {
			if id, ok := ast.Unparen(x).(*ast.Ident); ok {
				b.bound[id.Name]++
			}
		}
		return true
	})
	ast.Inspect(decl.Body, func(node ast.Node) bool {
		if assign, ok := node.(*ast.AssignStmt); ok && assign.Tok == token.DEFINE && len(assign.Lhs) == len(assign.Rhs) {
			b.define(assign)
		}
		return true
	})
	return b
}

// binds are the expressions that may be names to which node gives a meaning or
// a value, or lets others give one.
func binds(node ast.Node) []ast.Expr {
	switch node := node.(type) {
	case *ast.AssignStmt:
		return node.Lhs
	case *ast.RangeStmt:
		return []ast.Expr{node.Key, node.Value}
	case *ast.ValueSpec:
		return expressions(node.Names)
	case *ast.TypeSpec:
		return []ast.Expr{node.Name}
	case *ast.Field:
		return expressions(node.Names)
	case *ast.UnaryExpr:
		if node.Op == token.AND {
			return []ast.Expr{node.X}
		}
	}
	return nil
}

func expressions(ids []*ast.Ident) []ast.Expr {
	list := make([]ast.Expr, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return list
}

func (b *body) define(assign *ast.AssignStmt) {
	for i, x := range assign.Lhs {
		if id, ok := x.(*ast.Ident); ok && b.outer(id.Name) == nil {
			b.locals[id.Name] = b.typeOf(assign.Rhs[i])
		}
	}
}

// outer is what a name means that the body gives no meaning.
func (b *body) outer(name string) types.Object {
	_, obj := b.scope.LookupParent(name, token.NoPos)
	return obj
}

// is tells whether x is surely the variable v with the value that it has when
// the body begins.
func (b *body) is(x ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && b.bound[id.Name] == 0 && b.outer(id.Name) == v
}

// typeOf is the type of x; nil if it is not known.
func (b *body) typeOf(x ast.Expr) types.Type {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if b.bound[x.Name] == 1 {
			return b.locals[x.Name]
		}
		if v, ok := b.outer(x.Name).(*types.Var); ok && b.bound[x.Name] == 0 {
			return v.Type()
		}
	case *ast.SelectorExpr:
		if t := b.typeOf(x.X); t != nil {
			return b.field(t, x.Sel.Name)
		}
	}
	return nil
}

func (b *body) field(t types.Type, name string) types.Type {
	obj, _, _ := types.LookupFieldOrMethod(t, true, b.pkg.Types, name)
	if v, ok := obj.(*types.Var); ok {
		return v.Type()
	}
	return nil
}

// called is the type that has the method which a call is of, and the name of
// the method: of a promoted one, the embedded type. The type is nil if it is
// not known.
func (b *body) called(call *ast.CallExpr) (types.Type, string) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, ""
	}
	t, name := b.typeOf(selector.X), selector.Sel.Name
	if t == nil {
		return nil, name
	}
	_, index, _ := types.LookupFieldOrMethod(t, true, b.pkg.Types, name)
	for ; len(index) > 1; index = index[1:] {
		of, ok := deref(t).Underlying().(*types.Struct)
		if !ok { // as in a body that does not compile
			return nil, name
		}
		t = of.Field(index[0]).Type()
	}
	return t, name
}

// deref is t or, of a pointer, what it points to. The pointer may have a name.
func deref(t types.Type) types.Type {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
