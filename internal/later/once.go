package later

import "go/types"

// Once reports whether an argument can be read only once, so that a second call with
// it finds nothing: a reader, a channel to receive from, an iterator, a request, or
// several of these.
func Once(t types.Type) bool { return once(t) || once(element(t)) }

func once(t types.Type) bool {
	return isReceiver(t) || isIterator(t) || isNamed(t, drained) ||
		takes(t, "Read", types.NewSlice(types.Typ[types.Byte]))
}

// drained are types that are read, but not by Read.
var drained = [][2]string{
	{"net/http", "Request"}, {"mime/multipart", "Reader"}, {"bufio", "Scanner"}, {"database/sql", "Rows"},
	{"encoding/csv", "Reader"}, {"encoding/gob", "Decoder"}, {"encoding/json", "Decoder"}, {"encoding/xml", "Decoder"},
}

// OnceWithin returns the first exported field of an argument that can be read only
// once.
func OnceWithin(t types.Type) (field string, once bool) {
	of, ok := deref(t).Underlying().(*types.Struct)
	if !ok || Once(t) {
		return "", false
	}
	for f := range of.Fields() {
		if f.Exported() && Once(f.Type()) {
			return f.Name(), true
		}
	}
	return "", false
}
