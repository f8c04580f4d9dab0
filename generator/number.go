package generator

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/directives"
)

// number is a count that the call knows: a parameter, its length, or what a function
// makes of all parameters. The zero number is none.
type number struct {
	Place int // among the numbers of the method, from 1
	Param int // index, from 1; 0: a function says it
	Len   bool
	Int   bool   // the parameter is an int, so that nothing is converted
	Code  string // the function, as source code calls it

	function *types.Func
}

// numbers settles the counts of an item that are no literals. It reports whether all
// are sound.
func (c *checker) numbers(m *method, i *item) (sound bool) {
	sound = true
	for n, ref := range i.Refs {
		if ref.Count.Expr == "" {
			continue
		}
		if i.Numbers == nil {
			i.Numbers = make([]number, len(i.Refs))
		}
		if i.Numbers[n], sound = c.number(m, *i, ref); !sound {
			return false
		}
		m.numbers++
		i.Numbers[n].Place = m.numbers
	}
	return true
}

func (c *checker) number(m *method, i item, ref directives.Ref) (number, bool) {
	expr := ref.Count.Expr
	wrong := func(format string, args ...any) (number, bool) {
		c.fault(ref.Count.Pos, i.Row.Name, i.Key+": "+format, args...)
		return number{}, false
	}
	inside, isLen := strings.CutPrefix(expr, "len(")
	name := strings.TrimSuffix(inside, ")")
	params := m.Signature().Params()
	at := paramIndex(params, name)
	switch {
	case isLen && at < 0:
		return wrong("%s has no parameter %s%s", m.Name(), name, didYouMean(name, paramNames(params)))
	case isLen && !hasLen(params.At(at).Type()):
		return wrong("parameter %s of %s is of type %s, which has no length", name, m.Name(), c.spell(params.At(at).Type()))
	case isLen:
		return number{Param: at + 1, Len: true}, true
	case at >= 0 && !isInteger(params.At(at).Type()):
		return wrong("parameter %s of %s is of type %s; the number must be an integer, len(%[1]s) or a function of the parameters", name, m.Name(), c.spell(params.At(at).Type()))
	case at >= 0:
		return number{Param: at + 1, Int: types.Identical(params.At(at).Type(), types.Typ[types.Int])}, true
	}
	counting := item{Row: i.Row, Param: i.Param, Refs: []directives.Ref{{Text: expr, Pos: ref.Count.Pos}}}
	want := numberOf(m)
	fits := func(sig *types.Signature) bool { return types.Identical(unnamed(sig), want) }
	if near := didYouMean(name, paramNames(params)); near != "" && c.pkg.Types.Scope().Lookup(expr) == nil && !strings.Contains(expr, ".") {
		return wrong("%s has no parameter %s%s", m.Name(), name, near)
	}
	fn := c.function(counting, fits)
	switch {
	case fn == nil:
		return number{}, false
	case !fits(fn.Signature()):
		return wrong("%s is a %s; it must be a %s", expr, c.spell(unnamed(fn.Signature())), c.spell(want))
	}
	return number{function: fn}, true
}

// numberOf is the type of the functions that make a number of a method's parameters.
func numberOf(m *method) *types.Signature {
	result := types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.Int]))
	sig := unnamed(m.Signature())
	return types.NewSignatureType(nil, nil, nil, sig.Params(), result, sig.Variadic())
}

func paramNames(params *types.Tuple) (names []string) {
	for v := range params.Variables() {
		if v.Name() != "" && v.Name() != "_" {
			names = append(names, v.Name())
		}
	}
	return names
}

func paramIndex(params *types.Tuple, name string) int {
	if name == "_" {
		return -1
	}
	return slices.IndexFunc(slices.Collect(params.Variables()), func(v *types.Var) bool { return v.Name() == name })
}

func isInteger(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

func hasLen(t types.Type) bool {
	switch of := t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Chan:
		return true
	case *types.Pointer:
		_, array := of.Elem().Underlying().(*types.Array)
		return array
	case *types.Basic:
		return of.Info()&types.IsString != 0
	}
	return false
}

// numbers are those that the call of a method gives to its entry, in their order.
func (m planned) numbers() (numbers []jen.Code) {
	for _, item := range m.Guard {
		for _, n := range item.Numbers {
			if n.Place > 0 {
				numbers = append(numbers, m.number(n))
			}
		}
	}
	return numbers
}

func (m planned) number(n number) *jen.Statement {
	if n.Param == 0 {
		var args []jen.Code
		for _, p := range m.Params {
			arg := jen.Id(p.Name)
			if p.Variadic {
				arg.Op("...")
			}
			args = append(args, arg)
		}
		return jen.Id(n.Code).Call(args...)
	}
	param := jen.Id(m.Params[n.Param-1].Name)
	switch {
	case n.Len:
		return jen.Id("len").Call(param)
	case n.Int:
		return param
	}
	return jen.Id("int").Call(param)
}

// calledInBody are the functions that the method itself calls.
func (i item) calledInBody() (fns []*types.Func) {
	if i.inBody && i.function != nil {
		fns = append(fns, i.function)
	}
	for _, n := range i.Numbers {
		if n.function != nil {
			fns = append(fns, n.function)
		}
	}
	return fns
}
