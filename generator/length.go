package generator

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// lengths are the lengths of the arrays that the package itself writes.
func (c *checker) lengths() map[*types.Array]ast.Expr {
	lengths := map[*types.Array]ast.Expr{}
	for expr, of := range c.pkg.Info.Types {
		array, isArray := of.Type.(*types.Array)
		if written, ok := expr.(*ast.ArrayType); ok && isArray {
			lengths[array] = written.Len
			if length := c.pkg.Lengths[written]; length != nil {
				lengths[array] = length
			}
		}
	}
	return lengths
}

// object is what a name, qualified or not, means in the file where it stands.
func (c *checker) object(name ast.Expr) types.Object {
	file := c.filesFrom(name.Pos())[0]
	switch name := name.(type) {
	case *ast.Ident:
		_, obj := c.pkg.Info.Scopes[file.Syntax].LookupParent(name.Name, name.Pos())
		return obj
	case *ast.SelectorExpr:
		if pkg, ok := c.object(name.X).(*types.PkgName); ok {
			return pkg.Imported().Scope().Lookup(name.Sel.Name)
		}
	}
	return nil
}

// length prints the length of an array by the constants that the source has in it,
// as their values may be others elsewhere; if it has none, or the output cannot
// name them, as a number.
func (p *printer) length(t *types.Array) *jen.Statement {
	written := p.home.lengths()[t]
	if n, ok := p.constants(written); ok && n > 0 {
		p.written = append(p.written, types.ExprString(written))
		return p.constant(written)
	}
	if t.Len() == load.UnknownLength {
		p.unnameable("has an array whose length only cgo files can write; let a constant name it there")
	}
	return jen.Id(strconv.FormatInt(t.Len(), 10))
}

// constants counts the constants in an expression; it is not ok if the output
// cannot write that.
func (p *printer) constants(x ast.Expr) (n int, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return 0, true
	case *ast.ParenExpr:
		return p.constants(x.X)
	case *ast.BinaryExpr:
		left, okLeft := p.constants(x.X)
		right, okRight := p.constants(x.Y)
		return left + right, okLeft && okRight
	case *ast.Ident, *ast.SelectorExpr:
		constant, ok := p.home.object(x).(*types.Const)
		return 1, ok && p.home.obstacle(constant) == ""
	}
	return 0, false
}

// constant prints an expression that the output can write.
func (p *printer) constant(x ast.Expr) *jen.Statement {
	switch x := x.(type) {
	case *ast.BasicLit:
		return jen.Id(x.Value)
	case *ast.ParenExpr:
		return jen.Parens(p.constant(x.X))
	case *ast.BinaryExpr:
		return p.constant(x.X).Op(x.Op.String()).Add(p.constant(x.Y))
	}
	return p.name(p.home.object(x))
}
