package directives

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
)

// misplaced reports a directive that stands where none is read.
func (p *parser) misplaced(comment *ast.Comment, directive Directive) {
	written, _ := ast.ParseDirective(comment.Slash, p.text(comment))
	home := OnType | OnMethod
	if directive.Row != nil {
		home = directive.Row.On
	}
	p.fault(comment.Slash, written.Name, "stands %s; it belongs in %s", p.place(comment.Slash), home.home())
}

// place says where a comment stands that is in no doc comment of an interface
// or method.
func (p *parser) place(pos token.Pos) string {
	around := p.around(pos)
	if function, ok := insideFunction(pos, around); ok {
		return function
	}
	if p.behindCode(pos) {
		return "behind code on its line"
	}
	for _, node := range slices.Backward(around) {
		switch node := node.(type) {
		case *ast.InterfaceType:
			return p.inInterface(pos, node, around)
		case *ast.StructType:
			return "in a struct"
		case ast.Spec:
			return "inside a declaration"
		case *ast.GenDecl:
			return p.amongSpecs(pos, node)
		}
	}
	return p.amongDecls(pos)
}

// around lists the nodes that enclose pos, outermost first.
func (p *parser) around(pos token.Pos) []ast.Node {
	var nodes []ast.Node
	ast.Inspect(p.file, func(node ast.Node) bool {
		if node == p.file {
			return true
		}
		if node == nil || pos < node.Pos() || node.End() <= pos {
			return false
		}
		nodes = append(nodes, node)
		return true
	})
	return nodes
}

// amongCode reports whether pos is in a function or in a struct, where nothing
// could have directives.
func (p *parser) amongCode(pos token.Pos) bool {
	return slices.ContainsFunc(p.around(pos), func(node ast.Node) bool {
		switch node.(type) {
		case *ast.FuncDecl, *ast.FuncLit, *ast.StructType:
			return true
		}
		return false
	})
}

// inInterfaceCode reports whether a comment stands in an interface, though it
// may document nothing there.
func (p *parser) inInterfaceCode(group *ast.CommentGroup) bool {
	return !p.amongCode(group.Pos()) && slices.ContainsFunc(p.around(group.Pos()), func(node ast.Node) bool {
		_, ok := node.(*ast.InterfaceType)
		return ok
	})
}

// insideFunction says in which part of which function or method pos is.
func insideFunction(pos token.Pos, around []ast.Node) (string, bool) {
	name := "a function"
	for _, node := range around {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Body != nil && node.Body.Pos() < pos {
				return "in the body of " + node.Name.Name, true
			}
			return "in the signature of " + node.Name.Name, true
		case *ast.FuncLit:
			return "in a function literal", true
		case *ast.Field:
			if len(node.Names) > 0 {
				name = node.Names[0].Name
			}
		case *ast.FuncType:
			return "in the signature of " + name, true
		}
	}
	return "", false
}

// behindCode reports whether anything but space stands before pos on its line.
func (p *parser) behindCode(pos token.Pos) bool {
	before := p.src[:p.offset(pos)]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return len(bytes.TrimSpace(line)) > 0
}

func (p *parser) inInterface(pos token.Pos, literal *ast.InterfaceType, around []ast.Node) string {
	owner, ok := declaredBy(literal, around)
	if !ok {
		return "in an interface without a name"
	}
	field, ok := following(pos, literal.Methods.List)
	switch {
	case !ok:
		return "at the end of interface " + owner + ", above no method"
	case len(field.Names) == 0:
		return p.above(pos, field, "an embedded element of interface "+owner)
	default:
		return p.above(pos, field, "method "+field.Names[0].Name)
	}
}

// declaredBy is the name of the type that literal declares.
func declaredBy(literal *ast.InterfaceType, around []ast.Node) (string, bool) {
	for _, node := range around {
		if spec, ok := node.(*ast.TypeSpec); ok {
			return spec.Name.Name, ast.Unparen(spec.Type) == literal
		}
	}
	return "", false
}

func (p *parser) amongSpecs(pos token.Pos, decl *ast.GenDecl) string {
	spec, ok := following(pos, decl.Specs)
	switch {
	case !decl.Lparen.IsValid():
		return "inside a declaration"
	case !ok:
		return "at the end of a group of declarations, above nothing"
	default:
		return p.above(pos, spec, specified(decl.Tok, spec))
	}
}

func (p *parser) amongDecls(pos token.Pos) string {
	if pos < p.file.Package {
		return "before the package clause"
	}
	decl, ok := following(pos, p.file.Decls)
	if !ok {
		return "at the end of the file, above nothing"
	}
	return p.above(pos, decl, declared(decl))
}

// following is the first of the nodes that begins behind pos.
func following[N ast.Node](pos token.Pos, nodes []N) (N, bool) {
	for _, node := range nodes {
		if node.Pos() > pos {
			return node, true
		}
	}
	var none N
	return none, false
}

// above says how a comment at pos stands to the node that follows it.
func (p *parser) above(pos token.Pos, node ast.Node, name string) string {
	between := bytes.Split(p.src[p.offset(pos):p.offset(node.Pos())], []byte("\n"))
	for _, line := range between[:len(between)-1] {
		if len(bytes.TrimSpace(line)) == 0 {
			return "apart from " + name + ", cut off by a blank line"
		}
	}
	return "on " + name
}

// declared describes what a declaration declares.
func declared(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return "func " + decl.Name.Name
	case *ast.GenDecl:
		if decl.Lparen.IsValid() || len(decl.Specs) == 0 {
			return "a group of declarations"
		}
		return specified(decl.Tok, decl.Specs[0])
	default:
		return "a declaration"
	}
}

func specified(tok token.Token, spec ast.Spec) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if mayBeInterface(spec) {
			return "type " + spec.Name.Name
		}
		return "type " + spec.Name.Name + ", which is not an interface"
	case *ast.ImportSpec:
		return "an import"
	default:
		return "a " + tok.String()
	}
}
