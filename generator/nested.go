package generator

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/resgen-go/resgen/directives"
)

// nesting looks for entries that are called within entries, and warns where the
// two reservations do not go together. It sees the methods of the package that
// implement an anticipated one and pass their context on to another by a field of
// their receiver; the rest of a body has no types here.
type nesting struct {
	*checker
	entries  map[*types.TypeName]*target // by their interfaces and wrappers
	warnings Faults
}

// nested are the warnings of the package.
func (c *checker) nested(targets []*target) Faults {
	n := &nesting{checker: c, entries: map[*types.TypeName]*target{}}
	for _, t := range targets {
		for _, name := range []string{t.name, t.wrapper} {
			if obj, ok := c.pkg.Types.Scope().Lookup(name).(*types.TypeName); ok && len(t.typeParams) == 0 {
				n.entries[obj] = t
			}
		}
	}
	for _, file := range c.pkg.Files {
		for _, decl := range file.Syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Body != nil {
				n.function(fn, targets)
			}
		}
	}
	return n.warnings
}

// function looks into a method that implements an entry.
func (n *nesting) function(decl *ast.FuncDecl, targets []*target) {
	fn, ok := n.pkg.Info.Defs[decl.Name].(*types.Func)
	if !ok || len(decl.Recv.List[0].Names) == 0 {
		return
	}
	for _, t := range targets {
		if outer := t.entry(fn.Name()); outer != nil && n.entries[t.obj] == t && types.Implements(pointerTo(fn.Signature().Recv().Type()), t.iface()) {
			n.body(decl, fn, t, outer)
			return
		}
	}
}

// entry is an anticipated method of the interface; nil if there is none.
func (t *target) entry(name string) *method {
	for _, m := range t.methods {
		if m.Name() == name && m.guard != nil && len(m.guard.held()) > 0 {
			return m
		}
	}
	return nil
}

func (t *target) iface() *types.Interface { return t.obj.Type().Underlying().(*types.Interface) }

// held is how many permits of each bulkhead an entry holds; none for a method
// that is no entry.
func (g *Guard) held() map[string]int {
	held := map[string]int{}
	for _, p := range slices.Concat(g.Preload, g.Lease) {
		held[p.Bulkhead] = p.N
	}
	if len(held) > 0 && g.Bulkhead != "" {
		held[g.Bulkhead] = 1
	}
	return held
}

func pointerTo(t types.Type) types.Type {
	if _, ok := t.(*types.Pointer); ok {
		return t
	}
	return types.NewPointer(t)
}

// body finds the calls of other entries in the implementation of one. A call of
// the same interface is none: what wraps it by hand may stand before the wrapper.
func (n *nesting) body(decl *ast.FuncDecl, fn *types.Func, t *target, outer *method) {
	receiver := decl.Recv.List[0].Names[0].Name
	ctx := fn.Signature().Params().At(outer.context).Name()
	ast.Inspect(decl.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		field, name := fieldAndMethod(call, receiver)
		other := n.targetOf(fn, field)
		if other == nil || other == t {
			return true
		}
		inner := other.entry(name)
		if inner != nil && inner.context < len(call.Args) && isIdent(call.Args[inner.context], ctx) {
			n.compare(call, outer, inner)
		}
		return true
	})
}

// fieldAndMethod takes receiver.field.method(…) apart; both are empty for another
// call.
func fieldAndMethod(call *ast.CallExpr, receiver string) (field, method string) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	inner, ok := selector.X.(*ast.SelectorExpr)
	if !ok || !isIdent(inner.X, receiver) {
		return "", ""
	}
	return inner.Sel.Name, selector.Sel.Name
}

func isIdent(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// targetOf is the interface that a field of the receiver has, by itself or its
// wrapper.
func (n *nesting) targetOf(fn *types.Func, field string) *target {
	obj, _, _ := types.LookupFieldOrMethod(fn.Signature().Recv().Type(), true, n.pkg.Types, field)
	v, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	t := types.Unalias(v.Type())
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return n.entries[named.Obj()]
	}
	return nil
}

// compare warns of permits that cannot all be had, and of those that are not
// waited for, as the entries would wait for each other otherwise.
func (n *nesting) compare(call *ast.CallExpr, outer, inner *method) {
	held, more := outer.guard.held(), inner.guard.held()
	last := slices.Max(slices.Collect(maps.Keys(held)))
	for _, bulkhead := range slices.Sorted(maps.Keys(more)) {
		sum := held[bulkhead] + more[bulkhead]
		switch {
		case held[bulkhead] == 0 && bulkhead < last:
			n.warn(call, "%s holds permits of bulkhead %s and calls %s, which reserves from %s: against the order of names it does not wait for them; reserve from both in %[1]s",
				outer.Name(), last, inner.Name(), bulkhead)
		case held[bulkhead] > 0 && n.capacity != nil && sum > n.capacity(bulkhead):
			n.warn(call, "%s holds %d permits of bulkhead %s and calls %s, which reserves %d: its maxConcurrentCalls is %d",
				outer.Name(), held[bulkhead], bulkhead, inner.Name(), more[bulkhead], n.capacity(bulkhead))
		}
	}
}

func (n *nesting) warn(call *ast.CallExpr, format string, args ...any) {
	n.warnings = append(n.warnings, Fault{
		directives.Position(n.pkg.Fset, call.Pos()),
		"warning: resilience:" + directives.Anticipate + ": " + fmt.Sprintf(format, args...),
	})
}
