package generator

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// emit writes the file that the plan describes. Jennifer would choose names for
// imports as it goes; ours are chosen already, so the imports are written out.
func emit(plan plan) ([]byte, error) {
	file := jen.NewFile(plan.Package)
	top := outputs.Header
	if plan.Constraint != "" {
		top += "\n\n//go:build " + plan.Constraint
	}
	file.HeaderComment(top)
	file.Add(imports(plan.Imports)).Line()
	for _, w := range plan.Wrappers {
		w.emit(file, plan)
	}
	var source bytes.Buffer
	if err := file.Render(&source); err != nil {
		return nil, fmt.Errorf("%s: %w", plan.Path, err)
	}
	return source.Bytes(), nil
}

func imports(list []importSpec) *jen.Statement {
	var lines []jen.Code
	for i, imp := range list {
		if i > 0 && standard(list[i-1].Path) && !standard(imp.Path) {
			lines = append(lines, jen.Line())
		}
		line := jen.Lit(imp.Path)
		if imp.Explicit {
			line = jen.Id(imp.Name).Add(line)
		}
		lines = append(lines, line)
	}
	if len(lines) == 1 {
		return jen.Id("import").Add(lines...)
	}
	return jen.Id("import").Defs(lines...)
}

func (w wrapper) emit(file *jen.File, of plan) {
	file.Add(w.assertion()).Line()
	if w.Embedded != "" {
		file.Comment("// " + w.embeddedDoc())
		file.Type().Id(w.Embedded).Add(typeParams(w.TypeParams)).Op("=").Add(w.iface()).Line()
	}
	file.Comment(comment(w.doc(), w.Deprecated))
	file.Type().Id(w.Name).Add(typeParams(w.TypeParams)).Struct(w.fields()...).Line()
	file.Comment(comment(w.constructorDoc(), w.Deprecated))
	file.Add(w.constructor(of)).Line()
	for _, m := range w.Methods {
		file.Comment(comment(m.doc(), m.Deprecated))
		file.Add(w.method(m)).Line()
	}
	for _, s := range w.Streams {
		w.emitStream(file, s)
	}
}

// assertion makes drift between interface and wrapper a compile error.
func (w wrapper) assertion() *jen.Statement {
	assertion := jen.Var().Id("_").Add(w.iface()).Op("=").Parens(jen.Op("*").Add(w.self())).Call(jen.Nil())
	if len(w.TypeParams) == 0 {
		return assertion
	}
	return jen.Func().Id("_").Add(typeParams(w.TypeParams)).Params().Block(assertion)
}

// iface is the interface, as the type that is wrapped.
func (w wrapper) iface() *jen.Statement { return jen.Id(w.Interface).Add(w.typeArgs()) }

// self is the wrapper's own type.
func (w wrapper) self() *jen.Statement { return jen.Id(w.Name).Add(w.typeArgs()) }

func (w wrapper) typeArgs() *jen.Statement {
	var args []jen.Code
	for _, p := range w.TypeParams {
		args = append(args, jen.Id(p.Name))
	}
	if len(args) == 0 {
		return jen.Null()
	}
	return jen.Types(args...)
}

func (w wrapper) fields() []jen.Code {
	fields := []jen.Code{jen.Id(w.Names.Next).Add(w.iface())}
	if w.Embedded != "" {
		fields[0] = jen.Id(w.Embedded).Add(w.typeArgs())
	}
	for _, m := range w.Methods {
		if len(m.Guard) > 0 {
			fields = append(fields, jen.Id(m.Field).Op("*").Id(w.Names.Runtime).Dot("Guard"))
		}
	}
	return fields
}

