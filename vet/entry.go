package vet

import (
	"go/ast"
	"go/types"
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
	// reassigned are the fields that do not keep what they are made with.
	reassigned map[*types.Var]bool
}

// checkEntries checks the implementations of anticipated methods.
func (c *checker) checkEntries() {
	anticipated := c.anticipated()
	if len(anticipated) == 0 {
		return
	}
	implementations := c.implementations(anticipated)
	reassigned := c.reassignedFields()
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
				e.decl, e.reassigned = decl, reassigned
				e.check(fn.Signature())
			}
		}
	}
}

// check reports what is wrong in the body.
func (e *entry) check(sig *types.Signature) {
	e.receiver = sig.Recv()
	e.ctx = sig.Params().At(contextIndex(sig))
	if e.decorates(sig) {
		return
	}
	e.readBody()
	for _, call := range e.calls() {
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
