// Package later finds what a method hands out and its caller reads after the
// method has returned: a stream, rows, a channel, the body of an answer. It owns
// how that is recognized by its type. What ends at the return, and so cuts the
// reading off, is known to others.
package later

import (
	"go/types"
	"slices"
)

// Reading is what is read later from a result.
type Reading struct {
	Result types.Type
	Part   string // the field or method of the result by which it is read; empty: the result itself
}

// Phrase is the reading as a sentence shows it, with how it spells types.
func (r Reading) Phrase(spell func(types.Type) string) string {
	if r.Part == "" {
		return spell(r.Result)
	}
	return spell(r.Result) + "." + r.Part
}

// Of returns the first reading from the results of a signature, and false if
// nothing is read later.
func Of(sig *types.Signature) (Reading, bool) {
	for v := range sig.Results().Variables() {
		if part, ok := from(v.Type()); ok {
			return Reading{v.Type(), part}, true
		}
	}
	return Reading{}, false
}

// from reports whether a result is read later, and by which part of it. Looking
// ends at that part: what is further in has mostly been read.
func from(t types.Type) (part string, ok bool) {
	t = element(t)
	switch {
	case isRead(t):
		return "", true
	case isUnbound(t):
		return "", false
	}
	switch to := deref(t).Underlying().(type) {
	case *types.Struct:
		return field(to, map[*types.Struct]bool{})
	case *types.Interface:
		return opener(to)
	}
	return "", false
}

// element is the type of what lists, tables and lists of these hold; t itself if
// it holds nothing. A type may hold itself, so it looks no deeper.
func element(t types.Type) types.Type {
	for range 2 {
		switch holder := t.Underlying().(type) {
		case *types.Slice:
			t = holder.Elem()
		case *types.Array:
			t = holder.Elem()
		case *types.Map:
			t = holder.Elem()
		}
	}
	return t
}

// isRead reports whether a value is read from itself.
func isRead(t types.Type) bool { return isReceiver(t) || isIterator(t) || isReader(t) }

// field finds an exported field that is read from, promoted ones included.
func field(of *types.Struct, seen map[*types.Struct]bool) (string, bool) {
	seen[of] = true
	for f := range of.Fields() {
		t := element(f.Type())
		switch inner, _ := deref(t).Underlying().(*types.Struct); {
		case isNamed(t, answered), isUnbound(t):
		case f.Exported() && isRead(t):
			return f.Name(), true
		case f.Embedded() && inner != nil && !seen[inner]:
			if name, ok := field(inner, seen); ok {
				return name, true
			}
		}
	}
	return "", false
}

// opener finds a method of an interface that takes nothing and returns something
// to read: the values of a watch, or the body of an answer. A channel without
// values is a signal.
func opener(of *types.Interface) (string, bool) {
	for m := range of.Methods() {
		sig := m.Signature()
		if !m.Exported() || sig.Results().Len() == 0 || sig.Params().Len() > 1 || sig.Params().Len() == 1 && !sig.Variadic() {
			continue
		}
		t := sig.Results().At(0).Type()
		if isReceiver(t) && !isSignal(t) || isIterator(t) || types.IsInterface(t) && isReader(t) && !isNamed(t, [][2]string{{"context", "Context"}}) {
			return m.Name() + "()", true
		}
	}
	return "", false
}

func isReceiver(t types.Type) bool {
	channel, ok := t.Underlying().(*types.Chan)
	return ok && channel.Dir() != types.SendOnly
}

func isSignal(t types.Type) bool {
	empty, ok := t.Underlying().(*types.Chan).Elem().Underlying().(*types.Struct)
	return ok && empty.NumFields() == 0
}

// isIterator reports whether range loops over a function of this type.
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

// answered are types that clients leave in their results once they have read
// them, and what stands on a connection of its own.
var answered = [][2]string{{"net/http", "Response"}, {"net/http", "Request"}, {"bufio", "Reader"}, {"bufio", "ReadWriter"}}

// unbound are packages whose types can be read from, but know of no context.
var unbound = []string{"bytes", "crypto/tls", "io/fs", "net", "os", "strings", "time"}

func isUnbound(t types.Type) bool {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && slices.Contains(unbound, named.Obj().Pkg().Path())
}

// isNamed reports whether t, or what it points to, is one of the types.
func isNamed(t types.Type, list [][2]string) bool {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && slices.Contains(list, [2]string{named.Obj().Pkg().Path(), named.Obj().Name()})
}

// isReader reports whether t is an interface or a pointer to something that is
// read from piece by piece.
func isReader(t types.Type) bool {
	switch {
	case deref(t) == t && !types.IsInterface(t), isUnbound(t):
		return false
	case isNamed(t, bound):
		return true
	}
	return takes(t, "Read", types.NewSlice(types.Typ[types.Byte])) || takes(t, "Recv") ||
		takes(t, "RecvMsg", types.Universe.Lookup("any").Type()) || takes(t, "Next") && ends(methodOf(t, "Next").Signature())
}

// takes reports whether t has a method with exactly these parameters.
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

// ends reports whether a method returns nothing but a bool, or an error as its
// last result, as those do that fetch the next of what may end or fail. What
// merely walks through memory usually returns the next element alone, or with a
// bool.
func ends(sig *types.Signature) bool {
	n := sig.Results().Len()
	if n == 0 {
		return false
	}
	last := sig.Results().At(n - 1).Type()
	return types.Identical(last, types.Universe.Lookup("error").Type()) || n == 1 && types.Identical(last, types.Typ[types.Bool])
}

func deref(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