func (w wrapper) constructor(of plan) *jen.Statement {
	n := w.Names
	return jen.Func().Id(w.Constructor).Add(typeParams(w.TypeParams)).Params(
		jen.Id(n.NextParam).Add(w.iface()),
		jen.Id(n.Registry).Op("*").Id(n.Runtime).Dot("Registry"),
		jen.Id(n.Options).Op("...").Id(n.Runtime).Dot("WrapperOption"),
	).Params(jen.Op("*").Add(w.self()), w.Error.code).BlockFunc(func(body *jen.Group) {
		failed := jen.If(jen.Id(n.Err).Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Id(n.Err)))
		body.List(jen.Id(n.Wiring), jen.Id(n.Err)).Op(":=").Id(n.Runtime).Dot("Wire").Call(
			jen.Id(n.Registry), jen.Lit(of.ImportPath), jen.Lit(of.Package+"."+w.Interface), jen.Id(n.NextParam), jen.Id(n.Options).Op("..."))
		body.Add(failed)
		if len(w.Defaults) > 0 {
			body.Id(n.Wiring).Dot("Defaults").CallFunc(func(args *jen.Group) {
				for _, name := range w.Defaults {
					args.Lit(name)
				}
			})
		}
		body.Id(n.Wrapper).Op(":=").Op("&").Add(w.self()).Add(lines("{", w.values(), "}"))
		for _, probe := range w.Probes {
			body.Id(n.Wiring).Dot("Probe").Call(jen.Lit(probe.Breaker), jen.Id(n.NextParam).Dot(probe.Method))
		}
		body.If(
			jen.Id(n.Err).Op("=").Id(n.Wiring).Dot("Done").Call(),
			jen.Id(n.Err).Op("!=").Nil(),
		).Block(jen.Return(jen.Nil(), jen.Id(n.Err)))
		body.Return(jen.Id(n.Wrapper), jen.Nil())
	})
}

// values are the fields of the new wrapper.
func (w wrapper) values() []jen.Code {
	values := []jen.Code{jen.Id(w.Names.Next).Op(":").Id(w.Names.NextParam)}
	for _, m := range w.Methods {
		if len(m.Guard) > 0 {
			guards := jen.Id(w.Names.Runtime).Dot("Guards").Add(m.Guard.literal(w.Names.Runtime))
			values = append(values, jen.Id(m.Field).Op(":").
				Id(w.Names.Wiring).Dot("Guard").Call(jen.Lit(m.Name), guards))
		}
	}
	return values
}

// literal is the guard as fields of a resilience.Guards, on one line if there is
// only one.
func (g guard) literal(runtime string) *jen.Statement {
	var fields []jen.Code
	for _, item := range g {
		if item.Field != "" && (!item.inBody || item.Form == directives.Key) {
			fields = append(fields, jen.Id(item.Field).Op(":").Add(item.value(runtime)))
		}
	}
	if len(fields) == 1 {
		return jen.Values(fields...)
	}
	return lines("{", fields, "}")
}

// value is what the field of an item is given.
func (i item) value(runtime string) *jen.Statement {
	switch i.Form {
	case directives.NameList, directives.CountList:
		return i.counted(runtime)
	case directives.Function:
		return jen.Id(i.Code)
	}
	return jen.Lit(i.Refs[0].Text)
}

// counted are names, each with its count where it has one.
func (i item) counted(runtime string) *jen.Statement {
	return jen.Index().Id(runtime).Dot(i.Section.Counted).ValuesFunc(func(values *jen.Group) {
		for n, ref := range i.Refs {
			name := jen.Id(i.Section.Entry).Op(":").Lit(ref.Text)
			switch {
			case ref.Count.Expr != "":
				values.Values(name, jen.Id("Number").Op(":").Lit(i.Numbers[n].Place))
			case ref.Count.N == 0:
				values.Values(name)
			default:
				values.Values(name, jen.Id("N").Op(":").Lit(ref.Count.N))
			}
		}
	})
}

func (w wrapper) method(m planned) *jen.Statement {
	code := jen.Func().Params(jen.Id(w.Names.Receiver).Op("*").Add(w.self())).Id(m.Name).
		Add(signature(m.Params, m.Results))
	switch {
	case len(m.Guard) == 0:
		return code.Block(w.forward(m))
	case m.fallsBack():
		return code.Block(w.fallingBack(m)...)
	case m.Guard.repeats():
		return code.Block(w.repeated(m)...)
	case m.Stream != nil:
		return code.Block(w.lasting(m)...)
	case len(m.Results) == 1:
		return code.Block(w.guardedError(m)...)
	}
	return code.Block(w.guardedResults(m)...)
}

// forward is the body of a method that passes through.
func (w wrapper) forward(m planned) *jen.Statement {
	if len(m.Results) == 0 {
		return w.call(m)
	}
	return jen.Return(w.call(m))
}

// guardedError is the body of a method with no result but an error.
func (w wrapper) guardedError(m planned) []jen.Code {
	return append(w.begin(m), jen.Return(finish(m, w.call(m))))
}

