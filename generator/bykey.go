package generator

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// keyFits notes whether a key that a directive of a type names fits one of its
// methods.
type keyFits struct {
	item   item
	fits   bool
	misses string // why it does not fit the first one
}

// byKey finds the key of a method's calls: a parameter of a string type, or a function
// of its first parameters, or of all, that returns one. A key that the type names does
// not hold for a method that lacks it.
func (c *checker) byKey(t *target, m *method, i *item) (holds bool) {
	_, own := m.own.Get(i.Row.Name)
	ref := i.Refs[0]
	if i.keyParam = parameter(m, ref.Text); i.keyParam >= 0 {
		v := m.Signature().Params().At(i.keyParam)
		i.isString = types.Identical(v.Type(), types.Typ[types.String])
		if holds = isText(v.Type()); !holds {
			c.faultFunction(*i, "%s of %s is of type %s; a key is a parameter of a string type, or a %s",
				ref.Text, m.Name(), c.spell(v.Type()), c.keyOf(m))
		}
		t.keyFits(*i, true, "")
		return holds
	}
	if !own && !c.mayBeFunction(ref) {
		m.skipped = append(m.skipped, fmt.Sprintf("no %s=%s of its %s: it has no parameter %[2]s", i.Key, ref.Text, i.Row.Noun()))
		t.keyFits(*i, false, "no method of "+t.name+" under this directive has such a parameter, and the package no such function")
		return false
	}
	fn := c.keyFunction(m, *i)
	if fn == nil {
		t.keyFits(*i, true, "")
		return false
	}
	holds = isKeyOf(fn.Signature(), m)
	t.keyFits(*i, holds || own, fmt.Sprintf("it is a %s; for %s it must be a %s, or one of the first of these parameters",
		c.spell(unnamed(fn.Signature())), m.Name(), c.keyOf(m)))
	switch {
	case holds:
		i.function, i.inBody = fn, true
		i.isString = types.Identical(fn.Signature().Results().At(0).Type(), types.Typ[types.String])
	case own:
		c.faultFunction(*i, "%s is a %s; it must be a %s, or one of the first of these parameters",
			ref.Text, c.spell(unnamed(fn.Signature())), c.keyOf(m))
	default:
		m.skipped = append(m.skipped, fmt.Sprintf("no %s=%s of its %s: that is a %s", i.Key, ref.Text, i.Row.Noun(), c.spell(unnamed(fn.Signature()))))
	}
	return holds
}

// mayBeFunction reports whether a reference names a function, or a package that is not
// imported, which is a fault of its own.
func (c *checker) mayBeFunction(ref directives.Ref) bool {
	scope, name, _ := c.scopeOf(ref)
	if scope == nil {
		return true
	}
	_, is := c.referred(ref, scope, name).(*types.Func)
	return is
}

// keyFunction finds the function that a key names. It is nil, and a fault, if there is
// none.
func (c *checker) keyFunction(m *method, i item) *types.Func {
	ref := i.Refs[0]
	if scope, name, _ := c.scopeOf(ref); !strings.Contains(ref.Text, ".") && c.referred(ref, scope, name) == nil {
		c.faultFunction(i, "%s is neither a parameter of %s nor a function of the package; a key is a parameter of a string type, or a %s%s",
			ref.Text, m.Name(), c.keyOf(m), didYouMean(ref.Text, texts(m)))
		return nil
	}
	return c.function(i, func(sig *types.Signature) bool { return isKeyOf(sig, m) })
}

// parameter is the place of the parameter of that name; below 0 there is none.
func parameter(m *method, name string) int {
	return slices.IndexFunc(slices.Collect(m.Signature().Params().Variables()), func(v *types.Var) bool { return v.Name() == name })
}

// texts are the names of the parameters that could be keys.
func texts(m *method) (names []string) {
	for v := range m.Signature().Params().Variables() {
		if v.Name() != "" && isText(v.Type()) {
			names = append(names, v.Name())
		}
	}
	return names
}

// isText reports whether a type is a string type.
func isText(t types.Type) bool {
	text := types.NewTerm(true, types.Typ[types.String])
	union := types.NewInterfaceType(nil, []types.Type{types.NewUnion([]*types.Term{text})})
	return types.Satisfies(t, union.Complete())
}

