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
		return c.standInFunction(t, m, i)
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

func (c *checker) standInFunction(t *target, m *method, i *item) (holds bool) {
	fn := c.function(*i, func(sig *types.Signature) bool { fits, _ := standsInFor(m, sig); return fits })
	if fn == nil {
		return false
	}
	i.function = fn
	sig := fn.Signature()
	i.generic = sig.TypeParams().Len() > 0
	if i.generic {
		if sig = c.instance(t, i, sig); sig == nil {
			return false
		}
	}
	return c.answers(m, i, "%s is a %s", sig)
}

// instance is a function with the type parameters of the interface in place of its
// own; nil, and a fault, if it does not take these.
func (c *checker) instance(t *target, i *item, sig *types.Signature) *types.Signature {
	name := i.Refs[0].Text
	if sig.TypeParams().Len() != len(t.typeParams) {
		c.faultFunction(*i, "%s has type parameters of its own; a function for %s must have %s", name, t.name, t.sameParams())
		return nil
	}
	var args []types.Type
	for _, param := range t.typeParams {
		args = append(args, param)
	}
	instance, err := types.Instantiate(nil, sig, args, true)
	if err != nil {
		c.faultFunction(*i, "%s must have %s: %v", name, t.sameParams(), err)
		return nil
	}
	return instance.(*types.Signature)
}

// sameParams says which type parameters a function has to have.
func (t *target) sameParams() string {
	if len(t.typeParams) == 0 {
		return "none"
	}
	var params []string
	for _, param := range t.typeParams {
		params = append(params, param.Obj().Name()+" "+param.Constraint().String())
	}
	return "those of the interface, [" + strings.Join(params, ", ") + "]"
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
		jen.Id(n.Err).Op(":=").Id(n.Call).Dot(falls).Call(jen.Id(n.Err)),
		jen.Id(n.Err).Op("!=").Nil(),
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
func (w wrapper) answered(m planned) (body []jen.Code) {
	for _, d := range m.Dropped {
		body = append(body, d.closed())
	}
	standIn, _ := m.Guard.standIn()
	callee := jen.Id(standIn.Code)
	if standIn.function == nil {
		callee = jen.Id(w.Names.Receiver).Dot(standIn.Refs[0].Text)
	}
	if standIn.generic {
		callee.Add(w.typeArgs())
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
		args = append(args, jen.Id(m.Names.Err))
	}
	answer := callee.Call(args...)
	if len(m.Results) > 0 {
		answer = jen.Return(answer)
	}
	return append(body, answer)
}

func (d dropped) closed() *jen.Statement {
	result := jen.Id(d.Result)
	if !d.Answer {
		return closed(result)
	}
	body := result.Clone().Dot("Body")
	return jen.If(result.Clone().Op("!=").Nil().Op("&&").Add(body.Clone()).Op("!=").Nil()).Block(body.Clone().Dot("Close").Call())
}