// guardedResults is the body of a method with more results, all of them named:
// a refusal returns their zero values.
func (w wrapper) guardedResults(m planned) []jen.Code {
	err := jen.Id(m.Names.Err)
	body := append(w.begin(m), jen.List(m.targets()...).Op("=").Add(w.call(m)))
	finished := returned(m, finish(m, err))
	if judge := m.Guard.judge(); judge != "" {
		return append(body, settled(m, finished), returned(m, judged(m, judge, err)))
	}
	return append(body, finished)
}

// repeated is the body of a method that may be called more than once.
func (w wrapper) repeated(m planned) []jen.Code {
	body := w.declared(m)
	if only := m.Results[0]; only.Name == "" {
		body = append(body, jen.Var().Id(m.Names.Err).Add(only.Type.code))
	}
	return append(body, w.attempts(m), returned(m, result(m)))
}

// attempts makes the attempts of a method that may be called more than once.
func (w wrapper) attempts(m planned) *jen.Statement {
	next := []jen.Code{jen.Id(m.Names.Call).Dot("Next").Call(w.entering(m)...)}
	if m.Names.Guard != "" { // all attempts have the same key
		next = []jen.Code{jen.Id(m.Names.Guard).Op(":=").Add(w.guarding(m)), next[0], jen.Empty()}
	}
	return jen.For(next...).Block(append(m.drops(), w.made(m)...)...)
}

// made makes one call and ends it with an error, or lets it last.
func (w wrapper) made(m planned) []jen.Code { return append(w.ended(m), w.held(m)...) }

func (w wrapper) ended(m planned) []jen.Code {
	err := jen.Id(m.Names.Err)
	becomes := func(ended jen.Code) *jen.Statement { return err.Clone().Op("=").Add(ended) }
	targets, judge := m.targets(), m.Guard.judge()
	if len(targets) == 1 && !m.Silent {
		return []jen.Code{becomes(finish(m, w.call(m)))}
	}
	called := w.call(m)
	if len(targets) > 0 {
		called = jen.List(targets...).Op("=").Add(called)
	}
	returned := err
	if m.Silent {
		returned = jen.Nil()
	}
	switch {
	case judge == "":
		return []jen.Code{called, becomes(finish(m, returned))}
	case m.Silent:
		return []jen.Code{called, becomes(judged(m, judge, returned))}
	}
	return []jen.Code{called, settled(m, becomes(finish(m, err))).Else().Block(becomes(judged(m, judge, err)))}
}

// targets are the results as variables.
func (m planned) targets() (targets []jen.Code) {
	for _, r := range m.Results {
		targets = append(targets, jen.Id(r.Name))
	}
	return targets
}

// begin enters the guard, or returns its refusal.
func (w wrapper) begin(m planned) []jen.Code {
	n := m.Names
	refused := []jen.Code{returned(m, jen.Id(n.Err))}
	if n.Closes {
		refused = append([]jen.Code{closed(jen.Id(n.Context).Dot("Body"))}, refused...)
	}
	return append(w.declared(m), jen.If(
		jen.Id(n.Err).Op(":=").Add(w.begins(m)),
		jen.Id(n.Err).Op("!=").Nil(),
	).Block(refused...))
}

// declared declares the call, or what makes several of it.
func (w wrapper) declared(m planned) []jen.Code {
	declared := jen.Var().Id(m.Names.Call).Id(w.Names.Runtime).Dot("Call")
	switch {
	case m.Guard.repeats():
		declared = jen.Var().Id(m.Names.Call).Id(w.Names.Runtime).Dot("Attempts")
	case m.Stream != nil:
		declared = jen.Id(m.Names.Call).Op(":=").New(jen.Id(w.Names.Runtime).Dot("Stream"))
	}
	return []jen.Code{
		declared,
		jen.Defer().Id(m.Names.Call).Dot("Release").Call(),
	}
}

func (w wrapper) begins(m planned) *jen.Statement {
	if numbers := m.numbers(); len(numbers) > 0 {
		return jen.Id(m.Names.Call).Dot("BeginEntry").Call(append(w.entering(m), numbers...)...)
	}
	return jen.Id(m.Names.Call).Dot("Begin").Call(w.entering(m)...)
}

// entering is what a guard is entered with: the context, and the guard.
func (w wrapper) entering(m planned) []jen.Code {
	n := m.Names
	ctx := jen.Id(n.Context)
	switch {
	case n.Context == "":
		ctx = jen.Id(n.Package).Dot("Background").Call()
	case n.Carried:
		ctx.Dot("Context").Call()
	}
	if n.Guard != "" {
		return []jen.Code{ctx, jen.Id(n.Guard)}
	}
	return []jen.Code{ctx, w.guarding(m)}
}

