package generator

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"strings"
	"unicode"
)

// names are the identifiers that are spoken for at one place of the output. It
// is the only place where names are made up: whoever needs one says what must
// not be hidden there and picks.
type names map[string]bool

// spokenFor joins what is known about a place into a set of its own.
func spokenFor(sets ...names) names {
	size := 0
	for _, set := range sets {
		size += len(set)
	}
	all := make(names, size)
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

func (n names) add(more ...string) {
	for _, name := range more {
		n[name] = true
	}
}

func (n names) free(name string) bool { return token.IsIdentifier(name) && !n[name] }

// pick takes the first candidate that is free, or else the last one with the
// smallest number behind it that makes it free.
func (n names) pick(candidates ...string) string {
	for _, name := range candidates {
		if n.free(name) {
			n.add(name)
			return name
		}
	}
	last := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		if name := fmt.Sprint(last, i); n.free(name) {
			n.add(name)
			return name
		}
	}
}

// predeclared are Go's own names, which nothing of ours may hide.
var predeclared = func() names {
	all := names{}
	all.add(types.Universe.Names()...)
	return all
}()

// variables names the parameters and results of a method: each keeps its own
// name, unless that hides something needed in the method, and gets a readable
// one after its type if it has none. Names that are made up hide nothing at all.
func variables(vars []*types.Var, needed, hidden names) []string {
	chosen := make([]string, len(vars))
	local := spokenFor(hidden)
	for i, v := range vars {
		if name := v.Name(); name != "" && name != "_" && !needed[name] {
			chosen[i] = name
			local.add(name)
		}
	}
	for i, v := range vars {
		if chosen[i] == "" {
			chosen[i] = local.pick(madeUp(v, hidden)...)
		}
	}
	return chosen
}

// madeUp are the names that a variable may have whose own one won't do.
func madeUp(v *types.Var, hidden names) []string {
	name := v.Name()
	switch {
	case name != "" && name != "_":
	case isError(v.Type()):
		return []string{"err", "failure"}
	default:
		name = nameAfter(v.Type())
	}
	if !hidden.free(name) {
		name += "Value"
	}
	return []string{name}
}

// nameAfter is how a person might call a variable of a type.
func nameAfter(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return nameAfterObject(t.Obj())
	case *types.Named:
		return nameAfterObject(t.Obj())
	case *types.TypeParam:
		return nameAfterObject(t.Obj())
	case *types.Pointer:
		return nameAfter(t.Elem())
	case *types.Slice:
		return nameAfterList(t.Elem())
	case *types.Array:
		return nameAfterList(t.Elem())
	case *types.Basic:
		return nameAfterBasic(t)
	case *types.Map:
		return "m"
	case *types.Chan:
		return "ch"
	case *types.Signature:
		return "f"
	}
	return "v"
}

func nameAfterObject(obj *types.TypeName) string {
	switch {
	case isNamed(obj, "context", "Context"):
		return "ctx"
	case isNamed(obj, "", "error"): // of a list
		return "err"
	case isNamed(obj, "", "any"):
		return "v"
	}
	return lowerCamel(obj.Name())
}

func nameAfterBasic(t *types.Basic) string {
	switch info := t.Info(); {
	case info&types.IsString != 0:
		return "s"
	case info&types.IsBoolean != 0:
		return "ok"
	case t.Kind() == types.UnsafePointer:
		return "p"
	}
	return "n"
}

// nameAfterList is the plural of what a list holds.
func nameAfterList(elem types.Type) string {
	switch elem := elem.(type) {
	case *types.Slice, *types.Array:
		return nameAfter(elem)
	case *types.Basic:
		if elem.Kind() == types.Byte {
			return "data"
		}
		return "values"
	}
	name := nameAfter(elem)
	if stem, ok := strings.CutSuffix(name, "y"); ok && len(stem) > 1 {
		return stem + "ies"
	}
	if strings.HasSuffix(name, "s") {
		return name + "es"
	}
	return name + "s"
}

// lowerCamel is the unexported form of an identifier: Charge is charge, HTTPGet
// is httpGet, URL is url.
func lowerCamel(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) {
			break
		}
		if i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// joined lists words as a sentence does.
func joined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// isNamed reports whether obj is the type name of the package with that path; the
// path of predeclared types is empty.
func isNamed(obj *types.TypeName, path, name string) bool {
	if obj.Name() != name {
		return false
	}
	if obj.Pkg() == nil {
		return path == ""
	}
	return obj.Pkg().Path() == path
}
