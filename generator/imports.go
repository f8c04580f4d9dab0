package generator

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// runtimePath is what generated code calls, and runtimeName its package clause.
const (
	runtimePath = "github.com/resgen-go/resgen/runtime"
	runtimeName = "resilience"
)

// importSpec is one import of an output.
type importSpec struct {
	Path     string
	Name     string // under which the output uses it
	Explicit bool   // the name is written, because the path does not show it
}

// importTable has the imports of one output, keyed on package path. First it is
// told all that the output mentions, then it chooses the names at one go.
type importTable struct {
	packages map[string]string // path: package clause
	chosen   map[string]importSpec
}

func newImportTable() *importTable {
	return &importTable{packages: map[string]string{runtimePath: runtimeName}}
}

func (t *importTable) need(path, name string) { t.packages[path] = name }

// mention is the qualifier of the pass that finds out what is mentioned.
func (t *importTable) mention(pkg *types.Package) string {
	t.need(importPath(pkg), pkg.Name())
	return pkg.Name()
}

// name is the qualifier once names are chosen.
func (t *importTable) name(pkg *types.Package) string { return t.chosen[importPath(pkg)].Name }

// choose settles the names. The source file's own come first, then those of the
// package clauses. No import is called like what is spoken for, and none that
// method bodies mention like a parameter there.
func (t *importTable) choose(source map[string]string, spoken names, inBodies map[string]names) {
	t.chosen = map[string]importSpec{}
	used := spokenFor(spoken, predeclared, names{"init": true}) // which Go lets no import be called
	for _, p := range t.inOrder(source) {
		free := spokenFor(used, inBodies[p])
		name := free.pick(candidates(p, t.packages[p], source[p])...)
		used.add(name)
		t.chosen[p] = importSpec{Path: p, Name: name, Explicit: name != assumedName(p) || name != t.packages[p]}
	}
}

// inOrder has the paths that the source file imports before all others.
func (t *importTable) inOrder(source map[string]string) []string {
	return slices.SortedFunc(maps.Keys(t.packages), func(a, b string) int {
		if (source[a] == "") != (source[b] == "") {
			return cmp.Compare(source[b], source[a])
		}
		return cmp.Compare(a, b)
	})
}

// candidates are the names to try for an import: the source file's, the package
// clause's, then one that says more.
func candidates(importPath, clause, source string) []string {
	list := []string{clause, qualified(importPath, clause)}
	if source != "" {
		list = append([]string{source}, list...)
	}
	return list
}

// qualified says where a package is, such as htmltemplate or stdcontext.
func qualified(importPath, clause string) string {
	for dir := path.Dir(importPath); dir != "."; dir = path.Dir(dir) {
		word := nonLetters.ReplaceAllString(path.Base(dir), "")
		if word != clause && !majorVersion.MatchString(path.Base(dir)) {
			return word + clause
		}
	}
	return "std" + clause
}

var nonLetters = regexp.MustCompile(`[^\pL]`)

// names are those that the imports have.
func (t *importTable) names() names {
	all := names{}
	for _, imp := range t.chosen {
		all.add(imp.Name)
	}
	return all
}

// list is the finished import block, standard library first.
func (t *importTable) list() []importSpec {
	return slices.SortedFunc(maps.Values(t.chosen), func(a, b importSpec) int {
		if standard(a.Path) != standard(b.Path) {
			if standard(a.Path) {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Path, b.Path)
	})
}

// standard reports whether a path is of the standard library, by its first element, which has
// no dot there.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// assumedName is the package name that readers expect behind a path.
func assumedName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	return dottedVersion.ReplaceAllString(base, "")
}

var (
	majorVersion  = regexp.MustCompile(`^v[0-9]+$`)
	dottedVersion = regexp.MustCompile(`\.v[0-9]+$`)
)

// importNames are the names under which a file imports packages, by path; dot
// and blank imports give no name.
func importNames(file *ast.File, info *types.Info) map[string]string {
	byPath := map[string]string{}
	for _, spec := range file.Imports {
		pkg := importOf(spec, info)
		if pkg == nil || pkg.Name() == "." || pkg.Name() == "_" {
			continue
		}
		if path := importPath(pkg.Imported()); byPath[path] == "" {
			byPath[path] = pkg.Name()
		}
	}
	return byPath
}

// importOf is what an import declares in its file; nil for a dot import.
func importOf(spec *ast.ImportSpec, info *types.Info) *types.PkgName {
	obj := info.Implicits[spec]
	if spec.Name != nil {
		obj = info.Defs[spec.Name]
	}
	pkg, _ := obj.(*types.PkgName)
	return pkg
}