// closed closes a value, if it is there.
func closed(value *jen.Statement) *jen.Statement {
	return jen.If(value.Clone().Op("!=").Nil()).Block(value.Clone().Dot("Close").Call())
}

func finish(m planned, err jen.Code) *jen.Statement {
	return jen.Id(m.Names.Call).Dot("Finish").Call(err)
}

// settled does something where no judge is asked.
func settled(m planned, do jen.Code) *jen.Statement {
	return jen.If(jen.Id(m.Names.Call).Dot("Settled").Call(jen.Id(m.Names.Err))).Block(do)
}

// judged ends a call with the outcome that a judge of its results says.
func judged(m planned, judge string, err jen.Code) *jen.Statement {
	return jen.Id(m.Names.Call).Dot("FinishAs").Call(jen.Id(judge).Call(m.targets()...), err)
}

// result is the error of a call that may have been made more than once.
func result(m planned) *jen.Statement {
	return jen.Id(m.Names.Call).Dot("Result").Call(jen.Id(m.Names.Err))
}

// returned returns all results, with err as the last one.
func returned(m planned, err jen.Code) *jen.Statement {
	var values []jen.Code
	for _, r := range m.Results[:len(m.Results)-1] {
		values = append(values, jen.Id(r.Name))
	}
	return jen.Return(append(values, err)...)
}

// call calls what is wrapped; a guarded method passes the guard's context on.
func (w wrapper) call(m planned) *jen.Statement {
	var args []jen.Code
	for _, p := range m.Params {
		arg := w.argument(m, p)
		if p.Variadic {
			arg.Op("...")
		}
		args = append(args, arg)
	}
	return jen.Id(w.Names.Receiver).Dot(w.Names.Next).Dot(m.Name).Call(args...)
}

// argument is what is passed on of a parameter. A value that carries the context is
// given another one only where a guard may have derived that.
func (w wrapper) argument(m planned, p param) *jen.Statement {
	call := jen.Id(m.Names.Call)
	switch {
	case len(m.Guard) == 0 || p.Name != m.Names.Context:
	case !m.Names.Carried:
		return call.Dot("Context").Call()
	case m.Guard.derivesContext():
		if m.Stream != nil {
			call.Dot("Call")
		}
		return jen.Id(w.Names.Runtime).Dot("WithContext").Call(jen.Id(p.Name), jen.Op("&").Add(call))
	}
	return jen.Id(p.Name)
}

// signature writes the parameters and results of a method or function type.
func signature(params, results []param) *jen.Statement {
	code := jen.Params(variableList(params)...)
	if len(results) == 1 && results[0].Name == "" {
		return code.Add(results[0].Type.code)
	}
	if len(results) == 0 {
		return code
	}
	return code.Params(variableList(results)...)
}

func typeParams(list []param) *jen.Statement {
	if len(list) == 0 {
		return jen.Null()
	}
	return jen.Types(variableList(list)...)
}

// variableList writes parameters, results or type parameters; neighbours of one
// type share it.
func variableList(list []param) []jen.Code {
	var code []jen.Code
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[0].sharesType(list[n]) {
			n++
		}
		code = append(code, declared(list[:n]))
		list = list[n:]
	}
	return code
}

func (p param) sharesType(next param) bool {
	return p.Name != "" && p.Type.identity == next.Type.identity && !p.Variadic && !next.Variadic
}

// declared writes parameters of one type.
func declared(list []param) *jen.Statement {
	var ids []jen.Code
	for _, p := range list {
		if p.Name != "" {
			ids = append(ids, jen.Id(p.Name))
		}
	}
	code := jen.List(ids...)
	if list[0].Variadic {
		code.Op("...")
	}
	return code.Add(list[0].Type.code)
}

// elements writes the body of a struct or interface type, on one line if there
// is at most one element.
func elements(keyword string, list []jen.Code) *jen.Statement {
	if len(list) > 1 {
		return jen.Id(keyword).Block(list...)
	}
	return jen.Id(keyword).Values(list...)
}

// lines writes a list with each element on a line of its own.
func lines(open string, list []jen.Code, closing string) *jen.Statement {
	return jen.Custom(jen.Options{Open: open, Close: closing, Separator: ",", Multi: true}, list...)
}
