package vet

import "go/types"

// isRaw tells whether a type surely is a client without a guard: no interface,
// no wrapper, and nothing in which there may be one.
func isRaw(t types.Type, iface *types.Interface) bool {
	return named(t) != nil && !types.IsInterface(t) && !mayCall(t, iface, map[types.Type]bool{})
}

// mayCall tells whether a value of a type may hold something that calls of an
// interface can be passed on to.
func mayCall(t types.Type, iface *types.Interface, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return sharesMethod(t, iface)
	case *types.Signature:
		return isMethodOf(t, iface)
	case *types.Struct:
		for field := range t.Fields() {
			if mayCall(field.Type(), iface, seen) {
				return true
			}
		}
	case *types.Map:
		return mayCall(t.Key(), iface, seen) || mayCall(t.Elem(), iface, seen)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return mayCall(t.Elem(), iface, seen)
	}
	return false
}

func sharesMethod(a, b *types.Interface) bool {
	for m := range a.Methods() {
		for n := range b.Methods() {
			if m.Id() == n.Id() && types.Identical(m.Signature(), n.Signature()) {
				return true
			}
		}
	}
	return false
}

func isMethodOf(sig *types.Signature, iface *types.Interface) bool {
	for m := range iface.Methods() {
		if types.Identical(m.Signature(), sig) {
			return true
		}
	}
	return false
}
