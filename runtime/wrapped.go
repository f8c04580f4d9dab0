package resilience

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// isNil reports whether a client is nil: an interface without a value, or a nil
// wrapper. Methods of other types may work with a nil pointer.
func isNil(client any) bool {
	v := reflect.ValueOf(client)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() && isWrapper(v.Type().Elem())
}

var guardType = reflect.TypeFor[*Guard]()

// isWrapper reports whether values of a type are generated wrappers: only these
// have guards.
func isWrapper(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for field := range t.Fields() {
		if field.Type == guardType {
			return true
		}
	}
	return false
}

// guardsIn finds the guards that calls of a client of interface I pass: those of
// the client, if it is a wrapper, and those of clients of I in its fields, such as
// the client behind one that adds a log.
func guardsIn[I any](client I) []*Guard {
	return appendGuards(nil, reflect.ValueOf(client), reflect.TypeFor[I](), maxNesting)
}

// maxNesting is how many clients inside each other are searched.
const maxNesting = 5

func appendGuards(guards []*Guard, client reflect.Value, of reflect.Type, depth int) []*Guard {
	for client.Kind() == reflect.Interface || client.Kind() == reflect.Pointer {
		client = client.Elem()
	}
	if client.Kind() != reflect.Struct || depth == 0 {
		return guards
	}
	for field, v := range client.Fields() {
		switch {
		case field.Type == guardType:
			guards = append(guards, (*Guard)(v.UnsafePointer()))
		case of.Kind() == reflect.Interface && field.Type.Implements(of):
			guards = appendGuards(guards, v, of, depth-1)
		}
	}
	return guards
}

// checkTwice reports a guard if its calls also pass another guard that takes or
// counts the same.
func (w *Wiring) checkTwice(g *Guard) {
	for _, inner := range w.inner {
		if inner != nil && inner.version == g.version && inner.repeats(g) {
			w.joined = true
			of, _ := inner.split()
			w.fault(fmt.Errorf("the client to be guarded is a wrapper of %s already, or contains one, by the same registry: "+
				"each call would take its permits and count twice; pass the client that is inside", of))
		}
	}
}

// repeats reports whether a call through both guards asks something twice.
func (g *Guard) repeats(other *Guard) bool {
	_, method := g.split()
	_, same := other.split()
	shared := slices.ContainsFunc(g.parts, func(part any) bool { return slices.Contains(other.parts, part) })
	return g.method == other.method || method == same && shared
}

// split returns the interface and the name of the method.
func (g *Guard) split() (of, method string) {
	i := strings.LastIndexByte(g.method, '.')
	return g.method[:i], g.method[i+1:]
}
