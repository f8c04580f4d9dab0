package directives

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/token"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/internal/fault"
)

// Reading is what the directives of a file say.
type Reading struct {
	// Interfaces are the types that carry directives, in their order. Types with
	// faults are among them, as far as they are right, so that faults of another
	// sort can be found in the same run. Left out are those of which nothing can be
	// said: constraints, and types named _.
	Interfaces []Interface
	// Faults are the mistakes that can be seen without types, sorted.
	Faults fault.List
	// Guesses are comments that may have been meant as directives, or may mean what
	// they say, sorted. They are warnings, which stop nothing.
	Guesses fault.List
}

// Parse reads the directives of a file. The file must be parsed with comments from
// exactly the bytes of src.
func Parse(fset *token.FileSet, file *ast.File, src []byte) Reading {
	p := &parser{fset: fset, file: file, src: src, loose: map[*ast.Comment]Directive{}}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			p.comment(comment, group)
		}
	}
	var interfaces []Interface
	if len(p.loose) > 0 {
		interfaces = p.interfaces()
	}
	for comment, directive := range p.loose {
		p.misplaced(comment, directive)
	}
	return Reading{interfaces, p.faults.Sorted(), p.guesses.Sorted()}
}

// parser works on one file.
type parser struct {
	fset    *token.FileSet
	file    *ast.File
	src     []byte
	loose   map[*ast.Comment]Directive // directives that nothing has claimed yet
	faults  fault.List
	guesses fault.List
}

func (p *parser) fault(pos token.Pos, directive, format string, args ...any) {
	p.faults = append(p.faults, fault.New(Position(p.fset, pos), Label(directive), format, args...))
}

// guess reports something that may be no fault.
func (p *parser) guess(pos token.Pos, directive, format string, args ...any) {
	p.guesses = append(p.guesses, Warning(Position(p.fset, pos), directive, format, args...))
}

// Label is who speaks in a fault of a directive; the name is empty if the
// directive has none.
func Label(directive string) string {
	if directive == "" {
		return Tool
	}
	return Tool + ":" + directive
}

// Warning is a fault that stops nothing.
func Warning(at token.Position, directive, format string, args ...any) fault.Fault {
	return fault.New(at, "warning: "+Label(directive), format, args...)
}

// Position is where pos is in the file on disk. Unlike fset.Position it does
// not follow //line comments, which may know no column.
func Position(fset *token.FileSet, pos token.Pos) token.Position {
	return fset.PositionFor(pos, false)
}

// comment reads one comment of a group.
func (p *parser) comment(c *ast.Comment, group *ast.CommentGroup) {
	text := p.text(c)
	d, ok := ast.ParseDirective(c.Slash, text)
	switch {
	case ok && d.Tool == Tool:
		p.loose[c] = p.read(d)
	case strings.HasPrefix(text, "//"):
		p.lookAlike(c.Slash, text, group)
	default:
		p.block(c.Slash, text, group)
	}
}

// text is the comment as it stands in the file: the scanner takes carriage
// returns out of a Comment's Text, which would falsify positions.
func (p *parser) text(c *ast.Comment) string {
	opening, end := c.Text[:len("//")], "\n"
	if opening == "/*" {
		end = "*/"
	}
	rest := p.src[p.offset(c.Slash)+len(opening):] // the opening of /*/ is not its end
	text, _, _ := bytes.Cut(rest, []byte(end))
	return strings.TrimSuffix(opening+string(text), "\r")
}

func (p *parser) offset(pos token.Pos) int {
	return p.fset.File(p.file.FileStart).Offset(pos)
}

// interfaces collects the types that carry directives.
func (p *parser) interfaces() []Interface {
	var list []Interface
	for _, decl := range p.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			i, ok := p.typeSpec(gen, spec.(*ast.TypeSpec))
			if ok {
				p.rules(i)
				list = append(list, i)
			}
		}
	}
	return list
}

// typeSpec claims the directives of a type and of its methods; false if there
// are none, or nothing that could have them.
func (p *parser) typeSpec(decl *ast.GenDecl, spec *ast.TypeSpec) (Interface, bool) {
	if !mayBeInterface(spec) {
		return Interface{}, false
	}
	i := Interface{Spec: spec}
	i.Directives = p.claim(typeDoc(decl, spec), OnType, "type "+spec.Name.Name)
	if literal, ok := ast.Unparen(spec.Type).(*ast.InterfaceType); ok {
		i.Methods = p.methods(literal)
	}
	if len(i.Directives) == 0 && len(i.Methods) == 0 {
		return Interface{}, false
	}
	return i, p.wrappable(i)
}

