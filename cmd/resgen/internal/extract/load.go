package extract

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// program is a set of packages with all that they import, type-checked from
// their sources: no compiler and no cgo runs. Bodies of functions are kept of
// those packages only that are to be searched for calls.
type program struct {
	fset     *token.FileSet
	searched map[string]bool // by ID
	slots    chan struct{}

	mu      sync.Mutex
	checked map[string]*checked // by ID
}

// checked is a package once it has types.
type checked struct {
	once   sync.Once
	types  *types.Package
	files  []*ast.File
	info   *types.Info
	faults []error // of packages that are searched
}

// list asks the go command for packages and all that they import.
func (o *Options) list(patterns ...string) ([]*packages.Package, error) {
	return o.listAs(packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedDeps, patterns...)
}

func (o *Options) listAs(mode packages.LoadMode, patterns ...string) ([]*packages.Package, error) {
	config := &packages.Config{Context: o.Context, Dir: o.Dir, Env: o.Env, Mode: mode}
	if o.Tags != "" {
		config.BuildFlags = []string{"-tags=" + o.Tags}
	}
	listed, err := packages.Load(config, patterns...)
	if cause := context.Cause(o.Context); cause != nil {
		return nil, cause
	}
	return listed, err
}

func newProgram(searched []*packages.Package) *program {
	p := &program{
		fset: token.NewFileSet(), searched: map[string]bool{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)), checked: map[string]*checked{},
	}
	for _, pkg := range searched {
		p.searched[pkg.ID] = true
	}
	return p
}

// check gives a package its types, after those that it imports.
func (p *program) check(pkg *packages.Package) *checked {
	p.mu.Lock()
	c := p.checked[pkg.ID]
	if c == nil {
		c = &checked{}
		p.checked[pkg.ID] = c
	}
	p.mu.Unlock()
	c.once.Do(func() {
		var imports sync.WaitGroup
		for _, imported := range pkg.Imports {
			imports.Go(func() { p.check(imported) })
		}
		imports.Wait()
		p.slots <- struct{}{}
		defer func() { <-p.slots }()
		p.typeCheck(pkg, c)
	})
	return c
}

// typeCheck goes on after errors: most of them concern nothing that is asked for.
func (p *program) typeCheck(pkg *packages.Package, c *checked) {
	if pkg.PkgPath == "unsafe" {
		c.types = types.Unsafe
		return
	}
	bodies := p.searched[pkg.ID]
	for _, path := range pkg.GoFiles {
		file, _ := parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution)
		if file != nil {
			c.files = append(c.files, withBodies(file, bodies))
		}
	}
	if bodies {
		c.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	}
	config := types.Config{
		Importer: importer(func(path string) (*types.Package, error) { return p.imported(pkg, path) }), FakeImportC: true, IgnoreFuncBodies: !bodies,
		Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); ok && bodies && !e.Soft {
				c.faults = append(c.faults, err)
			}
		},
	}
	c.types, _ = config.Check(pkg.PkgPath, p.fset, c.files, c.info)
}

func withBodies(file *ast.File, bodies bool) *ast.File {
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && !bodies {
			fn.Body = nil
		}
	}
	return file
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

func (p *program) imported(into *packages.Package, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := into.Imports[path]; pkg != nil {
		return p.check(pkg).types, nil
	}
	return nil, fmt.Errorf("it was not found")
}

// position is where an object is declared, whatever line directives say.
func (p *program) position(pos token.Pos) token.Position { return p.fset.PositionFor(pos, false) }

// place is how a message names a place: relative to the folder, if it is below.
func (o *Options) place(at token.Position) string {
	if rel, err := filepath.Rel(o.Dir, at.Filename); err == nil && !strings.HasPrefix(rel, "..") {
		at.Filename = rel
	}
	return at.String()
}
