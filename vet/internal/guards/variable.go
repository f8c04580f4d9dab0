package guards

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Variable is the variable or field that an expression names, with the
// identifier that names it; nil if the expression names none.
func (p *Package) Variable(e ast.Expr) (*types.Var, *ast.Ident) {
	var name *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		name = e
	case *ast.SelectorExpr:
		name = e.Sel
	default:
		return nil, nil
	}
	v, ok := p.TypesInfo.ObjectOf(name).(*types.Var)
	if !ok {
		return nil, nil
	}
	return v.Origin(), name
}

// Assignments calls put for each assignment that a node makes by itself, with the
// target and the value. Where a call gives several results, the value of each
// target is that call; where the value is not to be seen, it is nil.
func Assignments(n ast.Node, put func(target, value ast.Expr)) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, target := range n.Lhs {
			put(target, valueOf(n.Rhs, i, len(n.Lhs)))
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) > 0 {
				put(name, valueOf(n.Values, i, len(n.Names)))
			}
		}
	case *ast.RangeStmt:
		put(n.Key, nil)
		put(n.Value, nil)
	case *ast.IncDecStmt:
		put(n.X, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			put(n.X, nil)
		}
	}
}

func valueOf(values []ast.Expr, i, targets int) ast.Expr {
	if len(values) == targets {
		return values[i]
	}
	return values[0]
}
