package unwrapped

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// place is a variable, a field or a parameter whose type is an annotated
// interface of the package.
type place struct {
	iface  *types.TypeName
	raw    []ast.Expr   // clients without a guard that are put in
	from   []*types.Var // places whose value is put in
	called bool         // a guarded method of what is in it is called
	unsure bool         // something else may be put in, or be done with it
}

// finder follows clients from place to place. What it does not understand
// makes a place unsure.
type finder struct {
	*guards.Package
	places     map[*types.Var]*place
	order      []*place
	functions  map[*types.Func]bool // whose calls can all be seen
	understood map[*ast.Ident]bool
}

// walk visits the files that wire the package. Tests may do as they like, and
// the wrappers are meant to call what they wrap.
func (f *finder) walk(visit func(ast.Node)) {
	for _, file := range f.Files {
		if f.Generated[file] || f.IsTest(file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			visit(n)
			return true
		})
	}
}

// place is the place that an expression names; nil if it names none.
func (f *finder) place(x ast.Expr) (*types.Var, *place) {
	v, _ := f.Variable(x)
	if v == nil || !types.IsInterface(v.Type()) {
		return nil, nil
	}
	iface := guards.Named(v.Type())
	if iface == nil || f.Wrappers[iface] == nil || guards.IsGeneric(iface) {
		return nil, nil
	}
	p := f.places[v]
	if p == nil {
		p = &place{iface: iface, unsure: f.isOpen(v)}
		f.places[v] = p
		f.order = append(f.order, p)
	}
	return v, p
}

// isOpen reports whether other packages can get at something of this one.
func (f *finder) isOpen(obj types.Object) bool {
	return obj.Exported() && f.Pkg.Name() != "main"
}

// declaration understands variables, fields and parameters that nothing else
// can reach.
func (f *finder) declaration(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		fn := f.TypesInfo.Defs[n.Name].(*types.Func)
		if n.Recv == nil && !f.isOpen(fn) {
			f.functions[fn] = true
			for _, field := range n.Type.Params.List {
				f.declare(field.Names...)
			}
		}
	case *ast.TypeSpec:
		if s, ok := n.Type.(*ast.StructType); ok {
			f.structure(types.NewPointer(f.TypesInfo.Defs[n.Name].Type()), s)
		}
	case *ast.ValueSpec:
		f.declare(n.Names...)
	}
}

func (f *finder) declare(names ...*ast.Ident) {
	for _, name := range names {
		if _, p := f.place(name); p != nil {
			f.understood[name] = true
		}
	}
}

// structure understands the fields of a struct, unless it stands for a client
// itself: what is in that is meant to have no guard where the whole gets one.
func (f *finder) structure(t types.Type, s *ast.StructType) {
	if f.isClient(t) {
		return
	}
	for _, field := range s.Fields.List {
		for _, name := range field.Names {
			_, p := f.place(name)
			if p != nil && !types.Implements(t, guards.Underlying(p.iface)) {
				f.understood[name] = true
			}
		}
	}
}

// isClient reports whether a type implements an annotated interface that is not of
// entry methods.
func (f *finder) isClient(t types.Type) bool {
	for obj := range f.Wrappers {
		known, ok := f.Known[obj]
		if ok && !known.HasEntry() && types.Implements(t, guards.Underlying(obj)) {
			return true
		}
	}
	return false
}

// use understands what is put into places, and the calls on them.
func (f *finder) use(n ast.Node) {
	guards.Assignments(n, f.put)
	switch n := n.(type) {
	case *ast.CompositeLit:
		f.literal(n)
	case *ast.CallExpr:
		f.call(n)
	}
}

// put understands that a target is given a value, which is nil if unknown.
func (f *finder) put(target, value ast.Expr) {
	if _, p := f.place(target); p != nil {
		f.understand(target)
		f.fill(p, value)
	}
}

func (f *finder) understand(x ast.Expr) {
	if _, name := f.Variable(x); name != nil {
		f.understood[name] = true
	}
}

// fill notes a value that is put into a place.
func (f *finder) fill(p *place, value ast.Expr) {
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && f.TypesInfo.Types[call.Fun].IsType() && types.IsInterface(f.TypesInfo.TypeOf(call)) {
		value = call.Args[0]
	}
	source, from := f.place(value)
	switch {
	case f.TypesInfo.Types[value].IsNil():
	case from != nil:
		f.understand(value)
		p.from = append(p.from, source)
	case value != nil && f.isRaw(f.TypesInfo.TypeOf(value), p.iface):
		p.raw = append(p.raw, value)
	default:
		p.unsure = true
	}
}

func (f *finder) literal(n *ast.CompositeLit) {
	t := f.TypesInfo.TypeOf(n)
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			f.put(pair.Key, pair.Value)
		} else if p := f.places[s.Field(i).Origin()]; p != nil {
			f.fill(p, element)
		}
	}
}

// call understands a call on a place, and the arguments of a function of the
// package.
func (f *finder) call(n *ast.CallExpr) {
	if fun, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		if _, p := f.place(fun.X); p != nil {
			f.understand(fun.X)
			_, guarded := f.Call(n)
			p.called = p.called || guarded
		}
	}
	fn := typeutil.StaticCallee(f.TypesInfo, n)
	if fn == nil || !f.functions[fn.Origin()] {
		return
	}
	params := fn.Origin().Signature().Params()
	if params.Len() == len(n.Args) {
		f.understood[calleeName(n)] = true
		for i, arg := range n.Args {
			if p := f.places[params.At(i)]; p != nil {
				f.fill(p, arg)
			}
		}
	}
}

// calleeName is the name by which a function of the package is called.
func calleeName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch instance := fun.(type) {
	case *ast.IndexExpr:
		fun = instance.X
	case *ast.IndexListExpr:
		fun = instance.X
	}
	name, _ := fun.(*ast.Ident)
	return name
}

// doubt makes places unsure that are used in a way that was not understood.
func (f *finder) doubt(n ast.Node) {
	name, ok := n.(*ast.Ident)
	if !ok || f.understood[name] {
		return
	}
	if _, p := f.place(name); p != nil {
		p.unsure = true
	}
	fn, ok := f.TypesInfo.Uses[name].(*types.Func)
	if !ok || !f.functions[fn.Origin()] {
		return
	}
	for param := range fn.Origin().Signature().Params().Variables() {
		if p := f.places[param]; p != nil {
			p.unsure = true
		}
	}
}

// spread carries doubt forward, from where a value is to where it goes, and
// calls backward.
func (f *finder) spread() {
	for changed := true; changed; {
		changed = false
		for _, p := range f.order {
			unsure := p.unsure || len(p.raw)+len(p.from) == 0
			for _, v := range p.from {
				unsure = unsure || f.places[v].unsure
			}
			changed = changed || unsure != p.unsure
			p.unsure = unsure
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range f.order {
			for _, v := range p.from {
				if source := f.places[v]; p.called && !p.unsure && !source.called {
					source.called, changed = true, true
				}
			}
		}
	}
}