// isKeyOf reports whether a function makes a key of a method's first parameters, or of
// all of them.
func isKeyOf(sig *types.Signature, m *method) bool {
	params, of := sig.Params(), m.Signature().Params()
	if sig.TypeParams().Len() > 0 || sig.Results().Len() != 1 || !isText(sig.Results().At(0).Type()) || params.Len() == 0 || params.Len() > of.Len() {
		return false
	}
	for n := range params.Len() {
		if !types.Identical(params.At(n).Type(), of.At(n).Type()) {
			return false
		}
	}
	return true
}

// keyOf is the type of functions of all parameters of a method that make a key.
func (c *checker) keyOf(m *method) string {
	sig := unnamed(m.Signature())
	result := types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.String]))
	return c.spell(types.NewSignatureType(nil, nil, nil, sig.Params(), result, sig.Variadic()))
}

// keyFits notes whether a key fits one more method of the type.
func (t *target) keyFits(i item, fits bool, misses string) {
	n := slices.IndexFunc(t.keys, func(k keyFits) bool { return k.item.Refs[0] == i.Refs[0] })
	if n < 0 {
		t.keys = append(t.keys, keyFits{i, fits, misses})
		return
	}
	t.keys[n].fits = t.keys[n].fits || fits
}

// checkKeys reports keys that fit no method, methods with two keys, and entries with
// one.
func (c *checker) checkKeys(t *target) {
	for _, k := range t.keys {
		if !k.fits {
			c.faultFunction(k.item, "%s is the key of no method of %s: %s", k.item.Refs[0].Text, t.name, k.misses)
		}
	}
	for _, m := range t.methods {
		first, by := m.guard.key()
		if !by {
			continue
		}
		for _, i := range m.guard {
			switch {
			case i.Form == directives.Key && i.Refs[0].Text != first.Refs[0].Text:
				c.faultFunction(i, "%s has the key %s for its %s already; a method has one key, so let both name a function that makes one of both",
					m.Name(), first.Refs[0].Text, first.Row.Noun())
			case i.Row.Name == directives.Anticipate:
				c.faultFunction(first, "%s is an entry, which has no guards by key; put the %s on the methods that it calls", m.Name(), first.Row.Noun())
				return
			}
		}
	}
}

// reservedByKey warns of reservations of a bulkhead of which calls of the package have
// instances by key: those take no permit of the reservation.
func (c *checker) reservedByKey(targets []*target) (faults fault.List) {
	users := usersByKey(targets)
	eachItem(targets, func(_ *target, _ *method, i item) {
		if i.Form != directives.CountList || i.Section != directives.RowOf(directives.Bulkhead).Section() {
			return
		}
		for _, ref := range i.Refs {
			if user := users[ref.Text]; user != "" {
				faults = append(faults, c.warning(ref.Pos, i.Row.Name,
					"bulkhead %s guards %s: the permits of a key are its own, so its calls use none of this reservation", ref.Text, user))
			}
		}
	})
	return faults
}

// usersByKey are methods with a bulkhead by key, by the bulkhead's name.
func usersByKey(targets []*target) map[string]string {
	users := map[string]string{}
	eachItem(targets, func(t *target, m *method, i item) {
		if by := m.guard.by(i.Row); by != "" && i.names() && i.Row.Name == directives.Bulkhead {
			users[i.Refs[0].Text] = t.name + "." + m.Name() + by
		}
	})
	return users
}

func eachItem(targets []*target, do func(*target, *method, item)) {
	for _, t := range targets {
		for _, m := range t.methods {
			for _, i := range m.guard {
				do(t, m, i)
			}
		}
	}
}

// key is the item that says by which key the method's calls have guards of their own.
func (g guard) key() (item, bool) { return g.of(directives.Key) }

// guarding is the guard of one call: that of its key, if it has one.
func (w wrapper) guarding(m planned) *jen.Statement {
	guard := jen.Id(w.Names.Receiver).Dot(m.Field)
	i, by := m.Guard.key()
	if !by {
		return guard
	}
	key := jen.Id(m.Params[max(0, i.keyParam)].Name)
	if i.function != nil {
		key = jen.Id(i.Code).CallFunc(func(args *jen.Group) {
			params := i.function.Signature().Params()
			for n, p := range m.Params[:params.Len()] {
				arg := jen.Id(p.Name)
				if i.function.Signature().Variadic() && n == params.Len()-1 {
					arg.Op("...")
				}
				args.Add(arg)
			}
		})
	}
	if !i.isString {
		key = jen.Id(w.Names.Runtime).Dot("Key").Call(key)
	}
	return guard.Dot("For").Call(key)
}
