package entries

import (
	"go/ast"
	"go/types"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// reassignedFields are the fields that the package assigns other than in a
// composite literal, by themselves or with the struct they are in.
func (f finder) reassignedFields() map[*types.Var]bool {
	fields := map[*types.Var]bool{}
	for _, file := range f.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			guards.Assignments(n, func(target, value ast.Expr) {
				if v, _ := f.Variable(target); v != nil && v.IsField() {
					fields[v] = true
				}
				if value != nil && !f.isDefined(target) {
					addFields(fields, f.TypesInfo.TypeOf(target))
				}
			})
			return true
		})
	}
	return fields
}

// isDefined reports whether an expression is the name of a new variable.
func (f finder) isDefined(x ast.Expr) bool {
	name, ok := x.(*ast.Ident)
	return ok && f.TypesInfo.Defs[name] != nil
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
