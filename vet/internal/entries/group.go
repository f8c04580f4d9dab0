package entries

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// join notes a literal that a call runs: func(){…}() or group.Go(func(){…}) of a
// group that the entry itself waits for.
func (e *Entry) join(call *ast.CallExpr) {
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

// Outlives reports whether a go statement starts what may outlive the entry. What
// ends with group.Done() of an own group does not.
func (e *Entry) Outlives(n *ast.GoStmt) bool {
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

// isOwnGroup reports whether an expression is a group of goroutines that the body
// declares and waits for. Others may outlive the entry.
func (e *Entry) isOwnGroup(x ast.Expr) bool {
	v, _ := e.Variable(x)
	if v == nil || !e.declares(v) {
		return false
	}
	t := guards.Named(v.Type())
	return t != nil && (guards.IsNamed(t, "sync", "WaitGroup") || guards.IsNamed(t, "golang.org/x/sync/errgroup", "Group")) && e.waitsFor(v)
}

// declares reports whether a variable is declared in the body.
func (e *Entry) declares(v *types.Var) bool {
	return e.Decl.Body.Pos() <= v.Pos() && v.Pos() < e.Decl.Body.End()
}

// waitsFor reports whether the body calls Wait of a group it declares, and does so
// where the group is declared: a function or a branch in between may not be run.
func (e *Entry) waitsFor(group *types.Var) bool {
	found := false
	ast.Inspect(e.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return n.Pos() < group.Pos()
		case *ast.SelectorExpr:
			v, _ := e.Variable(n.X)
			found = found || n.Sel.Name == "Wait" && v == group
		}
		return !found
	})
	return found
}
