package vet

import (
	"go/ast"
	"go/types"
)

// reassignedFields are the fields that the package assigns other than in a
// composite literal, by themselves or with the struct they are in.
func (c *checker) reassignedFields() map[*types.Var]bool {
	fields := map[*types.Var]bool{}
	for _, file := range c.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			assignments(n, func(target, value ast.Expr) {
				if v, _ := c.variable(target); v != nil && v.IsField() {
					fields[v] = true
				}
				if value != nil && !c.isDefined(target) {
					addFields(fields, c.TypesInfo.TypeOf(target))
				}
			})
			return true
		})
	}
	return fields
}

// isDefined tells whether an expression is the name of a new variable.
func (c *checker) isDefined(x ast.Expr) bool {
	name, ok := x.(*ast.Ident)
	return ok && c.TypesInfo.Defs[name] != nil
}

// addFields adds the fields of a struct, and of the structs in it.
func addFields(fields map[*types.Var]bool, t types.Type) {
	if t == nil {
		return
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for field := range s.Fields() {
			fields[field.Origin()] = true
			addFields(fields, field.Type())
		}
	}
}
