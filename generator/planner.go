package generator

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// planner turns the interfaces of one source file into the plan of its output.
type planner struct {
	*checker
	source  *load.File
	home    home
	names   names // declared at package level, by hand or by us
	imports *importTable
}

// plans makes the plans of all outputs of the package, in the order of its files.
func (c *checker) plans(targets []*target) []plan {
	if len(targets) == 0 {
		return nil
	}
	declared := c.declaredNames()
	bySource := map[*load.File][]*target{}
	for _, t := range targets {
		declared.add(t.wrapper, t.constructor)
		bySource[t.file] = append(bySource[t.file], t)
	}
	for _, t := range targets {
		if len(t.sealed) > 0 {
			free := spokenFor(declared, c.importedNames(), c.memberNames(t))
			t.embedded = free.pick(lowerCamel(t.name) + "Next")
			declared.add(t.embedded)
		}
		for _, m := range t.methods {
			if m.stream != nil && m.stream.of != nil {
				name := lowerCamel(t.wrapper) + m.Name()
				m.stream.Type = spokenFor(declared, c.importedNames()).pick(name, name+"Stream")
				declared.add(m.stream.Type)
			}
		}
	}
	var plans []plan
	for _, file := range c.pkg.Files {
		if targets := bySource[file]; len(targets) > 0 {
			plans = append(plans, c.plan(file, targets, declared))
		}
	}
	return plans
}

// plan decides everything about the output for one source file. The names that
// the package declares are not to be used for anything else.
func (c *checker) plan(source *load.File, targets []*target, declared names) plan {
	p := &planner{
		checker: c,
		source:  source,
		home:    home{types: c.pkg.Types, path: c.pkg.Path},
		names:   declared,
		imports: newImportTable(),
	}
	p.home.files = c.filesFrom(source.Syntax.Package)
	p.home.sees = func(obj types.Object) bool { return c.sees(source.Syntax.Package, obj) }
	if c.pkg.External {
		p.home.path = strings.TrimSuffix(c.pkg.Path, "_test")
	}
	p.home.aliases = sync.OnceValue(p.home.findAliases)
	p.home.lengths, p.home.object = sync.OnceValue(c.lengths), c.object
	typeParams := p.survey(targets)
	planned := plan{
		Path:       outputs.Path(source.Path),
		Source:     source.Path,
		Package:    c.pkg.Types.Name(),
		ImportPath: c.pkg.Path,
		Constraint: constraintOf(source),
		Imports:    p.imports.list(),
	}
	for _, t := range targets {
		planned.Wrappers = append(planned.Wrappers, p.wrapper(t, typeParams))
	}
	return planned
}

// survey finds out what the output mentions, settles the names of type
// parameters and then those of the imports.
func (p *planner) survey(targets []*target) map[*types.TypeParam]string {
	spoken := spokenFor(p.names)
	inBodies := map[string]names{}
	typeParams := map[*types.TypeParam]string{}
	for _, t := range targets {
		for i, name := range typeParamNames(t, p.mentions(t)) {
			typeParams[t.typeParams[i]] = name
			spoken.add(name)
		}
		p.mentionsInBodies(t, inBodies)
	}
	p.imports.choose(importNames(p.source.Syntax, p.pkg.Info), spoken, inBodies)
	return typeParams
}

// mentionsInBodies notes which packages the bodies of guarded methods mention,
// with the names of the parameters that would hide them.
func (p *planner) mentionsInBodies(t *target, inBodies map[string]names) {
	for _, m := range t.methods {
		if !m.guarded() {
			continue
		}
		paths := []string{runtimePath}
		for _, item := range m.guard {
			for _, fn := range item.calledInBody() {
				if !p.home.owns(fn) {
					paths = append(paths, importPath(fn.Pkg()))
				}
			}
		}
		if m.context.Index < 0 {
			p.imports.need("context", "context")
			paths = append(paths, "context")
		}
		for _, path := range paths {
			if inBodies[path] == nil {
				inBodies[path] = names{}
			}
			maps.Copy(inBodies[path], parameterNames(m))
		}
	}
}

