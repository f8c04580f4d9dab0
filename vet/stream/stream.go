// Package stream reports results of streams that nobody closes or reads.
package stream

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

const doc = `report results of streams that are never closed

A call of a method with //resilience:stream holds its permit until what it returned
is closed or has been read to its end. It is reported where that is certain never
to happen: the result is dropped, or a variable of which only other parts are used.`

// Analyzer reports results of streams that are never closed.
var Analyzer = &analysis.Analyzer{
	Name:     "stream",
	Doc:      doc,
	Requires: []*analysis.Analyzer{guards.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		f := finder{guards.Of(pass), pass}
		for fn, decl := range f.Declarations {
			if fn != nil && decl.Body != nil && f.Checked(f.fileOf(decl)) {
				f.function(decl.Body)
			}
		}
		return nil, nil
	},
}

type finder struct {
	*guards.Package
	pass *analysis.Pass
}

func (f finder) fileOf(decl *ast.FuncDecl) *ast.File {
	i := slices.IndexFunc(f.Files, func(file *ast.File) bool { return file.FileStart <= decl.Pos() && decl.Pos() < file.FileEnd })
	return f.Files[i]
}

// function looks at the statements that make a call of a stream.
func (f finder) function(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, is := f.stream(n.X); is {
				f.report(call)
			}
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 {
				if call, is := f.stream(n.Rhs[0]); is && f.lost(n.Lhs[0], body) {
					f.report(call)
				}
			}
		}
		return true
	})
}

// stream reports whether an expression is a call of a stream.
func (f finder) stream(x ast.Expr) (call guards.Call, is bool) {
	expr, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return call, false
	}
	call, is = f.Call(expr)
	return call, is && call.Method.Stream
}

func (f finder) report(call guards.Call) {
	f.pass.Reportf(call.Pos(), "what %s returns is never closed, so the call holds its permit until it is collected; close it", call)
}

// lost reports whether nothing that is done with a result in a function can close it.
func (f finder) lost(result ast.Expr, body *ast.BlockStmt) bool {
	name, ok := result.(*ast.Ident)
	if !ok {
		return false
	}
	if name.Name == "_" {
		return true
	}
	variable := f.TypesInfo.Defs[name]
	if variable == nil || variable.Parent() == f.Pkg.Scope() {
		return false // it was there before, and others may know it
	}
	aside := map[*ast.Ident]bool{} // uses that close nothing
	ast.Inspect(body, func(n ast.Node) bool {
		if selector, is := n.(*ast.SelectorExpr); is {
			if x, is := ast.Unparen(selector.X).(*ast.Ident); is && f.TypesInfo.Uses[x] == variable && !f.ends(selector) {
				aside[x] = true
			}
		}
		return true
	})
	for x, of := range f.TypesInfo.Uses {
		if of == variable && !aside[x] {
			return false
		}
	}
	return true
}

// ends reports whether a part of a result may be what ends it: a method by which it
// is closed or read, or a field that holds what has such methods.
func (f finder) ends(part *ast.SelectorExpr) bool {
	if _, method := f.TypesInfo.Uses[part.Sel].(*types.Func); method {
		begins := func(word string) bool { return strings.HasPrefix(part.Sel.Name, word) }
		return slices.ContainsFunc([]string{"Close", "Read", "Recv", "Next", "WriteTo"}, begins)
	}
	return types.IsInterface(f.TypesInfo.TypeOf(part))
}
