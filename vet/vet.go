// Package vet finds code that defeats the guards which resgen generates: calls
// that miss the reservation of their entry method, more calls than tickets, and
// clients that are used without their wrapper.
//
// It owns what can be seen in the code of one package, with what the directives
// of the packages it imports say. It reports only what is certain: what depends
// on branches, on values at run time or on code elsewhere passes in silence.
// Faults in the directives themselves are left to the generator.
package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const doc = `check the code around the wrappers that resgen generates

In a method that implements one with //resilience:anticipate it reports

- a guarded call whose context is not derived from the method's, as it misses
  the reservation;
- more guarded calls on one straight path than tickets are preloaded.

In a package with an annotated interface it reports a client that is called
through the interface and nowhere gets its wrapper.

Tests and generated files are not checked.`

// Analyzer checks the code around generated wrappers. It needs no flags.
var Analyzer = &analysis.Analyzer{
	Name:      "resgenvet",
	Doc:       doc,
	Run:       run,
	FactTypes: []analysis.Fact{(*guards)(nil)},
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{Pass: pass, wrappers: map[*types.TypeName]*types.Func{}, ours: map[*ast.File]bool{}}
	c.findWrappers()
	if err := c.exportFact(); err != nil {
		return nil, err
	}
	if len(pass.AllPackageFacts()) == 0 {
		return nil, nil
	}
	c.checkEntries()
	return nil, c.checkRaw()
}

// checker checks one package.
type checker struct {
	*analysis.Pass
	wrappers map[*types.TypeName]*types.Func // the package's interfaces and the constructors of their wrappers
	ours     map[*ast.File]bool              // files with such wrappers
}

// checked tells whether findings in a file are of use to anyone.
func (c *checker) checked(file *ast.File) bool {
	return !ast.IsGenerated(file) && !c.isTest(file)
}

func (c *checker) isTest(file *ast.File) bool {
	return strings.HasSuffix(c.filename(file), "_test.go")
}

func (c *checker) filename(file *ast.File) string { return c.Fset.File(file.FileStart).Name() }

// variable is the variable or field that an expression names, with the
// identifier that does; nil if it is none.
func (c *checker) variable(e ast.Expr) (*types.Var, *ast.Ident) {
	var name *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		name = e
	case *ast.SelectorExpr:
		name = e.Sel
	default:
		return nil, nil
	}
	v, ok := c.TypesInfo.ObjectOf(name).(*types.Var)
	if !ok {
		return nil, nil
	}
	return v.Origin(), name
}

// assignments calls put for everything that a node assigns by itself: the target
// with the value, which is a call with several results for each of them, and nil
// where a variable is changed in another way.
func assignments(n ast.Node, put func(target, value ast.Expr)) {
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
