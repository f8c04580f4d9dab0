package generator

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

// standIn finds what answers in place of a method: another method of the interface,
// which is called on the wrapper, or a function.
func (c *checker) standIn(t *target, m *method, i *item) (holds bool) {
	i.inBody = true
	name := i.Refs[0].Text
	other := t.method(name)
	switch {
	case other == nil:
		return c.standInFunction(m, i)
	case c.pkg.Types.Scope().Lookup(name) != nil:
		c.faultFunction(*i, "%s is a method of %s and is declared in the package, too; rename one of them", name, t.name)
		return false
	}
	return c.answers(m, i, "%s is a method of "+t.name+", a %s", other.Signature())
}

// method is the method of that name; nil if the interface has none that the wrapper
// declares.
func (t *target) method(name string) *method {
	n := slices.IndexFunc(t.methods, func(m *method) bool { return m.Name() == name })
	if n < 0 {
		return nil
	}
	return t.methods[n]
}

func (c *checker) standInFunction(m *method, i *item) (holds bool) {
	fn := c.function(*i, func(sig *types.Signature) bool { fits, _ := standsInFor(m, sig); return fits })
	if fn == nil {
		return false
	}
	i.function = fn
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 {
		if sig = c.instance(m, i, sig); sig == nil {
			return false
		}
	}
	return c.answers(m, i, "%s is a %s", sig)
}

// instance is a function with the types of a method in place of its type parameters;
// nil, and a fault, if these do not fit.
func (c *checker) instance(m *method, i *item, sig *types.Signature) *types.Signature {
	like := withError(m)
	if sig.Params().Len() < like.Params().Len() {
		like = unnamed(m.Signature())
	}
	inferred := inference{}
	for param := range sig.TypeParams().TypeParams() {
		inferred[param] = nil
	}
	inferred.bind(sig.Params(), like.Params())
	inferred.bind(sig.Results(), like.Results())
	for param := range sig.TypeParams().TypeParams() {
		if inferred[param] == nil {
			c.faultFunction(*i, "%s has a type parameter %s for which no parameter or result of %s stands", i.Refs[0].Text, param.Obj().Name(), m.Name())
			return nil
		}
		i.typeArgs = append(i.typeArgs, inferred[param])
	}
	instance, err := types.Instantiate(nil, sig, i.typeArgs, true)
	if err != nil {
		c.faultFunction(*i, "%s cannot have the types of %s: %v", i.Refs[0].Text, m.Name(), err)
		return nil
	}
	return instance.(*types.Signature)
}

// inference has the type arguments of a function, as far as they are known.
type inference map[*types.TypeParam]types.Type

// bind gives type parameters in x the types that stand in their places in y. It does
// not compare the rest.
func (in inference) bind(x, y types.Type) {
	if param, is := types.Unalias(x).(*types.TypeParam); is {
		if known, own := in[param]; own && known == nil {
			in[param] = y
		}
		return
	}
	for n, part := range typesIn(x) {
		if other := typesIn(y); n < len(other) {
			in.bind(part, other[n])
		}
	}
}

// typesIn are the types that a type is made of.
func typesIn(t types.Type) (parts []types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return slices.Collect(t.TypeArgs().Types())
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case interface{ Elem() types.Type }: // of a pointer, slice, array or channel
		return []types.Type{t.Elem()}
	case *types.Signature:
		return []types.Type{t.Params(), t.Results()}
	case *types.Tuple:
		for v := range t.Variables() {
			parts = append(parts, v.Type())
		}
	}
	return parts
}

// answers reports whether a stand-in has the type that it needs, or a fault, which
// begins with its name and type.
func (c *checker) answers(m *method, i *item, found string, sig *types.Signature) (holds bool) {
	if holds, i.takesError = standsInFor(m, sig); !holds {
		c.faultFunction(*i, found+"; it must be a %s, or one without that error",
			i.Refs[0].Text, c.spell(unnamed(sig)), c.spell(withError(m)))
	}
	return holds
}

// standsInFor reports whether a function has the parameters and results of a method,
// or, behind the parameters, an error too.
func standsInFor(m *method, sig *types.Signature) (fits, takesError bool) {
	if sig.TypeParams().Len() > 0 {
		return false, false
	}
	takesError = types.Identical(unnamed(sig), withError(m))
	return takesError || types.Identical(unnamed(sig), unnamed(m.Signature())), takesError
}

// withError is the type of a stand-in that gets the error, too. In front of that
// the values of a variadic parameter are a slice.
func withError(m *method) *types.Signature {
	sig := unnamed(m.Signature())
	params := append(slices.Collect(sig.Params().Variables()), types.NewParam(0, nil, "", types.Universe.Lookup("error").Type()))
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), false)
}