func (p *parser) methods(literal *ast.InterfaceType) []Method {
	var list []Method
	for _, field := range literal.Methods.List {
		if len(field.Names) == 0 {
			continue
		}
		method := Method{Name: field.Names[0]}
		method.Directives = p.claim(field.Doc, OnMethod, "method "+method.Name.Name)
		if len(method.Directives) > 0 {
			list = append(list, method)
		}
	}
	return list
}

// typeDoc is the doc comment of a type: in a group each type has its own.
func typeDoc(decl *ast.GenDecl, spec *ast.TypeSpec) *ast.CommentGroup {
	if spec.Doc == nil && !decl.Lparen.IsValid() {
		return decl.Doc
	}
	return spec.Doc
}

// claim takes the directives out of the doc comment of owner.
func (p *parser) claim(doc *ast.CommentGroup, place Place, owner string) Set {
	if doc == nil {
		return nil
	}
	var set Set
	for _, comment := range doc.List {
		d, ok := p.loose[comment]
		delete(p.loose, comment)
		if !ok || d.Row == nil {
			continue
		}
		first, repeated := set.Get(d.Row.Name)
		switch {
		case d.Row.On&place == 0:
			p.fault(d.Slash, d.Row.Name, "stands on %s; it belongs in %s", owner, d.Row.On.home())
		case repeated:
			p.fault(d.Slash, d.Row.Name, "stands twice on %s, first in line %d; keep one of them", owner, p.line(first.Slash))
		default:
			set = append(set, d)
		}
	}
	return set
}

func (p *parser) line(pos token.Pos) int {
	return Position(p.fset, pos).Line
}

// documents reports whether group is the doc comment of a type or method that may
// have directives.
func (p *parser) documents(group *ast.CommentGroup) bool {
	for _, decl := range p.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			if mayBeInterface(spec) && !isPlain(spec) && typeDoc(gen, spec) == group || documentsMethod(group, spec) {
				return true
			}
		}
	}
	return false
}

func documentsMethod(group *ast.CommentGroup, spec *ast.TypeSpec) bool {
	literal, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	return ok && slices.ContainsFunc(literal.Methods.List, func(field *ast.Field) bool {
		return len(field.Names) > 0 && field.Doc == group
	})
}

// mayBeInterface reports whether the type is an interface, or a name for what
// may be one.
func mayBeInterface(spec *ast.TypeSpec) bool {
	switch ast.Unparen(spec.Type).(type) {
	case *ast.InterfaceType, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	default:
		return false
	}
}

// isPlain reports whether a type is made of a predeclared one that is no interface.
func isPlain(spec *ast.TypeSpec) bool {
	name, ok := ast.Unparen(spec.Type).(*ast.Ident)
	return ok && doc.IsPredeclared(name.Name) && !slices.Contains([]string{"any", "error", "comparable"}, name.Name)
}

// wrappable reports an interface that no value can have, or no code can name,
// at each of its directives.
func (p *parser) wrappable(i Interface) bool {
	var why string
	switch {
	case i.Spec.Name.Name == "_":
		why = "a type named _ cannot be wrapped; give it a name"
	case isConstraint(i.Spec.Type):
		why = i.Spec.Name.Name + " is a constraint, for it lists types; only an interface of methods alone can be wrapped"
	default:
		return true
	}
	for _, d := range i.All() {
		p.fault(d.Slash, d.Row.Name, "%s", why)
	}
	return false
}

// isConstraint reports whether an interface lists types. Names it embeds are
// not looked up.
func isConstraint(expr ast.Expr) bool {
	literal, ok := ast.Unparen(expr).(*ast.InterfaceType)
	if !ok {
		return false
	}
	for _, field := range literal.Methods.List {
		if len(field.Names) == 0 && listsTypes(field.Type) {
			return true
		}
	}
	return false
}

func listsTypes(embedded ast.Expr) bool {
	switch embedded := ast.Unparen(embedded).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.BadExpr:
		return false
	case *ast.InterfaceType:
		return isConstraint(embedded)
	default:
		return true
	}
}
