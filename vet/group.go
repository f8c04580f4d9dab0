package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

// join notes a literal that a call runs: func(){…}() or group.Go(func(){…}) of a
// group that the entry itself waits for.
func (e *entry) join(call *ast.CallExpr) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		e.joined[fun] = true
	case *ast.SelectorExpr:
		if fun.Sel.Name == "Go" && len(call.Args) == 1 && e.isOwnGroup(fun.X) {
			if literal, ok := call.Args[0].(*ast.FuncLit); ok {
				e.joined[literal] = true
			}
		}
	}
}

// outlives tells whether a go statement starts what may outlive the entry. What
// ends with group.Done() of an own group does not.
func (e *entry) outlives(n *ast.GoStmt) bool {
	literal, ok := n.Call.Fun.(*ast.FuncLit)
	return !ok || !slices.ContainsFunc(literal.Body.List, func(s ast.Stmt) bool {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			return false
		}
		fun, ok := d.Call.Fun.(*ast.SelectorExpr)
		return ok && fun.Sel.Name == "Done" && e.isOwnGroup(fun.X)
	})
}

// isOwnGroup tells whether an expression is a group of goroutines that the body
// declares and waits for. Others may outlive the entry.
func (e *entry) isOwnGroup(x ast.Expr) bool {
	v, _ := e.variable(x)
	if v == nil || !e.declares(v) {
		return false
	}
	t := named(v.Type())
	return t != nil && (isNamed(t, "sync", "WaitGroup") || isNamed(t, "golang.org/x/sync/errgroup", "Group")) && e.waitsFor(v)
}

// declares tells whether a variable is declared in the body.
func (e *entry) declares(v *types.Var) bool {
	return e.decl.Body.Pos() <= v.Pos() && v.Pos() < e.decl.Body.End()
}

// waitsFor tells whether the body calls Wait of a group it declares, and does so
// where the group is declared: a function or a branch in between may not be run.
func (e *entry) waitsFor(group *types.Var) bool {
	found := false
	ast.Inspect(e.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return n.Pos() < group.Pos()
		case *ast.SelectorExpr:
			v, _ := e.variable(n.X)
			found = found || n.Sel.Name == "Wait" && v == group
		}
		return !found
	})
	return found
}
