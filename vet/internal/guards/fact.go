package guards

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// fact is what is told about a package with wrappers: what stands before the
// methods of these and of their interfaces.
type fact struct {
	Types []Guarded
}

func (*fact) AFact() {}

// String shows the fact in tests.
func (f *fact) String() string { return fmt.Sprint(f.Types) }

// Guarded is an interface with a wrapper, or the wrapper.
type Guarded struct {
	Name      string   // that of an alias if the interface has no other here
	Interface string   // itself, or what it wraps
	Methods   []Method // those with a guard, sorted by name
}

// Method is what stands before a method.
type Method struct {
	Name      string
	Bulkhead  string // empty: none; with its key where it is one by key
	Entry     bool   // anticipated
	Stream    bool   // its call lasts until its result is closed
	Preload   []Count
	Lease     []Count
	RateLimit string // empty: none
	Rate      []Count
	Breaker   string // empty: none
	Check     []Count
}

// Count is some permits of a bulkhead, tokens of a rate limit, or calls that a
// breaker is asked about, by its name.
type Count struct {
	Name string
	N    int // 0: only the call knows, or the breaker is asked about what is reserved
}

func (g Guarded) method(name string) (Method, bool) {
	i, ok := slices.BinarySearchFunc(g.Methods, name, func(m Method, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return Method{}, false
	}
	return g.Methods[i], true
}

// HasEntry reports whether a method is an entry method.
func (g Guarded) HasEntry() bool {
	return slices.ContainsFunc(g.Methods, func(m Method) bool { return m.Entry })
}

// Reserves reports whether an entry method reserves permits of a bulkhead.
func (m Method) Reserves(bulkhead string) bool { return m.Reserved()[bulkhead] > 0 }

// Reserved is how many permits of each bulkhead an entry method holds for the
// calls inside.
func (m Method) Reserved() map[string]int {
	reserved := map[string]int{}
	for _, p := range slices.Concat(m.Preload, m.Lease) {
		if p.N > 0 {
			reserved[p.Name] = p.N
		}
	}
	return reserved
}

// Held is how many permits of each bulkhead an entry method holds, that of its
// own call included; none for another method.
func (m Method) Held() map[string]int {
	held := m.Reserved()
	if m.Entry && m.Bulkhead != "" {
		held[m.Bulkhead]++
	}
	return held
}

// Like reports whether the same stands before another method.
func (m Method) Like(other Method) bool {
	return m.Bulkhead == other.Bulkhead && m.RateLimit == other.RateLimit && m.Entry == other.Entry &&
		slices.Equal(m.Preload, other.Preload) && slices.Equal(m.Lease, other.Lease) && slices.Equal(m.Rate, other.Rate) &&
		m.Breaker == other.Breaker && slices.Equal(m.Check, other.Check)
}

// exportFact tells what the constructors of the package wire, to itself and to
// the packages that import it.
func (p *Package) exportFact(pass *analysis.Pass) {
	var told fact
	for _, constructor := range p.Constructors {
		sig := constructor.Signature()
		iface, wrapper := Wrapped(sig), Named(sig.Results().At(0).Type())
		g := Guarded{Name: wrapper.Name(), Interface: iface.Name(), Methods: p.wired(p.Declarations[constructor])}
		p.findStreams(wrapper, g.Methods)
		told.Types = append(told.Types, g)
		if p.Wrappers[Named(iface.Type())] != nil {
			g.Name = g.Interface
			told.Types = append(told.Types, g)
		}
	}
	if len(told.Types) > 0 {
		slices.SortFunc(told.Types, func(a, b Guarded) int { return cmp.Compare(a.Name, b.Name) })
		pass.ExportPackageFact(&told)
	}
}

// importFacts collects what is known about the types of the package and of those
// it imports. What another package guards under an alias may be called without
// these guards elsewhere.
func (p *Package) importFacts(pass *analysis.Pass) {
	for _, told := range pass.AllPackageFacts() {
		own := told.Package == p.Pkg
		for _, g := range told.Fact.(*fact).Types {
			obj, ok := told.Package.Scope().Lookup(g.Name).(*types.TypeName)
			if !ok {
				continue
			}
			obj = Named(obj.Type())
			_, wrappedHere := p.Wrappers[obj]
			if own || obj.Pkg() == told.Package && !wrappedHere {
				p.Known[obj] = g
			}
		}
	}
}
