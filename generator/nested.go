package generator

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/words"
)

// nesting looks for entries that are called within entries, and warns where the
// two reservations do not go together. It sees the methods of the package that
// implement an anticipated one and pass their context on to another.
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
	if !ok {
		return
	}
	for _, t := range targets {
		if outer := t.entry(fn.Name()); outer != nil && n.entries[t.obj] == t && types.Implements(pointerTo(fn.Signature().Recv().Type()), t.iface()) {
			n.calls(decl, fn.Signature().Params().At(outer.context), t, outer)
			return
		}
	}
}

// entry is an anticipated method of the interface that holds permits; nil if
// there is none of that name.
func (t *target) entry(name string) *method {
	for _, m := range t.methods {
		if m.Name() == name && m.guard != nil && len(m.guard.held()) > 0 {
			return m
		}
	}
	return nil
}

func (t *target) iface() *types.Interface { return t.obj.Type().Underlying().(*types.Interface) }

// held is how many permits of each bulkhead an entry holds, that of its own call
// included; none for a method that is no entry.
func (g *Guard) held() map[string]int {
	held := g.reserved()
	if g.Bulkhead != "" && len(g.Check)+len(held) > 0 {
		held[g.Bulkhead] = 1
	}
	return held
}

// reserved is how many permits of each bulkhead an entry holds for calls inside.
func (g *Guard) reserved() map[string]int {
	reserved := map[string]int{}
	for _, p := range slices.Concat(g.Preload, g.Lease) {
		reserved[p.Bulkhead] = p.N
	}
	return reserved
}

func pointerTo(t types.Type) types.Type {
	if _, ok := types.Unalias(t).(*types.Pointer); ok {
		return t
	}
	return types.NewPointer(t)
}

// calls finds the calls of other entries in the implementation of one. A call of
// the same interface is none: what wraps it by hand may stand before the wrapper.
func (n *nesting) calls(decl *ast.FuncDecl, ctx *types.Var, t *target, outer *method) {
	body := newBody(n.pkg, decl)
	ast.Inspect(decl.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, name := body.called(call)
		other := n.targetOf(of)
		if other == nil || other == t {
			return true
		}
		inner := other.entry(name)
		if inner != nil && inner.context < len(call.Args) && body.is(call.Args[inner.context], ctx) {
			n.compare(call, outer, inner)
		}
		return true
	})
}

// targetOf is the interface that a type is, by itself or as its wrapper.
func (n *nesting) targetOf(t types.Type) *target {
	if t == nil {
		return nil
	}
	if named, ok := types.Unalias(deref(t)).(*types.Named); ok {
		return n.entries[named.Obj()]
	}
	return nil
}

// compare warns of permits that cannot all be had, and of those that are not
// waited for, or not for long, because the entries would wait for each other
// otherwise. What the outer entry has reserved is lent to the inner one, the
// permit of its own call is not.
func (n *nesting) compare(call *ast.CallExpr, outer, inner *method) {
	held, lent, more := outer.guard.held(), outer.guard.reserved(), inner.guard.held()
	last := slices.Max(slices.Collect(maps.Keys(held)))
	for _, bulkhead := range slices.Sorted(maps.Keys(more)) {
		sum, missing := held[bulkhead]+more[bulkhead], more[bulkhead]-lent[bulkhead]
		switch {
		case held[bulkhead] > 0 && n.capacity != nil && sum > n.capacity(bulkhead):
			n.warn(call, "%s holds %s of bulkhead %s and calls %s, which reserves %d: its maxConcurrentCalls is %d",
				outer.Name(), words.Count(held[bulkhead], "permit"), bulkhead, inner.Name(), more[bulkhead], n.capacity(bulkhead))
		case missing <= 0 || bulkhead > last:
		case bulkhead == last:
			n.warn(call, "%s holds %s of bulkhead %s and calls %s, which reserves %d: when all permits are with entries that wait for more, one of them is refused; reserve the sum of %d in %[1]s",
				outer.Name(), words.Count(held[bulkhead], "permit"), bulkhead, inner.Name(), more[bulkhead], lent[bulkhead]+more[bulkhead])
		case lent[bulkhead] > 0:
			n.warn(call, "%s holds permits of bulkhead %s and calls %s, which reserves %d from %s and can borrow %d: against the order of names it does not wait for the others; reserve them in %[1]s",
				outer.Name(), last, inner.Name(), more[bulkhead], bulkhead, lent[bulkhead])
		default:
			n.warn(call, "%s holds permits of bulkhead %s and calls %s, which reserves from %s: against the order of names it does not wait for them; reserve from both in %[1]s",
				outer.Name(), last, inner.Name(), bulkhead)
		}
	}
}

func (n *nesting) warn(call *ast.CallExpr, format string, args ...any) {
	n.warnings = append(n.warnings, warning(directives.Position(n.pkg.Fset, call.Pos()), directives.Anticipate, format, args...))
}