// typeParamNames keeps the names of type parameters unless the wrapper mentions
// something else of that name.
func typeParamNames(t *target, needed names) []string {
	chosen := make([]string, len(t.typeParams))
	for i, tp := range t.typeParams {
		if name := tp.Obj().Name(); name != "_" && needed.free(name) {
			chosen[i] = needed.pick(name)
		}
	}
	for i, tp := range t.typeParams {
		if chosen[i] == "" {
			chosen[i] = needed.pick(strings.Replace(tp.Obj().Name(), "_", "T", 1))
		}
	}
	return chosen
}

// mentions prints all types of an interface once, to learn which packages and
// which unqualified names occur. What cannot be spelled is a fault.
func (p *planner) mentions(t *target) names {
	unqualified := names{}
	unqualified.add("nil", t.name, t.wrapper, t.constructor, t.embedded)
	var at *method
	printer := &printer{
		home:       p.home,
		qualifier:  p.imports.mention,
		unqualify:  func(name string) { unqualified.add(name) },
		unnameable: func(what string) { p.unnameable(t, at, what) },
	}
	printer.code(p.errorType())
	for _, tp := range t.typeParams {
		printer.code(tp.Constraint())
	}
	for _, at = range t.methods {
		printer.code(at.Signature())
		for _, item := range at.guard {
			p.mentionsInItem(item, printer, unqualified)
		}
	}
	return unqualified
}

// mentionsInItem notes what the value of a field mentions.
func (p *planner) mentionsInItem(i item, printer *printer, unqualified names) {
	for _, arg := range i.typeArgs {
		printer.code(arg)
	}
	fns := i.calledInBody()
	if i.function != nil && !i.inBody {
		fns = append(fns, i.function)
	}
	for _, fn := range fns {
		if p.home.owns(fn) {
			unqualified.add(fn.Name())
		} else {
			p.imports.mention(fn.Pkg())
		}
	}
}

// errorType is error or, in a package with a type error of its own, what Go's
// stands for.
func (p *planner) errorType() types.Type {
	t := types.Universe.Lookup("error").Type()
	if p.home.types.Scope().Lookup("error") != nil {
		return t.Underlying()
	}
	return t
}

// unnameable reports a method, or the interface as a whole if m is nil, for which
// the output needs a type that it cannot spell.
func (p *planner) unnameable(t *target, m *method, what string) {
	if what == needsUnknown && len(p.pkg.Below) > 0 {
		p.unknown = true // and why is told below
		return
	}
	if m == nil {
		p.faultWhole(t.annotated, "it %s", what)
		return
	}
	pos, directive := anchor(t.annotated, m)
	p.fault(pos, directive, "%s cannot be wrapped: its signature %s", m.Name(), what)
}

func parameterNames(m *method) names {
	all := names{}
	for _, tuple := range []*types.Tuple{m.Signature().Params(), m.Signature().Results()} {
		for v := range tuple.Variables() {
			all.add(v.Name())
		}
	}
	return all
}

// wrapper plans one wrapper, now that imports and type parameters have names.
func (p *planner) wrapper(t *target, typeParams map[*types.TypeParam]string) wrapper {
	printer := &printer{
		home:       p.home,
		qualifier:  p.imports.name,
		unqualify:  func(string) {},
		unnameable: func(string) {},
		typeParams: typeParams,
	}
	w := wrapper{
		Interface:   t.name,
		Name:        t.wrapper,
		Constructor: t.constructor,
		Error:       printer.expression(p.errorType()),
		Probes:      t.probes,
		Defaults:    t.defaults(),
		Embedded:    t.embedded,
	}
	for _, m := range t.sealed {
		w.Sealed = append(w.Sealed, sealed{m.Name(), m.Pkg().Name()})
	}
	w.Deprecated, _ = p.commentsAt(t.obj.Pos(), t.name)
	hidden := spokenFor(predeclared, p.imports.names(), p.judges(t)) // what no name that we choose may hide
	for _, tp := range t.typeParams {
		name := typeParams[tp]
		hidden.add(name)
		w.TypeParams = append(w.TypeParams, param{Name: name, Type: printer.expression(tp.Constraint())})
	}
	p.methods(&w, t, printer, hidden)
	p.fields(&w, t)
	p.constructor(&w, t, hidden)
	return w
}

