// Package fallback reports functions that answer in place of a call and make that
// call again.
package fallback

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

const doc = `report fallbacks that make the call again for which they answer

A function that //resilience:fallback names is reported where it calls, on a
wrapper, the method in whose place it answers. In an outage that call fails too
and falls back on the function, without end.`

// Analyzer reports fallbacks that make the call again for which they answer.
var Analyzer = &analysis.Analyzer{
	Name:     "fallback",
	Doc:      doc,
	Requires: []*analysis.Analyzer{guards.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		f := finder{guards.Of(pass), pass}
		for file := range f.Generated {
			for _, decl := range file.Decls {
				if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil && method.Body != nil {
					f.method(method)
				}
			}
		}
		return nil, nil
	},
}

type finder struct {
	*guards.Package
	pass *analysis.Pass
}

// method looks for what answers in place of a method of a wrapper.
func (f finder) method(method *ast.FuncDecl) {
	for _, stmt := range method.Body.List {
		branch, ok := stmt.(*ast.IfStmt)
		if !ok || !f.fallsBack(branch) {
			continue
		}
		ast.Inspect(branch.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if answers := typeutil.StaticCallee(f.TypesInfo, call); answers != nil {
				f.calls(f.Declarations[answers.Origin()], f.TypesInfo.Defs[method.Name].(*types.Func))
			}
			return true
		})
	}
}

// fallsBack reports whether a statement asks if a method falls back.
func (f finder) fallsBack(branch *ast.IfStmt) bool {
	asks, ok := branch.Init.(*ast.AssignStmt)
	if !ok || len(asks.Rhs) != 1 {
		return false
	}
	call, ok := asks.Rhs[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := typeutil.StaticCallee(f.TypesInfo, call)
	return fn != nil && guards.IsRuntime(fn) && (fn.Name() == "FallsBack" || fn.Name() == "MustFallBack")
}

// calls reports calls of a method in a function that answers in its place.
func (f finder) calls(answers *ast.FuncDecl, method *types.Func) {
	if answers == nil || answers.Recv != nil || answers.Body == nil {
		return
	}
	ast.Inspect(answers.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn := typeutil.StaticCallee(f.TypesInfo, call); fn != nil && fn.Origin() == method {
				f.pass.Reportf(call.Pos(), "%s answers where this call fails, and makes it again, without end; call the client itself, or a method with another fallback",
					answers.Name.Name)
			}
		}
		return true
	})
}
