// Package unwrapped reports clients that are called through an annotated
// interface and nowhere get its wrapper.
package unwrapped

import (
	"bytes"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

const doc = `report clients that are called without their guards

In a package with an annotated interface it reports a client that is called
through the interface and nowhere gets its wrapper. One that gets hold of
something that may be guarded, or makes no calls at all, is none.`

// Analyzer reports clients that are called without their guards.
var Analyzer = &analysis.Analyzer{
	Name:     "unwrapped",
	Doc:      doc,
	Requires: []*analysis.Analyzer{guards.Analyzer},
	Run:      func(pass *analysis.Pass) (any, error) { return nil, run(pass, guards.Of(pass)) },
}

// run reports clients without a guard where nothing else ever takes their place.
func run(pass *analysis.Pass, known *guards.Package) error {
	if len(known.Wrappers) == 0 {
		return nil
	}
	if unseen, err := wrapsUnseen(pass, known.Constructors); unseen || err != nil {
		return err
	}
	f := &finder{
		Package:    known,
		places:     map[*types.Var]*place{},
		functions:  map[*types.Func]bool{},
		understood: map[*ast.Ident]bool{},
	}
	f.walk(f.declaration)
	f.walk(f.use)
	f.walk(f.doubt)
	f.spread()
	for _, p := range f.order {
		if p.called && !p.unsure {
			f.report(pass, p)
		}
	}
	return nil
}

// wrapsUnseen reports whether a file that is left out by its build constraint
// mentions a constructor. Then other builds may wire the package otherwise, and
// this one may do so by intent.
func wrapsUnseen(pass *analysis.Pass, constructors []*types.Func) (bool, error) {
	for _, name := range pass.IgnoredFiles {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := pass.ReadFile(name)
		if err != nil {
			return false, err
		}
		for _, constructor := range constructors {
			if bytes.Contains(src, []byte(constructor.Name())) {
				return true, nil
			}
		}
	}
	return false, nil
}

// report reports the clients without a guard in a place.
func (f *finder) report(pass *analysis.Pass, p *place) {
	for _, client := range p.raw {
		if file := f.fileOf(client); file != nil && f.Checked(file) {
			pass.ReportRangef(client, "%s is called as %s without a guard: give it to %s and use what that returns",
				types.TypeString(f.TypesInfo.TypeOf(client), types.RelativeTo(f.Pkg)), f.Known[p.iface].Interface, f.Wrappers[p.iface].Name())
		}
	}
}

func (f *finder) fileOf(n ast.Node) *ast.File {
	for _, file := range f.Files {
		if file.FileStart <= n.Pos() && n.Pos() < file.FileEnd {
			return file
		}
	}
	return nil
}
