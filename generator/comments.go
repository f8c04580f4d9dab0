package generator

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"

	"github.com/resgen-go/resgen/directives"
)

// comments are what a file says of the types and methods that it declares. The
// file is read once more for them, because comments of dependencies are not loaded.
type comments struct {
	deprecated map[spot]string // the paragraphs that say so
	directives map[spot]directives.Set
}

// spot is where a file declares a type or method.
type spot struct {
	line int
	name string
}

// commentsAt are the paragraph that says that the type or method declared at pos is
// deprecated, empty if none does, and the directives of a method.
func (c *checker) commentsAt(pos token.Pos, name string) (deprecated string, set directives.Set) {
	at := directives.Position(c.pkg.Fset, pos)
	found, known := c.comments[at.Filename]
	if !known {
		found = readComments(at.Filename)
		c.comments[at.Filename] = found
	}
	return found.deprecated[spot{at.Line, name}], found.directives[spot{at.Line, name}]
}

// readComments reads a file; one that cannot be read says nothing.
func readComments(path string) (found comments) {
	src, err := os.ReadFile(path)
	asks := directives.Asks(src)
	if err != nil || !asks && !bytes.Contains(src, []byte(deprecation)) {
		return found
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return found
	}
	at := func(name *ast.Ident) spot { return spot{directives.Position(fset, name.Pos()).Line, name.Name} }
	found.directives = map[spot]directives.Set{}
	if asks {
		for _, iface := range directives.Parse(fset, file, src).Interfaces {
			for _, m := range iface.Methods {
				found.directives[at(m.Name)] = m.Directives
			}
		}
	}
	found.deprecated = deprecatedIn(file, at)
	return found
}

// deprecatedIn are the paragraphs of all types and methods of interfaces in a file.
func deprecatedIn(file *ast.File, at func(*ast.Ident) spot) map[spot]string {
	found := map[spot]string{}
	note := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		for _, doc := range docs {
			if text := deprecatedBy(doc); text != "" {
				found[at(name)] = text
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					note(spec.Name, n.Doc, spec.Doc) // a comment before a group is about all of it
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

const deprecation = "Deprecated:"

// deprecatedBy is the paragraph of a doc comment that begins with Deprecated.
func deprecatedBy(doc *ast.CommentGroup) string {
	for paragraph := range strings.SplitSeq(doc.Text(), "\n\n") {
		paragraph = strings.ReplaceAll(strings.TrimSpace(paragraph), "\n\t", "\n") // as of a block comment
		if strings.HasPrefix(paragraph, deprecation+" ") {
			return paragraph
		}
	}
	return ""
}

// comment is a doc comment: a sentence and, if what it is about is deprecated,
// the paragraph that says so.
func comment(sentence, deprecated string) string {
	if deprecated == "" {
		return "// " + sentence
	}
	return "// " + sentence + "\n//\n// " + strings.ReplaceAll(deprecated, "\n", "\n// ")
}