// checkChains reports methods that would fall back on themselves in the end. Each
// circle is reported once.
func (c *checker) checkChains(t *target) {
	told := map[*method]bool{}
	for _, m := range t.methods {
		chain := t.chain(m)
		if last := chain[len(chain)-1]; t.next(last) != m || told[m] {
			continue
		}
		var steps []string
		for _, at := range chain {
			told[at] = true
			steps = append(steps, at.Name()+" on "+t.next(at).Name())
		}
		steps[0] = strings.Replace(steps[0], " on ", " falls back on ", 1)
		i, _ := m.guard.standIn()
		c.faultFunction(i, "%s; let one fall back on a function, or on a method that does not lead back", joined(steps))
	}
}

// chain is a method and those on which it falls back, each once.
func (t *target) chain(m *method) (chain []*method) {
	for at := m; at != nil && !slices.Contains(chain, at); at = t.next(at) {
		chain = append(chain, at)
	}
	return chain
}

// next is the method on which a method falls back; nil if it is none.
func (t *target) next(m *method) *method {
	if i, falls := m.guard.standIn(); falls && i.function == nil {
		return t.method(i.Refs[0].Text)
	}
	return nil
}

func (m planned) fallsBack() bool {
	_, falls := m.Guard.standIn()
	return falls
}

// fallingBack is the body of a method with a fallback, which answers once everything
// has been given back.
func (w wrapper) fallingBack(m planned) []jen.Code {
	n, falls := m.Names, "FallsBack"
	if m.Silent {
		falls = "MustFallBack"
	}
	body := append(w.declared(m), w.tried(m)...)
	body = append(body, jen.If(
		jen.Id(n.Lost).Op(":=").Id(n.Call).Dot(falls).Call(jen.Id(n.Err)),
		jen.Id(n.Lost).Op("!=").Nil(),
	).Block(w.answered(m)...))
	switch {
	case len(m.Results) == 0:
		return body
	case m.Guard.repeats() && !m.Silent:
		return append(body, returned(m, result(m)))
	}
	return append(body, jen.Return(m.targets()...))
}

// tried makes the call, once or more often, if its guard lets it.
func (w wrapper) tried(m planned) []jen.Code {
	n := m.Names
	if m.Guard.repeats() {
		attempts := []jen.Code{w.attempts(m)}
		if m.Silent {
			attempts = append([]jen.Code{jen.Var().Id(n.Err).Add(w.Error.code)}, attempts...)
		}
		return attempts
	}
	begins := "="
	if m.Silent {
		begins = ":="
	}
	made := jen.If(jen.Id(n.Err).Op("==").Nil()).Block(w.made(m)...)
	if n.Closes {
		made.Else().Add(closed(jen.Id(n.Context).Dot("Body")))
	}
	return []jen.Code{jen.Id(n.Err).Op(begins).Add(w.begins(m)), made}
}

// answered returns the answer of the stand-in, and closes what nobody gets.
func (w wrapper) answered(m planned) []jen.Code {
	body := m.drops()
	standIn, _ := m.Guard.standIn()
	callee := jen.Id(standIn.Code)
	if standIn.function == nil {
		callee = jen.Id(w.Names.Receiver).Dot(standIn.Refs[0].Text)
	}
	if len(standIn.TypeArgs) > 0 {
		callee.TypesFunc(func(types *jen.Group) {
			for _, arg := range standIn.TypeArgs {
				types.Add(arg.code)
			}
		})
	}
	var args []jen.Code
	for _, p := range m.Params {
		arg := jen.Id(p.Name)
		if p.Variadic && !standIn.takesError {
			arg.Op("...")
		}
		args = append(args, arg)
	}
	if standIn.takesError {
		args = append(args, jen.Id(m.Names.Lost))
	}
	answer := callee.Call(args...)
	if len(m.Results) > 0 {
		answer = jen.Return(answer)
	}
	return append(body, answer)
}

// drops closes the results that nobody gets: only those of a call without an error,
// because beside one a result may be anything.
func (m planned) drops() (body []jen.Code) {
	for _, d := range m.Dropped {
		var there []jen.Code
		if !m.Silent {
			there = append(there, jen.Id(m.Names.Err).Op("==").Nil())
		}
		closes := jen.Id(d.Result)
		there = append(there, jen.Id(d.Result).Op("!=").Nil())
		if d.Answer {
			closes = jen.Id(d.Result).Dot("Body")
			there = append(there, jen.Id(d.Result).Dot("Body").Op("!=").Nil())
		}
		all := jen.Add(there[0])
		for _, more := range there[1:] {
			all.Op("&&").Add(more)
		}
		body = append(body, jen.If(all).Block(closes.Dot("Close").Call()))
	}
	return body
}
