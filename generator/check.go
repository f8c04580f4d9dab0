package generator

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
	"github.com/resgen-go/resgen/internal/carrier"
	"github.com/resgen-go/resgen/internal/fault"
)

// target is an interface to wrap and what its directives mean, method by method.
type target struct {
	file        *load.File
	annotated   directives.Interface
	obj         *types.TypeName
	name        string
	typeParams  []*types.TypeParam
	wrapper     string
	constructor string
	methods     []*method
	sealed      []*types.Func // methods that only their own package can declare
	embedded    string        // alias by which the wrapper embeds what it wraps, and has these; empty: there are none
	probes      []probe
	judges      []judge
	keys        []keyFits
	unnamed     []directives.Directive // in force and without a NAME; one may be there more than once
}

// method is one method of the interface, its own or an embedded one.
type method struct {
	*types.Func
	own     directives.Set // directives of the method itself
	context carrier.Param
	guard   guard
	why     string            // why it passes through
	skipped []string          // directives of the type that do not hold for it, with the reasons
	lacking []*directives.Row // of these, those that it cannot carry
	foreign bool              // its directives in another package are told of
	cutOff  string            // what is read from its result after its deadline
	numbers int               // of its entry, which the call knows
	stream  *stream           // what its call lasts for; nil: it ends at the return
}

// guarded reports whether anything stands before the method.
func (m *method) guarded() bool { return len(m.guard) > 0 }

// answered reports whether a fallback answers where the method is refused.
func (m *method) answered() bool {
	return slices.ContainsFunc(m.own, func(d directives.Directive) bool { return d.Row.Answers() })
}

// declares reports whether directives stand on a method of that name in the
// interface itself, not in one that it embeds.
func (t *target) declares(name string) bool {
	return slices.ContainsFunc(t.annotated.Methods, func(m directives.Method) bool { return m.Name.Name == name })
}

// checker finds the faults of one package for which types are needed, and
// resolves its directives.
type checker struct {
	pkg       *load.Package
	place     func(token.Pos) string                  // how a message names a place
	limit     func(section, name, setting string) int // see Options.Limit; nil: not known
	declared  map[*types.Func]directives.Set
	comments  map[string]comments // by file
	outsiders []outsider
	faults    fault.List
	unknown   bool // a type, because of an error in a dependency
}

// targets resolves all annotated interfaces of the package.
func (c *checker) targets(annotated map[*load.File][]directives.Interface) []*target {
	c.declared, c.comments = map[*types.Func]directives.Set{}, map[string]comments{}
	for _, interfaces := range annotated {
		c.declare(interfaces)
	}
	var targets []*target
	for _, file := range c.pkg.Files {
		for _, iface := range annotated[file] {
			if t := c.target(file, iface); t != nil {
				targets = append(targets, t)
			}
		}
	}
	c.checkNames(targets)
	return targets
}

// declare notes which directives stand on which method, so that they are found
// where the method is embedded.
func (c *checker) declare(interfaces []directives.Interface) {
	for _, iface := range interfaces {
		for _, m := range iface.Methods {
			if fn, ok := c.pkg.Info.Defs[m.Name].(*types.Func); ok {
				c.declared[fn] = m.Directives
			}
		}
	}
}

func (c *checker) fault(pos token.Pos, directive, format string, args ...any) {
	c.faults = append(c.faults, fault.New(directives.Position(c.pkg.Fset, pos), directives.Label(directive), format, args...))
}

// warning is a fault that does not stand in the way of outputs.
func (c *checker) warning(pos token.Pos, directive, format string, args ...any) fault.Fault {
	return directives.Warning(directives.Position(c.pkg.Fset, pos), directive, format, args...)
}

