package generator

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/resgen-go/resgen/directives"
)

// cutOff warns of timeouts that end too early: the context of a call ends when
// the method returns, and what its caller reads from the result ends with it.
func (c *checker) cutOff(targets []*target) Faults {
	var faults Faults
	for _, t := range targets {
		for _, m := range t.methods {
			if m.guard == nil || m.guard.Timeout == "" {
				continue
			}
			if result := readLater(m.Signature()); result != nil {
				faults = append(faults, warning(directives.Position(c.pkg.Fset, t.timeoutAt(m)), directives.Timeout,
					"the context of %s ends when it returns, and with it what is read afterwards from its %s; put //%s:%s or no timeout on it, or read inside",
					m.Name(), c.spell(result), directives.Tool, directives.None))
			}
		}
	}
	return faults
}

// timeoutAt is where a method gets its timeout: at its own directive, else at the
// method, else, if another interface declares it, at the directive of the type.
func (t *target) timeoutAt(m *method) token.Pos {
	if d, ok := m.own.Get(directives.Timeout); ok {
		return d.Slash
	}
	if t.annotated.Spec.Pos() <= m.Pos() && m.Pos() < t.annotated.Spec.End() {
		return m.Pos()
	}
	d, _ := t.annotated.Directives.Get(directives.Timeout)
	return d.Slash
}

// readLater is the first result that is read after the method has returned; nil
// if there is none.
func readLater(sig *types.Signature) types.Type {
	for v := range sig.Results().Variables() {
		if isReceiver(v.Type()) || isIterator(v.Type()) || isReader(v.Type()) {
			return v.Type()
		}
	}
	return nil
}

func isReceiver(t types.Type) bool {
	channel, ok := t.Underlying().(*types.Chan)
	return ok && channel.Dir() != types.SendOnly
}

// isIterator tells whether range loops over a function of this type.
func isIterator(t types.Type) bool {
	iterator, ok := t.Underlying().(*types.Signature)
	if !ok || iterator.Params().Len() != 1 || iterator.Results().Len() != 0 {
		return false
	}
	yield, ok := iterator.Params().At(0).Type().Underlying().(*types.Signature)
	return ok && yield.Params().Len() <= 2 && yield.Results().Len() == 1 &&
		types.Identical(yield.Results().At(0).Type(), types.Typ[types.Bool])
}

// bound are types that hold on to the context that they were made with, though
// they have no method to read with, or another.
var bound = [][2]string{
	{"context", "Context"}, {"net/http", "Response"},
	{"database/sql", "Rows"}, {"database/sql", "Row"}, {"database/sql", "Tx"},
}

// unbound are packages whose types can be read from, but know of no context.
var unbound = []string{"bytes", "crypto/tls", "io/fs", "net", "os", "strings"}

// isReader tells whether t is an interface or a pointer to something that is read
// from piece by piece.
func isReader(t types.Type) bool {
	to := deref(t)
	if to == t && !types.IsInterface(t) {
		return false
	}
	if named, ok := types.Unalias(to).(*types.Named); ok && named.Obj().Pkg() != nil {
		path, name := named.Obj().Pkg().Path(), named.Obj().Name()
		if slices.Contains(bound, [2]string{path, name}) {
			return true
		}
		if slices.Contains(unbound, path) {
			return false
		}
	}
	return takes(t, "Read", types.NewSlice(types.Typ[types.Byte])) || takes(t, "Recv") ||
		takes(t, "RecvMsg", types.Universe.Lookup("any").Type()) || takes(t, "Next") && ends(methodOf(t, "Next").Signature())
}

// takes tells whether t has a method with exactly these parameters.
func takes(t types.Type, name string, params ...types.Type) bool {
	fn := methodOf(t, name)
	if fn == nil || fn.Signature().Params().Len() != len(params) {
		return false
	}
	for i, param := range params {
		if !types.Identical(fn.Signature().Params().At(i).Type(), param) {
			return false
		}
	}
	return true
}

// methodOf is nil if t has no such method.
func methodOf(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	fn, _ := obj.(*types.Func)
	return fn
}

// ends tells whether a method returns nothing but a bool, or an error as its last
// result, as those do that fetch the next of what may end or fail. What merely
// walks through memory usually returns the next element alone, or with a bool.
func ends(sig *types.Signature) bool {
	last := lastResult(sig)
	return last != nil && (isError(last) || sig.Results().Len() == 1 && types.Identical(last, types.Typ[types.Bool]))
}
