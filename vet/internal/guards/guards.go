// Package guards knows which guards stand before the interfaces and wrappers of
// a package, and before those of the packages that it imports.
//
// It owns the fact that one package tells the next, how a wrapper's constructor
// is read, and how a call through a guard is recognized. It reports nothing:
// the analyzers that ask it do.
package guards

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// Analyzer finds the guards of a package. Its result is a *[Package].
var Analyzer = &analysis.Analyzer{
	Name:       "resgenguards",
	Doc:        "find the guards that generated wrappers put before interfaces",
	Run:        func(pass *analysis.Pass) (any, error) { return find(pass), nil },
	FactTypes:  []analysis.Fact{(*fact)(nil)},
	ResultType: reflect.TypeFor[*Package](),
}

// Of is what the analyzer has found in the package of a pass that requires it.
func Of(pass *analysis.Pass) *Package { return pass.ResultOf[Analyzer].(*Package) }

// Package is a package and the guards in it. Nothing changes it once it is found.
type Package struct {
	Fset      *token.FileSet
	Files     []*ast.File
	Pkg       *types.Package
	TypesInfo *types.Info

	Constructors []*types.Func                   // of the package's wrappers
	Wrappers     map[*types.TypeName]*types.Func // the package's interfaces; nil: not one constructor for all uses
	Known        map[*types.TypeName]Guarded     // interfaces and wrappers, imported ones too
	Generated    map[*ast.File]bool              // files with constructors
	Declarations map[*types.Func]*ast.FuncDecl
}

func find(pass *analysis.Pass) *Package {
	p := &Package{
		Fset:         pass.Fset,
		Files:        pass.Files,
		Pkg:          pass.Pkg,
		TypesInfo:    pass.TypesInfo,
		Wrappers:     map[*types.TypeName]*types.Func{},
		Known:        map[*types.TypeName]Guarded{},
		Generated:    map[*ast.File]bool{},
		Declarations: map[*types.Func]*ast.FuncDecl{},
	}
	p.findDeclarations()
	p.findWrappers()
	p.exportFact(pass)
	p.importFacts(pass)
	return p
}

func (p *Package) findDeclarations() {
	for _, file := range p.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				p.Declarations[p.TypesInfo.Defs[decl.Name].(*types.Func)] = decl
			}
		}
	}
}
