package load

import (
	"go/ast"
	"go/token"
)

// index takes the file apart into units.
func (s *source) index() {
	for _, decl := range s.file.Syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				s.add(decl, decl.Name)
			} else {
				s.add(decl)
			}
		case *ast.GenDecl:
			s.indexGroup(decl)
		}
	}
}

func (s *source) indexGroup(decl *ast.GenDecl) {
	if decl.Tok == token.CONST {
		s.add(decl, constants(decl)...)
		return
	}
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.add(spec, spec.Name)
		case *ast.ValueSpec:
			s.add(spec, spec.Names...)
		}
	}
}

// constants are the names of a group of constants, which stays together: a
// value may repeat the one above.
func constants(decl *ast.GenDecl) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range decl.Specs {
		names = append(names, spec.(*ast.ValueSpec).Names...)
	}
	return names
}

func (s *source) add(node ast.Node, names ...*ast.Ident) {
	u := &unit{source: s, node: node}
	s.node.all = append(s.node.all, u)
	for _, name := range names {
		if name.Name != "_" { // nothing can mention it
			s.node.units[name.Name] = append(s.node.units[name.Name], u)
		}
	}
}

// attachMethods gives methods to the units of their types. Of a dependency, no
// unexported method matters to anybody outside, except where an interface of
// the package asks for it.
func (n *node) attachMethods() {
	hidden := n.hiddenMethods()
	for _, u := range n.all {
		method, ok := u.node.(*ast.FuncDecl)
		if !ok || method.Recv == nil || !method.Name.IsExported() && !hidden[method.Name.Name] {
			continue
		}
		for _, t := range n.units[n.unalias(Receiver(method))] {
			t.methods = append(t.methods, u)
		}
	}
}

// hiddenMethods are the names of the unexported methods of the interfaces of
// the package, wherever these are written.
func (n *node) hiddenMethods() map[string]bool {
	hidden := map[string]bool{}
	for _, u := range n.all {
		ast.Inspect(u.node, func(x ast.Node) bool {
			if i, ok := x.(*ast.InterfaceType); ok {
				for _, field := range i.Methods.List {
					for _, name := range field.Names {
						hidden[name.Name] = !name.IsExported()
					}
				}
			}
			return true
		})
	}
	return hidden
}

// Receiver is the name of the type that a method is declared on; empty for a
// function.
func Receiver(method *ast.FuncDecl) string {
	if method.Recv == nil || len(method.Recv.List) == 0 {
		return ""
	}
	return baseName(method.Recv.List[0].Type)
}

// baseName is the name of a type, without the stars, parentheses and type
// arguments around it. It is empty if x is of another package, or has no name.
func baseName(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// unalias follows type A = B, and = *B, to B, within the package.
func (n *node) unalias(name string) string {
	for range n.units {
		units := n.units[name]
		if len(units) == 0 {
			return name
		}
		spec, ok := units[0].node.(*ast.TypeSpec)
		if !ok || !spec.Assign.IsValid() {
			return name
		}
		target := baseName(spec.Type)
		if target == "" {
			return name
		}
		name = target
	}
	return name
}
