package extract

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// docs are the doc comments of types and methods, by where their names stand.
// They are read when they are asked for, because packages are loaded without.
type docs map[string]map[spot]string

type spot struct {
	line int
	name string
}

// sentence is the first one of the doc comment of an object, and the paragraph
// that says that it is deprecated. Either may be empty.
func (d docs) sentence(at token.Position, obj types.Object) (first, deprecated string) {
	if d[at.Filename] == nil {
		d[at.Filename] = docsIn(at.Filename)
	}
	text := d[at.Filename][spot{at.Line, obj.Name()}]
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, "Deprecated: ") {
			deprecated = strings.Join(strings.Fields(paragraph), " ")
		}
	}
	if first = apart.Replace(new(doc.Package).Synopsis(together.Replace(text))); strings.HasPrefix(first, "Deprecated: ") {
		first = ""
	}
	return first, deprecated
}

// In these, a full stop ends no sentence.
var (
	together = strings.NewReplacer("e.g. ", "e.g.\u00a0", "i.e. ", "i.e.\u00a0", "vs. ", "vs.\u00a0")
	apart    = strings.NewReplacer("\u00a0", " ")
)

func docsIn(path string) map[spot]string {
	found := map[spot]string{}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution|parser.ParseComments)
	if file == nil {
		return found
	}
	note := func(name *ast.Ident, doc *ast.CommentGroup) {
		if doc != nil {
			found[spot{fset.PositionFor(name.Pos(), false).Line, name.Name}] = doc.Text()
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			note(n.Name, n.Doc)
			return false
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					note(spec.Name, n.Doc) // what stands before a group is about all of it
					note(spec.Name, spec.Doc)
				}
			}
		case *ast.InterfaceType:
			for _, field := range n.Methods.List {
				for _, name := range field.Names {
					note(name, field.Doc)
				}
			}
		}
		return true
	})
	return found
}
