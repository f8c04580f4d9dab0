package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
)

// guards is the fact about a package that declares interfaces with directives:
// what stands before the methods of these and of their wrappers.
type guards struct {
	Types []guarded
}

func (*guards) AFact() {}

// String shows the fact in tests.
func (g *guards) String() string { return fmt.Sprint(g.Types) }

// guarded is an interface with directives, or its wrapper.
type guarded struct {
	Name      string
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
	var fact guards
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() || !c.ImportPackageFact(obj.Pkg(), &fact) {
		return guarded{}, false
	}
	i := slices.IndexFunc(fact.Types, func(g guarded) bool { return g.Name == obj.Name() })
	if i < 0 {
		return guarded{}, false
	}
	return fact.Types[i], true
}

// exportFact tells what the directives of the package say, to itself and to the
// packages that import it.
func (c *checker) exportFact() error {
	own := map[*types.Func]directives.Set{}
	var interfaces []directives.Interface
	for _, file := range c.Files {
		list, err := c.parse(file)
		if err != nil {
			return err
		}
		for _, i := range list {
			for _, m := range i.Methods {
				if fn, ok := c.TypesInfo.Defs[m.Name].(*types.Func); ok {
					own[fn] = m.Directives
				}
			}
		}
		interfaces = append(interfaces, list...)
	}
	var fact guards
	for _, i := range interfaces {
		fact.Types = append(fact.Types, c.resolve(i, own)...)
	}
	if len(fact.Types) > 0 {
		c.ExportPackageFact(&fact)
	}
	return nil
}

// parse reads the directives of a file; none if the generator would refuse them.
func (c *checker) parse(file *ast.File) ([]directives.Interface, error) {
	if !mentionsDirectives(file) {
		return nil, nil
	}
	src, err := c.ReadFile(c.filename(file))
	if err != nil {
		return nil, err
	}
	if len(src) != c.Fset.File(file.FileStart).Size() {
		return nil, nil // a driver has mended the syntax: positions don't fit
	}
	interfaces, faults := directives.Parse(c.Fset, file, src)
	if len(faults) > 0 {
		return nil, nil
	}
	return interfaces, nil
}

func mentionsDirectives(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//resilience:") {
				return true
			}
		}
	}
	return false
}

// resolve settles what guards an interface and its wrapper, if there is one.
func (c *checker) resolve(i directives.Interface, own map[*types.Func]directives.Set) []guarded {
	obj, ok := c.TypesInfo.Defs[i.Spec.Name].(*types.TypeName)
	if !ok || obj.IsAlias() {
		return nil
	}
	iface, ok := obj.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	g := guarded{Name: obj.Name(), Interface: obj.Name()}
	for fn := range iface.Methods() {
		if m, ok := guardsOf(fn, i.Directives, ownDirectives(iface, fn.Id(), own)); ok {
			g.Methods = append(g.Methods, m)
		}
	}
	slices.SortFunc(g.Methods, func(a, b method) int { return strings.Compare(a.Name, b.Name) })
	constructor := c.wrappers[obj]
	if constructor == nil {
		return []guarded{g}
	}
	wrapper := g
	wrapper.Name = named(constructor.Signature().Results().At(0).Type()).Name()
	return []guarded{g, wrapper}
}

// ownDirectives are those of a method, wherever it is declared.
func ownDirectives(iface *types.Interface, id string, own map[*types.Func]directives.Set) directives.Set {
	for fn := range iface.ExplicitMethods() {
		if fn.Id() == id && len(own[fn.Origin()]) > 0 {
			return own[fn.Origin()]
		}
	}
	for embedded := range iface.EmbeddedTypes() {
		if inner, ok := embedded.Underlying().(*types.Interface); ok {
			if set := ownDirectives(inner, id, own); len(set) > 0 {
				return set
			}
		}
	}
	return nil
}

// guardsOf resolves the directives of a method and of its interface as the
// generator does; false if the method passes through.
func guardsOf(fn *types.Func, ofType, own directives.Set) (method, bool) {
	m := method{Name: fn.Name()}
	if !returnsError(fn.Signature()) {
		return m, false
	}
	if _, none := own.Get(directives.None); none {
		return m, false
	}
	applying := func(kind string) (directives.Directive, bool) {
		if d, ok := own.Get(kind); ok {
			return d, true
		}
		return ofType.Get(kind)
	}
	_, breaker := applying(directives.Breaker)
	_, timeout := applying(directives.Timeout)
	bulkhead, limited := applying(directives.Bulkhead)
	anticipate, entry := applying(directives.Anticipate)
	hasContext := contextIndex(fn.Signature()) >= 0
	m.Bulkhead = bulkhead.Name.Text
	m.Entry = entry && hasContext
	m.Preload, m.Lease = permitsOf(anticipate.Preload), permitsOf(anticipate.Lease)
	return m, breaker || limited || m.Entry || timeout && hasContext
}

func permitsOf(reservations []directives.Reservation) []permits {
	var list []permits
	for _, r := range reservations {
		list = append(list, permits{r.Bulkhead.Text, r.N})
	}
	return list
}