// judges are the functions of the package itself that methods call.
func (p *planner) judges(t *target) names {
	all := names{}
	for _, m := range t.methods {
		maps.Copy(all, p.judgesIn(m))
	}
	return all
}

func (p *planner) judgesIn(m *method) names {
	all := names{}
	for _, item := range m.guard {
		for _, fn := range item.calledInBody() {
			if p.home.owns(fn) {
				all.add(fn.Name())
			}
		}
	}
	return all
}

// fields names the fields of the wrapper, which also has all the methods and what
// the package itself declares on it.
func (p *planner) fields(w *wrapper, t *target) {
	members := p.memberNames(t)
	w.Names.Next = t.embedded
	if t.embedded == "" {
		w.Names.Next = members.pick("next", "inner")
	}
	members.add(w.Names.Next)
	for i := range w.Methods {
		if m := &w.Methods[i]; len(m.Guard) > 0 {
			name := lowerCamel(m.Name)
			m.Field = members.pick(name, name+"Guard")
		}
	}
}

// memberNames are those of the methods of a wrapper, and of those that the package
// itself declares on it.
func (c *checker) memberNames(t *target) names {
	members := names{}
	members.add(slices.Collect(maps.Keys(c.methodsOn(t)))...)
	for _, m := range t.methods {
		members.add(m.Name())
	}
	for _, m := range t.sealed {
		members.add(m.Name())
	}
	return members
}

// constructor names what stands in the constructor.
func (p *planner) constructor(w *wrapper, t *target, hidden names) {
	needed := spokenFor(hidden)
	needed.add(t.name, t.wrapper)
	for _, m := range t.methods {
		for _, item := range m.guard {
			if item.function != nil && p.home.owns(item.function) {
				needed.add(item.function.Name())
			}
		}
	}
	w.Names.Runtime = p.imports.chosen[runtimePath].Name
	w.Names.NextParam = needed.pick("next", "inner")
	w.Names.Registry = needed.pick("registry")
	w.Names.Options = needed.pick("options")
	w.Names.Wiring = needed.pick("wiring")
	w.Names.Wrapper = needed.pick("w", "wrapper")
	w.Names.Err = needed.pick("err", "failure")
}

// methods plans the methods. The receiver has one name in all of them, so it
// comes after all parameters.
func (p *planner) methods(w *wrapper, t *target, printer *printer, hidden names) {
	receiver := spokenFor(hidden)
	for _, m := range t.methods {
		planned := p.method(m, printer, hidden)
		if of, ok := p.streamType(m, printer, hidden); ok {
			w.Streams = append(w.Streams, of)
		}
		w.Methods = append(w.Methods, planned)
		receiver.add(planned.variables()...)
	}
	w.Names.Receiver = receiver.pick("w", "wrapper")
	for i, m := range t.methods {
		w.Methods[i].Names = p.bodyNames(w.Methods[i], m, spokenFor(hidden, names{w.Names.Receiver: true}))
	}
}

