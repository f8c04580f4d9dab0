package generator

import (
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
)

// guardsAround are the guards in everything that packages belong to: their
// module or workspace, in whatever build configuration, and what they import. It
// reads many files, so it is called only if a name is missed.
func guardsAround(packages []*load.Package) guards {
	found := guards{}
	seen := map[string]bool{}
	for _, pkg := range packages {
		if root := rootOf(pkg); !seen[root] {
			seen[root] = true
			found.addTree(root)
		}
		if pkg.Types != nil {
			found.addImports(pkg.Fset, pkg.Types, seen)
		}
	}
	return found
}

// rootOf is the folder of the workspace that a package is in, else that of its
// module.
func rootOf(pkg *load.Package) string {
	if pkg.Module == nil {
		return pkg.Dir
	}
	for dir := pkg.Module.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return pkg.Module.Dir
		}
	}
}

// addTree adds the guards below a folder. What cannot be read has none.
func (g guards) addTree(root string) {
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && entry == nil:
			return nil
		case entry.IsDir() && path != root && isLeftOut(entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular() && strings.HasSuffix(path, ".go"):
			g.addFile(path)
		}
		return nil
	})
}

// isLeftOut holds for folders that the go command looks for no packages in.
func isLeftOut(folder string) bool {
	return folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

// addFile adds the guards that a file asks for.
func (g guards) addFile(path string) {
	src, err := os.ReadFile(path)
	if err != nil || !directives.Asks(src) {
		return
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return
	}
	u := usage{guarding: g}
	for _, iface := range directives.Parse(fset, file, src).Interfaces {
		u.add(fset, iface.All())
	}
}

// addImports adds the guards in the folders of all that a package imports, as far
// as something of it was loaded.
func (g guards) addImports(fset *token.FileSet, pkg *types.Package, seen map[string]bool) {
	for _, imported := range pkg.Imports() {
		if seen[imported.Path()] {
			continue
		}
		seen[imported.Path()] = true
		for _, name := range imported.Scope().Names() {
			if at := imported.Scope().Lookup(name).Pos(); at.IsValid() {
				files, _ := filepath.Glob(filepath.Join(filepath.Dir(directives.Position(fset, at).Filename), "*.go"))
				for _, path := range files {
					g.addFile(path)
				}
				break
			}
		}
		g.addImports(fset, imported, seen)
	}
}
