package generator

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// outsider is a hand-written file of the package that is not loaded: a test, or
// one of another build.
type outsider struct {
	constraint string
	declares   map[string]token.Pos // at package level
	imports    map[string]token.Pos // the names that it has by its imports
	methods    []*ast.FuncDecl
}

// findOutsiders reads what the folder has beside the files that are loaded.
func (c *checker) findOutsiders() []outsider {
	var list []outsider
	entries, _ := os.ReadDir(c.pkg.Dir) // it was read before
	for _, entry := range entries {
		path := filepath.Join(c.pkg.Dir, entry.Name())
		known := slices.ContainsFunc(c.pkg.Files, func(f *load.File) bool { return f.Path == path })
		if known || !isSource(entry.Name()) {
			continue
		}
		if file := c.parseOutsider(path); file != nil {
			list = append(list, outsider{
				constraint: constraintOf(file),
				declares:   declaredIn(file.Syntax),
				imports:    c.importedInto(file.Syntax),
				methods:    methodsIn(file.Syntax),
			})
		}
	}
	return list
}

// isSource reports whether some build may have a file of that name; no build has
// those that begin with a dot or an underscore.
func isSource(name string) bool {
	return filepath.Ext(name) == ".go" && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".")
}

// parseOutsider is nil for a file that is not the package's, or ours.
func (c *checker) parseOutsider(path string) *load.File {
	src, err := os.ReadFile(path)
	if err != nil || outputs.IsOutput(path, src) {
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

// importedInto are the names that a file has by its imports. Those of a dot
// import are known of the same module and of the standard library.
func (c *checker) importedInto(file *ast.File) map[string]token.Pos {
	imported := map[string]token.Pos{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		switch {
		case spec.Name == nil:
			imported[assumedName(path)] = spec.Path.Pos()
		case spec.Name.Name == ".":
			for name := range c.exports(path) {
				imported[name] = spec.Name.Pos()
			}
		default:
			imported[spec.Name.Name] = spec.Name.Pos()
		}
	}
	return imported
}

// exports are the names that a package exports in some build.
func (c *checker) exports(path string) names {
	exported := names{}
	dir := c.folderOf(path)
	if dir == "" {
		return exported
	}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !isSource(entry.Name()) || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		syntax, _ := parser.ParseFile(c.pkg.Fset, filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if syntax != nil {
			exported.add(slices.Collect(maps.Keys(declaredIn(syntax)))...)
		}
	}
	maps.DeleteFunc(exported, func(name string, _ bool) bool { return !ast.IsExported(name) })
	return exported
}

// folderOf is where a package is; empty if that cannot be told without the go
// command.
func (c *checker) folderOf(path string) string {
	if c.pkg.Module != nil {
		if below, ok := strings.CutPrefix(path+"/", c.pkg.Module.Path+"/"); ok {
			return filepath.Join(c.pkg.Module.Dir, below)
		}
	}
	pkg, err := build.Import(path, "", build.FindOnly)
	if err != nil {
		return ""
	}
	return pkg.Dir
}

func methodsIn(file *ast.File) []*ast.FuncDecl {
	var methods []*ast.FuncDecl
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
			methods = append(methods, fn)
		}
	}
	return methods
}

// methodsOn are the methods that the package itself declares on a wrapper.
func (c *checker) methodsOn(t *target) map[string]token.Pos {
	methods := map[string]token.Pos{}
	if obj := c.pkg.Types.Scope().Lookup(t.wrapper); obj != nil {
		if wrapper, ok := obj.Type().(*types.Named); ok {
			for m := range wrapper.Methods() {
				methods[m.Name()] = m.Pos()
			}
		}
	}
	for _, o := range c.outsiders {
		for _, m := range o.methods {
			if load.Receiver(m) == t.wrapper && o.builtWith(constraintOf(t.file)) {
				methods[m.Name.Name] = m.Name.Pos()
			}
		}
	}
	return methods
}

// builtWith reports whether some build surely has the file beside one with the
// given constraint.
func (o outsider) builtWith(constraint string) bool {
	ignored := slices.Contains(strings.FieldsFunc(o.constraint, func(r rune) bool { return strings.ContainsRune("&|!() ", r) }), "ignore")
	return !ignored && (constraint == "" || o.constraint == "" || o.constraint == constraint)
}

// importedNames are those that files of the package have by their imports, which
// no name at package level may be.
func (c *checker) importedNames() names {
	imported := names{}
	for _, file := range c.pkg.Files {
		if scope := c.pkg.Info.Scopes[file.Syntax]; scope != nil {
			imported.add(scope.Names()...)
		}
	}
	for _, o := range c.outsiders {
		imported.add(slices.Collect(maps.Keys(o.imports))...)
	}
	return imported
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
