package vet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// guards is the fact about a package with wrappers: what stands before the
// methods of these and of their interfaces.
type guards struct {
	Types []guarded
}

func (*guards) AFact() {}

// String shows the fact in tests.
func (g *guards) String() string { return fmt.Sprint(g.Types) }

// guarded is an interface with a wrapper, or the wrapper.
type guarded struct {
	Name      string   // that of an alias if the interface has no other here
	Interface string   // itself, or what it wraps
	Methods   []method // those with a guard, sorted by name
}

// method is what stands before a method.
type method struct {
	Name     string
	Bulkhead string // empty: none
	Entry    bool   // anticipated
	Preload  []permits
	Lease    []permits
}

type permits struct {
	Bulkhead string
	N        int
}

func (g guarded) method(name string) (method, bool) {
	i, ok := slices.BinarySearchFunc(g.Methods, name, func(m method, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return method{}, false
	}
	return g.Methods[i], true
}

// isEntry tells whether a method is an entry method.
func (g guarded) isEntry() bool {
	return slices.ContainsFunc(g.Methods, func(m method) bool { return m.Entry })
}

// reserves tells whether an entry method reserves permits of a bulkhead.
func (m method) reserves(bulkhead string) bool {
	return slices.ContainsFunc(slices.Concat(m.Preload, m.Lease), func(p permits) bool { return p.Bulkhead == bulkhead })
}

// guarded is what is known about a type.
func (c *checker) guarded(obj *types.TypeName) (guarded, bool) {
	known, ok := c.known[obj]
	return known, ok
}

// exportFact tells what the constructors of the package wire, to itself and to
// the packages that import it.
func (c *checker) exportFact() {
	var fact guards
	for _, constructor := range c.constructors {
		sig := constructor.Signature()
		iface, wrapper := wrapped(sig), named(sig.Results().At(0).Type())
		g := guarded{Name: wrapper.Name(), Interface: iface.Name(), Methods: c.wired(c.declarations[constructor])}
		fact.Types = append(fact.Types, g)
		if c.wrappers[named(iface.Type())] != nil {
			g.Name = g.Interface
			fact.Types = append(fact.Types, g)
		}
	}
	if len(fact.Types) > 0 {
		slices.SortFunc(fact.Types, func(a, b guarded) int { return cmp.Compare(a.Name, b.Name) })
		c.ExportPackageFact(&fact)
	}
}

// importFacts collects what is known about the types of the package and of those
// it imports. What another package guards under an alias may be called without
// these guards elsewhere.
func (c *checker) importFacts() {
	for _, fact := range c.AllPackageFacts() {
		own := fact.Package == c.Pkg
		for _, g := range fact.Fact.(*guards).Types {
			obj, ok := fact.Package.Scope().Lookup(g.Name).(*types.TypeName)
			if !ok {
				continue
			}
			obj = named(obj.Type())
			_, wrappedHere := c.wrappers[obj]
			if own || obj.Pkg() == fact.Package && !wrappedHere {
				c.known[obj] = g
			}
		}
	}
}

// wired reads the guards that a constructor makes.
func (c *checker) wired(constructor *ast.FuncDecl) []method {
	var methods []method
	c.eachGuard(constructor, func(name string, made map[string]ast.Expr) {
		methods = append(methods, method{
			Name:     name,
			Bulkhead: c.text(made["Bulkhead"]),
			Entry:    made["Check"] != nil || made["Preload"] != nil || made["Lease"] != nil,
			Preload:  c.permits(made["Preload"]),
			Lease:    c.permits(made["Lease"]),
		})
	})
	slices.SortFunc(methods, func(a, b method) int { return strings.Compare(a.Name, b.Name) })
	return methods
}

// eachGuard calls do for each guard that a constructor makes by a call
// wiring.Guard("Charge", resilience.Guards{…}). What is written otherwise, by
// hand, is not known.
func (c *checker) eachGuard(constructor *ast.FuncDecl, do func(method string, made map[string]ast.Expr)) {
	ast.Inspect(constructor.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		fn := typeutil.StaticCallee(c.TypesInfo, call)
		if fn == nil || fn.FullName() != "(*"+runtimePath+".Wiring).Guard" {
			return true
		}
		name, made := c.text(call.Args[0]), fields(call.Args[1])
		if name != "" && made != nil {
			do(name, made)
		}
		return true
	})
}

// permits reads a list of permits, without those of which the bulkhead or the
// number is unknown.
func (c *checker) permits(x ast.Expr) []permits {
	literal, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var list []permits
	for _, element := range literal.Elts {
		made := fields(element)
		bulkhead := c.text(made["Bulkhead"])
		n, ok := constant.Int64Val(constant.ToInt(c.TypesInfo.Types[made["N"]].Value))
		if ok && bulkhead != "" {
			list = append(list, permits{bulkhead, int(n)})
		}
	}
	return list
}

// text is the value of a constant string; empty if an expression is none.
func (c *checker) text(x ast.Expr) string {
	if v := c.TypesInfo.Types[x].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// fields are what a struct literal gives to fields by name; nil if an expression
// is none.
func fields(x ast.Expr) map[string]ast.Expr {
	literal, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	given := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				given[name.Name] = pair.Value
			}
		}
	}
	return given
}
