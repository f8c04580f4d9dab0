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

// deprecated is the paragraph by which tools know that the type or method
// declared at pos is deprecated; empty if it has none. The file is read once
// more, as the comments of dependencies are not loaded.
func (c *checker) deprecated(pos token.Pos, name string) string {
	at := directives.Position(c.pkg.Fset, pos)
	found, known := c.deprecations[at.Filename]
	if !known {
		found = deprecatedIn(at.Filename)
		c.deprecations[at.Filename] = found
	}
	return found[spot{at.Line, name}]
}

// deprecatedIn are the paragraphs of all types and methods of interfaces in a
// file, none if it cannot be read.
func deprecatedIn(path string) map[spot]string {
	src, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(src, []byte(deprecation)) {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil
	}
	found := map[spot]string{}
	note := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		for _, doc := range docs {
			if text := deprecatedBy(doc); text != "" {
				found[spot{directives.Position(fset, name.Pos()).Line, name.Name}] = text
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					note(spec.Name, n.Doc, spec.Doc) // what stands before a group is about all of it
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
