package unwrapped

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// client is what the methods of a type do that is used as an annotated
// interface.
type client struct {
	*guards.Package
	isEntry bool // the interface is of entry methods
	seen    map[*types.Func]bool
	calls   bool // they make calls: this is no null object
	passes  bool // they may pass on to what has guards
}

// isRaw reports whether a type surely is a client without a guard: no interface,
// no wrapper, and none whose methods get hold of anything that may be guarded.
func (f *finder) isRaw(t types.Type, iface *types.TypeName) bool {
	if guards.Named(t) == nil || types.IsInterface(t) {
		return false
	}
	known := f.Known[iface]
	does := client{Package: f.Package, isEntry: known.HasEntry(), seen: map[*types.Func]bool{}}
	for m := range guards.Underlying(iface).Methods() {
		obj, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		does.method(obj.(*types.Func))
	}
	return does.calls && !does.passes
}

// method reads a method of the client. One of another package cannot be read: it
// may use all that its receiver holds, and makes no calls if that is memory only.
func (c *client) method(fn *types.Func) {
	if fn.Pkg() == c.Pkg {
		c.read(fn)
		return
	}
	recv := guards.Named(fn.Signature().Recv().Type())
	c.passes = c.passes || recv == nil || c.mayPass(recv.Type(), recv.Pkg(), map[types.Type]bool{})
	c.calls = c.calls || recv != nil && !isMemory(recv.Type(), map[types.Type]bool{})
}

// isMemory reports whether a value holds nothing that could ask anybody outside
// the process.
func isMemory(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] || guards.IsError(t) {
		return true
	}
	seen[t] = true
	if obj := guards.Named(t); obj != nil && obj.Pkg() != nil && indoors[obj.Pkg().Path()] {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Struct:
		for field := range t.Fields() {
			if !isMemory(field.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Map:
		return isMemory(t.Key(), seen) && isMemory(t.Elem(), seen)
	case *types.Chan: // who is at the other end?
		return false
	case interface{ Elem() types.Type }: // pointers, slices, arrays
		return isMemory(t.Elem(), seen)
	}
	return false
}

// read reads the body of a function of the package.
func (c *client) read(fn *types.Func) {
	fn = fn.Origin()
	if c.seen[fn] {
		return
	}
	c.seen[fn] = true
	switch decl := c.Declarations[fn]; {
	case decl == nil: // a method of an interface
		c.passes = c.passes || c.isOpen(fn.Signature().Recv().Type())
	case decl.Body == nil:
		c.calls = true
	default:
		ast.Inspect(decl.Body, c.visit)
	}
}

func (c *client) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		c.follow(n)
	case *ast.SelectorExpr:
		if selection := c.TypesInfo.Selections[n]; selection != nil {
			for _, field := range guards.Embedded(selection) {
				c.use(field)
			}
		}
	case *ast.TypeAssertExpr:
		c.passes = c.passes || n.Type == nil || c.isOpen(c.TypesInfo.TypeOf(n.Type))
	case *ast.CallExpr:
		c.calls = c.calls || c.leaves(n)
	}
	if x, ok := n.(ast.Expr); ok && c.TypesInfo.Types[x].IsValue() {
		c.passes = c.passes || c.isOurs(c.TypesInfo.TypeOf(x))
	}
	return !c.passes
}

// follow follows a name to a function of the package, and to what a variable
// holds.
func (c *client) follow(n *ast.Ident) {
	switch obj := c.TypesInfo.Uses[n].(type) {
	case *types.Func:
		if obj.Pkg() == c.Pkg {
			c.read(obj)
		}
	case *types.Var:
		c.use(obj)
	}
}

// use judges a variable that outlives the call. All else is made of such, or by
// other packages, which know nothing of this one.
func (c *client) use(v *types.Var) {
	if guards.IsHeld(v) {
		_, isFunc := v.Type().Underlying().(*types.Signature)
		c.passes = c.passes || isFunc || v.Pkg() == c.Pkg && c.isOpen(v.Type())
	}
}

// leaves reports whether a call does something that is neither in the package nor
// in memory, which is not worth a guard.
func (c *client) leaves(call *ast.CallExpr) bool {
	if fun := c.TypesInfo.Types[call.Fun]; fun.IsType() || fun.IsBuiltin() {
		return false
	}
	fn, _ := typeutil.Callee(c.TypesInfo, call).(*types.Func)
	switch {
	case fn == nil || fn.Pkg() == nil:
		return true
	case indoors[fn.Pkg().Path()]:
		return fn.FullName() == "time.Sleep"
	}
	return fn.Pkg() != c.Pkg || typeutil.StaticCallee(c.TypesInfo, call) == nil
}

// indoors are packages whose functions ask nobody outside the process.
var indoors = map[string]bool{
	"bytes": true, "cmp": true, "context": true, "errors": true, "fmt": true, "maps": true, "math": true, "slices": true, "sort": true,
	"strconv": true, "strings": true, "sync": true, "sync/atomic": true, "time": true, "unicode/utf8": true,
}

// isOurs reports whether a type is guarded, or an interface of the package.
func (c *client) isOurs(t types.Type) bool {
	obj := guards.Named(t)
	if obj == nil {
		return false
	}
	_, guarded := c.Known[obj]
	return (guarded || obj.Pkg() == c.Pkg && types.IsInterface(obj.Type())) && c.isOpen(t)
}

func (c *client) isOpen(t types.Type) bool { return c.mayPass(t, nil, map[types.Type]bool{}) }

// mayPass reports whether a value may hold what passes calls on to a guard of the
// interface. Of structs only those of a package are looked into. No guard of an
// entry is behind that of a client.
func (c *client) mayPass(t types.Type, within *types.Package, seen map[types.Type]bool) bool {
	if seen[t] || guards.IsError(t) || guards.IsContext(t) {
		return false
	}
	seen[t] = true
	obj := guards.Named(t)
	if obj != nil {
		if known, ok := c.Known[obj]; ok {
			return !c.isEntry || known.HasEntry()
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Interface, *types.Signature, *types.Chan:
		return true
	case *types.Struct:
		if obj != nil && obj.Pkg() != within {
			return false
		}
		for field := range t.Fields() {
			if c.mayPass(field.Type(), within, seen) {
				return true
			}
		}
	case *types.Map:
		return c.mayPass(t.Key(), within, seen) || c.mayPass(t.Elem(), within, seen)
	case interface{ Elem() types.Type }: // pointers, slices, arrays
		return c.mayPass(t.Elem(), within, seen)
	}
	return false
}
