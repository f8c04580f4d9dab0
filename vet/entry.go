package vet

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
)

// entry is an implementation of an anticipated method.
type entry struct {
	*checker
	decl     *ast.FuncDecl
	of       *types.TypeName // the annotated interface
	method   method
	receiver *types.Var
	ctx      *types.Var

	// origins are the values that the body gives to variables; nil is a value of
	// which nothing is known.
	origins map[*types.Var][]ast.Expr
	// joined are the function literals that surely run while the entry does.
	joined map[*ast.FuncLit]bool
}

// checkEntries checks the implementations of anticipated methods.
func (c *checker) checkEntries() {
	anticipated := c.anticipated()
	if len(anticipated) == 0 {
		return
	}
	implementations := c.implementations(anticipated)
	for _, file := range c.Files {
		if !c.checked(file) {
			continue
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			fn := c.TypesInfo.Defs[decl.Name].(*types.Func)
			if e := implementations[fn]; e != nil {
				e.decl = decl
				e.check(fn.Signature())
			}
		}
	}
}

// anticipated lists the interfaces with an anticipated method, in this package
// and in imported ones. Generic ones are left out: which instance a type
// implements is not to be seen in its methods.
func (c *checker) anticipated() []*types.TypeName {
	var list []*types.TypeName
	for _, known := range c.AllPackageFacts() {
		for _, g := range known.Fact.(*guards).Types {
			obj, ok := known.Package.Scope().Lookup(g.Name).(*types.TypeName)
			if ok && g.isEntry() && types.IsInterface(obj.Type()) && !isGeneric(obj) {
				list = append(list, obj)
			}
		}
	}
	slices.SortFunc(list, func(a, b *types.TypeName) int {
		return cmp.Or(cmp.Compare(a.Pkg().Path(), b.Pkg().Path()), cmp.Compare(a.Name(), b.Name()))
	})
	return list
}

// implementations finds the methods of the package that implement anticipated
// ones. A method that implements two is left out if they reserve differently.
func (c *checker) implementations(anticipated []*types.TypeName) map[*types.Func]*entry {
	found := map[*types.Func]*entry{}
	for _, name := range c.Pkg.Scope().Names() {
		obj, ok := c.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) || isGeneric(obj) {
			continue
		}
		for _, iface := range anticipated {
			c.implementation(types.NewPointer(obj.Type()), iface, found)
		}
	}
	for fn, e := range found {
		if e.of == nil {
			delete(found, fn)
		}
	}
	return found
}

func (c *checker) implementation(t types.Type, iface *types.TypeName, found map[*types.Func]*entry) {
	if !types.Implements(t, underlying(iface)) {
		return
	}
	known, _ := c.guarded(iface)
	for _, m := range known.Methods {
		obj, _, _ := types.LookupFieldOrMethod(t, false, iface.Pkg(), m.Name)
		fn, ok := obj.(*types.Func)
		if !ok || !m.Entry {
			continue
		}
		fn = fn.Origin()
		e := found[fn]
		if e == nil {
			found[fn] = &entry{checker: c, of: iface, method: m}
		} else if !slices.Equal(e.method.Preload, m.Preload) || !slices.Equal(e.method.Lease, m.Lease) {
			e.of = nil
		}
	}
}

// check reports what is wrong in the body.
func (e *entry) check(sig *types.Signature) {
	e.receiver = sig.Recv()
	e.ctx = sig.Params().At(contextIndex(sig))
	e.readBody()
	calls := e.calls()
	if e.decorates(calls) {
		return
	}
	for _, call := range calls {
		if call.context != nil && e.method.reserves(call.method.Bulkhead) && e.stem(call.context) == foreign {
			e.reportMiss(call)
		}
	}
	e.checkTickets()
}

func (e *entry) reportMiss(call guardedCall) {
	e.ReportRangef(call.context, "call of %s.%s misses the permits of bulkhead %s that %s reserves: "+
		"derive its context from that of %s, if need be with context.WithoutCancel, or attach the reservation to it (resilience.ReservationFrom)",
		call.iface, call.method.Name, call.method.Bulkhead, e, e.method.Name)
}

// String names the anticipated method.
func (e *entry) String() string { return e.of.Name() + "." + e.method.Name }

// decorates tells whether the method passes on to another implementation. Then
// it may well stand before the wrapper, where there is no reservation yet.
func (e *entry) decorates(calls []guardedCall) bool {
	return slices.ContainsFunc(calls, func(call guardedCall) bool {
		return call.on.Pkg() == e.of.Pkg() && call.iface == e.of.Name() && call.method.Name == e.method.Name
	})
}

// readBody collects what the body assigns, and which literals run within it.
func (e *entry) readBody() {
	e.origins = map[*types.Var][]ast.Expr{}
	e.joined = map[*ast.FuncLit]bool{}
	ast.Inspect(e.decl.Body, func(n ast.Node) bool {
		assignments(n, e.assign)
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

func (e *entry) assign(target, value ast.Expr) {
	if v, _ := e.variable(target); v != nil {
		e.origins[v] = append(e.origins[v], value)
	}
}

// join notes a literal that a call runs: func(){…}() or group.Go(func(){…}) of a
// group that the entry itself waits for.
func (e *entry) join(call *ast.CallExpr) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		e.joined[fun] = true
	case *ast.SelectorExpr:
		if fun.Sel.Name == "Go" && len(call.Args) == 1 && e.isOwnGroup(fun.X) {
			if literal, ok := call.Args[0].(*ast.FuncLit); ok {
				e.joined[literal] = true
			}
		}
	}
}

// declares tells whether a variable is declared in the body.
func (e *entry) declares(v *types.Var) bool {
	return e.decl.Body.Pos() <= v.Pos() && v.Pos() < e.decl.Body.End()
}

// isOwnGroup tells whether an expression is a group of goroutines that is
// declared in the body. Others may outlive the entry.
func (e *entry) isOwnGroup(x ast.Expr) bool {
	v, _ := e.variable(x)
	if v == nil || !e.declares(v) {
		return false
	}
	t := named(v.Type())
	return t != nil && (isNamed(t, "sync", "WaitGroup") || isNamed(t, "golang.org/x/sync/errgroup", "Group"))
}

// outlives tells whether a go statement starts what may outlive the entry. What
// ends with group.Done() of an own group does not.
func (e *entry) outlives(n *ast.GoStmt) bool {
	literal, ok := n.Call.Fun.(*ast.FuncLit)
	return !ok || !slices.ContainsFunc(literal.Body.List, func(s ast.Stmt) bool {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			return false
		}
		fun, ok := d.Call.Fun.(*ast.SelectorExpr)
		return ok && fun.Sel.Name == "Done" && e.isOwnGroup(fun.X)
	})
}

// calls lists the guarded calls that are made while the entry runs.
func (e *entry) calls() []guardedCall {
	var calls []guardedCall
	ast.Inspect(e.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return !e.outlives(n)
		case *ast.FuncLit:
			return e.joined[n]
		case *ast.CallExpr:
			if call, ok := e.guardedCall(n); ok {
				calls = append(calls, call)
			}
		}
		return true
	})
	return calls
}