// method plans all of a method but the names in its body.
func (p *planner) method(m *method, printer *printer, hidden names) planned {
	sig := m.Signature()
	params, results := slices.Collect(sig.Params().Variables()), slices.Collect(sig.Results().Variables())
	_, fallsBack := m.guard.standIn()
	if len(results) > 0 && results[0].Name() == "" && (!m.guarded() || len(results) == 1 && !fallsBack && m.stream == nil) {
		results = nil // these need no names
	}
	chosen := variables(slices.Concat(params, results), p.needed(m, printer), hidden)
	planned := planned{Name: m.Name(), Guard: slices.Clone(m.guard), Why: m.why, Skipped: m.skipped, CutOff: m.cutOff, Stream: m.stream}
	planned.Deprecated, _ = p.commentsAt(m.Origin().Pos(), m.Name())
	for i := range planned.Guard {
		planned.Guard[i].Code = p.functionCode(m.guard[i].function)
		for n := range planned.Guard[i].Numbers {
			of := &planned.Guard[i].Numbers[n]
			of.Code = p.functionCode(of.function)
		}
		for _, arg := range m.guard[i].typeArgs {
			planned.Guard[i].TypeArgs = append(planned.Guard[i].TypeArgs, printer.expression(arg))
		}
	}
	for i, v := range params {
		variadic := sig.Variadic() && i == len(params)-1
		planned.Params = append(planned.Params, printer.param(chosen[i], v.Type(), variadic))
	}
	planned.Results = printer.params(sig.Results(), false)
	for i := range results {
		planned.Results[i].Name = chosen[len(params)+i]
	}
	planned.Silent = !returnsError(sig)
	if (fallsBack || m.guard.repeats()) && planned.Guard.judge() != "" {
		for i, v := range results {
			if answer := isAnswer(v); answer || isCloser(v.Type()) {
				planned.Dropped = append(planned.Dropped, dropped{planned.Results[i].Name, answer})
			}
		}
	}
	return planned
}

// functionCode is a function as the output calls it; empty without one.
func (p *planner) functionCode(fn *types.Func) string {
	switch {
	case fn == nil:
		return ""
	case p.home.owns(fn):
		return fn.Name()
	}
	return p.imports.name(fn.Pkg()) + "." + fn.Name()
}

// needed are the names that the method uses, so that no parameter may hide them.
// Imports are none of them: what bodies mention is imported under names that no
// parameter has.
func (p *planner) needed(m *method, printer *printer) names {
	needed := p.judgesIn(m)
	for _, name := range printer.typeParams {
		needed.add(name)
	}
	if m.guarded() {
		needed.add("nil")
	}
	if m.numbers > 0 {
		needed.add("len", "int")
	}
	if m.guard.repeats() && (m.Signature().Results().Len() == 1 || !returnsError(m.Signature())) {
		needed.add("error", "string") // of the variable for the error, whose type may have to be written out
	}
	return needed
}

// variables are the names of the parameters and results.
func (m planned) variables() []string {
	var list []string
	for _, v := range slices.Concat(m.Params, m.Results) {
		if v.Name != "" {
			list = append(list, v.Name)
		}
	}
	return list
}

// bodyNames names what stands in the body of a guarded method.
func (p *planner) bodyNames(planned planned, m *method, hidden names) methodNames {
	if !m.guarded() {
		return methodNames{}
	}
	hidden.add(planned.variables()...)
	n := methodNames{Call: hidden.pick("call", "guarded")}
	switch {
	case planned.Guard.repeats():
		n.Call = hidden.pick("tries", "attempts")
		if _, by := planned.Guard.key(); by {
			n.Guard = hidden.pick("guard", "guarding")
		}
	case planned.Stream != nil:
		n.Call = hidden.pick("stream", "open")
	}
	if !planned.Silent {
		n.Err = planned.Results[len(planned.Results)-1].Name
	}
	if n.Err == "" {
		n.Err = hidden.pick("err", "failure")
	}
	n.Lost = n.Err
	if planned.fallsBack() && len(planned.Dropped) > 0 && !planned.Silent {
		n.Lost = hidden.pick("lost", "cause")
	}
	if m.context.Index < 0 {
		n.Package = p.imports.chosen["context"].Name
		return n
	}
	n.Context = planned.Params[m.context.Index].Name
	n.Carried = m.context.Carried
	n.Closes = m.closes()
	return n
}