// target resolves one interface. It is nil if that cannot be wrapped.
func (c *checker) target(file *load.File, annotated directives.Interface) *target {
	obj, ok := c.pkg.Info.Defs[annotated.Spec.Name].(*types.TypeName)
	if !ok {
		return nil
	}
	iface := c.iface(obj, annotated)
	if iface == nil {
		return nil
	}
	t := &target{file: file, annotated: annotated, obj: obj, name: obj.Name(), typeParams: typeParamsOf(obj)}
	t.wrapper, t.constructor = outputs.Wrapper(annotated)
	for _, declarations := range methodSet(iface) {
		if m := declarations[0]; !m.Exported() && m.Pkg().Path() != c.pkg.Types.Path() {
			t.sealed = append(t.sealed, m)
			continue
		}
		m := &method{Func: declarations[0], context: carrier.Of(declarations[0].Signature())}
		m.own = c.directivesOf(declarations)
		t.methods = append(t.methods, m)
	}
	for _, m := range t.methods {
		c.resolve(t, m)
		m.cutOff = c.cutOffBy(m)
	}
	c.checkChains(t)
	c.checkJudges(t)
	c.checkKeys(t)
	if !c.checkNil(annotated) {
		return nil
	}
	return t
}

// iface is the interface that a type is or stands for; nil, and a fault, if no
// wrapper can implement it.
func (c *checker) iface(obj *types.TypeName, annotated directives.Interface) *types.Interface {
	iface, ok := obj.Type().Underlying().(*types.Interface)
	switch {
	case !ok:
		if obj.Type().Underlying() != types.Typ[types.Invalid] {
			c.faultEach(annotated, "stands on %s, which is %s; it belongs on an interface", obj.Name(), describeType(obj.Type()))
		}
		return nil
	case !iface.IsMethodSet():
		c.faultEach(annotated, "%s is a constraint; only an interface of methods alone can be wrapped", obj.Name())
		return nil
	case iface.NumMethods() == 0:
		c.faultEach(annotated, "%s has no methods to guard", obj.Name())
		return nil
	}
	return iface
}

// checkNil reports a nil of the package's own, because every wrapper needs Go's. Other
// names of Go's are missed only where a signature needs them.
func (c *checker) checkNil(annotated directives.Interface) bool {
	hiding := c.pkg.Lookup("nil")
	if hiding != nil {
		c.faultWhole(annotated, "a wrapper needs Go's own nil, which is hidden by the one at %s", c.place(hiding.Pos()))
	}
	return hiding == nil
}

// faultWhole reports an interface that cannot be wrapped at all.
func (c *checker) faultWhole(annotated directives.Interface, why string, args ...any) {
	pos, directive := anchor(annotated, nil)
	c.fault(pos, directive, annotated.Spec.Name.Name+" cannot be wrapped: "+why, args...)
}

// faultEach reports every directive of an interface and of its methods.
func (c *checker) faultEach(annotated directives.Interface, format string, args ...any) {
	for _, d := range annotated.All() {
		c.fault(d.Slash, d.Row.Name, format, args...)
	}
}

// anchor is where a fault of a method, or of the interface as a whole (m is nil),
// is reported: at its directive or, if the interface declares the method without
// one, at the method.
func anchor(annotated directives.Interface, m *method) (token.Pos, string) {
	all := annotated.All()
	if m != nil {
		all = slices.Concat(m.own, all)
	}
	first := all[0]
	if m != nil && len(m.own) == 0 && annotated.Spec.Pos() <= m.Pos() && m.Pos() < annotated.Spec.End() {
		return m.Pos(), first.Row.Name
	}
	return first.Slash, first.Row.Name
}

func describeType(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Struct:
		return "a struct"
	case *types.Signature:
		return "a function type"
	case *types.Pointer:
		return "a pointer type"
	}
	return "the type " + t.Underlying().String()
}

func typeParamsOf(obj *types.TypeName) []*types.TypeParam {
	if t, ok := obj.Type().(interface{ TypeParams() *types.TypeParamList }); ok {
		return slices.Collect(t.TypeParams().TypeParams())
	}
	return nil
}

// methodSet lists the methods of an interface as a reader meets them: its own in
// the order of the source, then the embedded ones. A method that is declared
// more than once is one element with all its declarations.
func methodSet(iface *types.Interface) [][]*types.Func {
	var set [][]*types.Func
	index := map[string]int{}
	var walk func(*types.Interface)
	walk = func(t *types.Interface) {
		for _, m := range inSourceOrder(t) {
			if i, ok := index[m.Id()]; ok {
				set[i] = append(set[i], m)
				continue
			}
			index[m.Id()] = len(set)
			set = append(set, []*types.Func{m})
		}
		for embedded := range t.EmbeddedTypes() {
			if inner, ok := embedded.Underlying().(*types.Interface); ok {
				walk(inner)
			}
		}
	}
	walk(iface)
	return set
}

