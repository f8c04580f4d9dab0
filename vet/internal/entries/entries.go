// Package entries finds the methods of a package that implement anticipated ones,
// and reads their bodies: which guarded calls they make while they run, and where
// the contexts of these come from.
//
// It owns what is certain about such a body. It reports nothing: the analyzers
// that ask it do.
package entries

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// Analyzer finds the entries of a package. Its result is a []*[Entry].
var Analyzer = &analysis.Analyzer{
	Name:       "resgenentries",
	Doc:        "find the methods that implement anticipated ones",
	Run:        func(pass *analysis.Pass) (any, error) { return finder{guards.Of(pass)}.entries(), nil },
	Requires:   []*analysis.Analyzer{guards.Analyzer},
	ResultType: reflect.TypeFor[[]*Entry](),
}

// Of are the entries in the package of a pass that requires the analyzer, in the
// order of the source. Those in tests and generated files are left out, and those
// that may stand before the wrapper.
func Of(pass *analysis.Pass) []*Entry { return pass.ResultOf[Analyzer].([]*Entry) }

// Entry is an implementation of an anticipated method.
type Entry struct {
	*guards.Package
	Decl     *ast.FuncDecl
	Of       *types.TypeName // the annotated interface
	Method   guards.Method
	receiver *types.Var
	ctx      *types.Var

	// origins are the values that the body gives to variables; nil is a value of
	// which nothing is known.
	origins map[*types.Var][]ast.Expr
	// joined are the function literals that surely run while the entry does.
	joined map[*ast.FuncLit]bool
	// reassigned are the fields that do not keep what they are made with.
	reassigned map[*types.Var]bool
}

// String names the anticipated method.
func (e *Entry) String() string { return e.Of.Name() + "." + e.Method.Name }

// finder finds the entries of one package.
type finder struct{ *guards.Package }

func (f finder) entries() []*Entry {
	anticipated := f.anticipated()
	if len(anticipated) == 0 {
		return nil
	}
	var list []*Entry
	implementations, reassigned := f.implementations(anticipated), f.reassignedFields()
	for _, file := range f.Files {
		if !f.Checked(file) {
			continue
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			fn := f.TypesInfo.Defs[decl.Name].(*types.Func)
			if e := implementations[fn]; e != nil && !e.decorates(fn.Signature()) {
				e.reassigned = reassigned
				e.read(decl, fn.Signature())
				list = append(list, e)
			}
		}
	}
	return list
}

// read collects what the body assigns, and which literals run within it.
func (e *Entry) read(decl *ast.FuncDecl, sig *types.Signature) {
	e.Decl, e.receiver, e.ctx = decl, sig.Recv(), sig.Params().At(guards.ContextIndex(sig))
	e.origins = map[*types.Var][]ast.Expr{}
	e.joined = map[*ast.FuncLit]bool{}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		guards.Assignments(n, e.assign)
		switch n := n.(type) {
		case *ast.FuncLit:
			for _, field := range n.Type.Params.List {
				for _, name := range field.Names {
					e.assign(name, nil)
				}
			}
		case *ast.CallExpr:
			e.join(n)
		}
		return true
	})
}

func (e *Entry) assign(target, value ast.Expr) {
	if v, _ := e.Variable(target); v != nil {
		e.origins[v] = append(e.origins[v], value)
	}
}

// Assigned is how often the body gives a variable a value.
func (e *Entry) Assigned(v *types.Var) int { return len(e.origins[v]) }

// Joined reports whether a function literal of the body surely runs while the
// entry does.
func (e *Entry) Joined(literal *ast.FuncLit) bool { return e.joined[literal] }
