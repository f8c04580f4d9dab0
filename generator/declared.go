package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// outsider is a hand-written file of the package that is not loaded: a test, or
// one of another build.
type outsider struct {
	constraint string
	declares   map[string]token.Pos // at package level
}

// findOutsiders reads what the folder has beside the files that are loaded.
func (c *checker) findOutsiders() []outsider {
	var list []outsider
	entries, _ := os.ReadDir(c.pkg.Dir) // it was read before
	for _, entry := range entries {
		path := filepath.Join(c.pkg.Dir, entry.Name())
		known := slices.ContainsFunc(c.pkg.Files, func(f *load.File) bool { return f.Path == path })
		if known || filepath.Ext(path) != ".go" {
			continue
		}
		if file := c.parseOutsider(path); file != nil {
			list = append(list, outsider{constraintOf(file), declaredIn(file.Syntax)})
		}
	}
	return list
}

// parseOutsider is nil for a file that is not the package's, or ours.
func (c *checker) parseOutsider(path string) *load.File {
	src, err := os.ReadFile(path)
	if err != nil || load.IsOurs(src) {
		return nil
	}
	syntax, _ := parser.ParseFile(c.pkg.Fset, path, src, parser.SkipObjectResolution|parser.ParseComments)
	if syntax == nil || syntax.Name.Name != c.pkg.Types.Name() {
		return nil
	}
	return &load.File{Path: path, Src: src, Syntax: syntax}
}

func declaredIn(file *ast.File) map[string]token.Pos {
	declared := map[string]token.Pos{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				declared[decl.Name.Name] = decl.Name.Pos()
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				for _, name := range specNames(spec) {
					declared[name.Name] = name.Pos()
				}
			}
		}
	}
	return declared
}

func specNames(spec ast.Spec) []*ast.Ident {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{spec.Name}
	case *ast.ValueSpec:
		return spec.Names
	}
	return nil
}

// builtWith tells whether some build surely has the file beside one with the
// given constraint.
func (o outsider) builtWith(constraint string) bool {
	ignored := slices.Contains(strings.FieldsFunc(o.constraint, func(r rune) bool { return strings.ContainsRune("&|!() ", r) }), "ignore")
	return !ignored && (constraint == "" || o.constraint == "" || o.constraint == constraint)
}

// declaredNames are all names at package level, those of other builds too: an
// import must not have any of them.
func (c *checker) declaredNames() names {
	declared := names{}
	declared.add(c.pkg.Types.Scope().Names()...)
	for _, o := range c.outsiders {
		for name := range o.declares {
			declared.add(name)
		}
	}
	return declared
}