// directivesOf are the directives of a method, wherever it is declared. Two
// declarations must not differ.
func (c *checker) directivesOf(declarations []*types.Func) directives.Set {
	var found directives.Set
	var at token.Pos
	for _, fn := range declarations {
		set := c.declared[fn.Origin()]
		switch {
		case len(set) == 0 || fn.Pos() == at:
		case len(found) == 0:
			found, at = set, fn.Pos()
		case written(set) != written(found):
			c.conflict(fn, at)
		}
	}
	return found
}

// conflict reports a method at the later one of two declarations.
func (c *checker) conflict(fn *types.Func, other token.Pos) {
	later, earlier := max(fn.Pos(), other), min(fn.Pos(), other)
	for declared, set := range c.declared {
		if declared.Pos() == later {
			c.fault(set[0].Slash, set[0].Row.Name,
				"%s has other directives here than at %s, and one interface has both", fn.Name(), c.place(earlier))
		}
	}
}

// written is what a set says, to compare sets.
func written(set directives.Set) string {
	var lines []string
	for _, d := range set {
		line := d.Row.Name
		for _, arg := range d.Args {
			line += " " + arg.Key + "=" + strings.Join(item{Row: d.Row, Param: arg.Param, Refs: arg.Refs}.texts(), ",")
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// checkNames reports wrappers and constructors whose names are taken, by
// hand-written code or by another interface.
func (c *checker) checkNames(targets []*target) {
	if len(targets) > 0 {
		c.outsiders = c.findOutsiders()
	}
	ours := map[string]*target{}
	for _, t := range targets {
		for _, name := range []string{t.wrapper, t.constructor} {
			if at := c.takenAt(name, t.file, ours[name]); at.IsValid() {
				c.faultName(t, name, at)
			}
			ours[name] = t
		}
		c.checkMethods(t)
	}
}

// checkMethods reports methods of a wrapper that the package declares itself.
func (c *checker) checkMethods(t *target) {
	declared := c.methodsOn(t)
	for _, m := range t.methods {
		if at := declared[m.Name()]; at.IsValid() {
			c.fault(t.namePos(), directives.Wrapper, "the wrapper of %s gets its method %s here, so it cannot have the one at %s; give that another name",
				t.name, m.Name(), c.place(at))
		}
	}
}

// takenAt is where a name is declared that the output for source is going to
// declare, or where the interface stands whose wrapper has it.
func (c *checker) takenAt(name string, source *load.File, other *target) token.Pos {
	if obj := c.pkg.Lookup(name); obj != nil {
		return obj.Pos()
	}
	if other != nil {
		return other.annotated.Spec.Name.Pos()
	}
	for _, file := range c.pkg.Files {
		if scope := c.pkg.Info.Scopes[file.Syntax]; scope != nil {
			if obj := scope.Lookup(name); obj != nil {
				return obj.Pos()
			}
		}
	}
	for _, o := range c.outsiders {
		if pos := cmp.Or(o.declares[name], o.imports[name]); pos.IsValid() && o.builtWith(constraintOf(source)) {
			return pos
		}
	}
	return token.NoPos
}

// namePos is where the wrapper gets its name.
func (t *target) namePos() token.Pos {
	if d, ok := t.annotated.Directives.Get(directives.Wrapper); ok {
		return d.Slash
	}
	return t.annotated.Spec.Name.Pos()
}

func (c *checker) faultName(t *target, name string, at token.Pos) {
	role := "wrapper"
	if name == t.constructor {
		role = "constructor"
	}
	c.fault(t.namePos(), directives.Wrapper, "the %s of %s would be %s, which is taken at %s; choose another name with //%s:%s NAME",
		role, t.name, name, c.place(at), directives.Tool, directives.Wrapper)
}
