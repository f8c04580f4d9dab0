package reach

import (
	"go/ast"
	"go/types"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// program is what the packages of a run call.
type program struct {
	packages  map[*types.Package]*guards.Package
	generated map[*types.Func]bool   // methods and constructors of wrappers
	concrete  []types.Type           // the types of the packages that have methods
	read      map[*types.Func][]site // what was read of bodies
}

// site is a place in a body that calls something, or hands it to others who may
// call it.
type site struct {
	guarded guards.Call   // without an interface: not through a guard
	to      []*types.Func // functions of the packages
	looping bool          // it is in a loop
}

func newProgram(packages map[*types.Package]*guards.Package) *program {
	p := &program{packages: packages, generated: map[*types.Func]bool{}, read: map[*types.Func][]site{}}
	for _, pkg := range packages {
		for _, file := range pkg.Files {
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && pkg.Generated[file] {
					p.generated[pkg.TypesInfo.Defs[fn.Name].(*types.Func)] = true
				}
			}
		}
		scope := pkg.Pkg.Scope()
		for _, name := range scope.Names() {
			if t, ok := scope.Lookup(name).(*types.TypeName); ok && !t.IsAlias() && !types.IsInterface(t.Type()) && !guards.IsGeneric(t) {
				p.concrete = append(p.concrete, types.NewPointer(t.Type()))
			}
		}
	}
	return p
}

// sites are those in the body of a function.
func (p *program) sites(fn *types.Func) []site {
	if known, ok := p.read[fn]; ok {
		return known
	}
	r := reader{program: p, Package: p.packages[fn.Pkg()]}
	if decl := r.Declarations[fn]; decl != nil && decl.Body != nil {
		r.walk(decl.Body, false)
	}
	p.read[fn] = r.found
	return r.found
}

// targets are the functions of the packages that a call of fn may run: fn, or the
// methods that implement it, where the packages declare its interface.
func (p *program) targets(fn *types.Func) (list []*types.Func) {
	if p.packages[fn.Pkg()] == nil {
		return nil
	}
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return p.own(nil, fn)
	}
	iface := recv.Type().Underlying().(*types.Interface)
	for _, t := range p.concrete {
		if types.Implements(t, iface) {
			obj, _, _ := types.LookupFieldOrMethod(t, false, fn.Pkg(), fn.Name())
			if method, ok := obj.(*types.Func); ok {
				list = p.own(list, method)
			}
		}
	}
	return list
}

// own adds a function that somebody wrote in the packages.
func (p *program) own(list []*types.Func, fn *types.Func) []*types.Func {
	fn = fn.Origin()
	if p.packages[fn.Pkg()] == nil || p.generated[fn] {
		return list
	}
	return append(list, fn)
}

// reader reads one body.
type reader struct {
	*program
	*guards.Package
	found []site
}

// walk finds the sites below a node.
func (r *reader) walk(n ast.Node, looping bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			r.parts(looping, n.Init)
			r.parts(true, n.Cond, n.Post, n.Body)
			return false
		case *ast.RangeStmt:
			r.parts(looping, n.X)
			r.parts(true, n.Body)
			return false
		case *ast.SelectorExpr:
			if call, ok := r.Selected(n); ok {
				s := site{guarded: call, looping: looping}
				if call.Method.Entry {
					s.to = r.used(n.Sel)
				}
				r.found = append(r.found, s)
				r.walk(n.X, looping)
				return false
			}
		case *ast.Ident:
			if to := r.used(n); len(to) > 0 {
				r.found = append(r.found, site{to: to, looping: looping})
			}
		}
		return true
	})
}

// parts walks those parts of a loop that it has.
func (r *reader) parts(looping bool, parts ...ast.Node) {
	for _, part := range parts {
		if part != nil {
			r.walk(part, looping)
		}
	}
}

// used are the functions that a name may stand for.
func (r *reader) used(name *ast.Ident) []*types.Func {
	if fn, ok := r.TypesInfo.Uses[name].(*types.Func); ok {
		return r.targets(fn.Origin())
	}
	return nil
}
