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

// length prints the length of an array as the source writes it, because its
// constants may have other values in another build. Where it has no names, or the
// output cannot use them, it is a number.
func (p *printer) length(t *types.Array) *jen.Statement {
	written := p.home.lengths()[t]
	if n, ok := p.countNames(written); ok && n > 0 {
		p.written = append(p.written, types.ExprString(written))
		return p.constant(written)
	}
	if t.Len() == load.UnknownLength {
		p.unnameable("has an array whose length only cgo files can write; let a constant name it there")
	}
	return jen.Id(strconv.FormatInt(t.Len(), 10))
}

// countNames counts the names in an expression; it is not ok if the output cannot
// write that.
func (p *printer) countNames(x ast.Expr) (n int, ok bool) {
	parts, ok := partsOf(x)
	if !ok {
		return 1, p.names(x)
	}
	for _, part := range parts {
		more, ok := p.countNames(part)
		if !ok {
			return 0, false
		}
		n += more
	}
	return n, true
}

// partsOf are the operands, or what is called with its arguments: none for a
// literal. It is not ok for an expression of another kind.
func partsOf(x ast.Expr) (parts []ast.Expr, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return nil, true
	case *ast.ParenExpr:
		return []ast.Expr{x.X}, true
	case *ast.UnaryExpr:
		return []ast.Expr{x.X}, true
	case *ast.BinaryExpr:
		return []ast.Expr{x.X, x.Y}, true
	case *ast.CallExpr:
		return append([]ast.Expr{x.Fun}, x.Args...), true
	}
	return nil, false
}

// names reports whether x is the name of a constant, type or function of Go's own
// that the output can name.
func (p *printer) names(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		switch obj := p.home.object(x).(type) {
		case *types.Const, *types.TypeName, *types.Builtin:
			return p.home.obstacle(obj) == ""
		}
	}
	return false
}

// constant prints an expression that the output can write.
func (p *printer) constant(x ast.Expr) *jen.Statement {
	switch x := x.(type) {
	case *ast.BasicLit:
		return jen.Id(x.Value)
	case *ast.ParenExpr:
		return jen.Parens(p.constant(x.X))
	case *ast.UnaryExpr:
		return jen.Op(x.Op.String()).Add(p.constant(x.X))
	case *ast.BinaryExpr:
		return p.constant(x.X).Op(x.Op.String()).Add(p.constant(x.Y))
	case *ast.CallExpr:
		var args []jen.Code
		for _, arg := range x.Args {
			args = append(args, p.constant(arg))
		}
		return p.constant(x.Fun).Call(args...)
	}
	return p.name(p.home.object(x))
}
