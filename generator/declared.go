package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// declaredNames are all names at package level, those of files too that this
// build leaves out: an import must not have any of them.
func (c *checker) declaredNames() names {
	declared := names{}
	declared.add(c.pkg.Types.Scope().Names()...)
	entries, _ := os.ReadDir(c.pkg.Dir) // it was read before
	for _, entry := range entries {
		path := filepath.Join(c.pkg.Dir, entry.Name())
		known := slices.ContainsFunc(c.pkg.Files, func(f *load.File) bool { return f.Path == path })
		if !known && filepath.Ext(path) == ".go" {
			declared.add(c.namesOf(path)...)
		}
	}
	return declared
}

// namesOf are the names that a hand-written file outside this build declares, if
// it belongs to the package.
func (c *checker) namesOf(path string) []string {
	src, err := os.ReadFile(path)
	if err != nil || load.IsOurs(src) {
		return nil
	}
	file, _ := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if file == nil || file.Name.Name != c.pkg.Types.Name() {
		return nil
	}
	var list []string
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				list = append(list, decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				list = append(list, specNames(spec)...)
			}
		}
	}
	return list
}

func specNames(spec ast.Spec) []string {
	var list []string
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		list = append(list, spec.Name.Name)
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			list = append(list, name.Name)
		}
	}
	return list
}
