package generator

import (
	"fmt"
	"slices"
	"strings"
)

// inventor writes random packages. Bytes of data decide everything, so that the
// fuzzer can vary one decision at a time; when they are used up, the first choice
// is taken.
type inventor struct {
	data     []byte
	imports  []string            // qualifiers that in.go imports
	types    []string            // local types without type parameters
	ifaces   []string            // local interfaces that can be embedded
	params   []string            // type parameters in scope
	declared map[string]struct{} // names at package level
	standIns []string            // functions that answer in place of methods
}

// nasty are names that generated code uses itself, or might like to.
var nasty = []string{
	"a", "w", "wrapper", "call", "guarded", "err", "failure", "next", "inner", "registry", "options", "wiring", "resilience",
	"context", "ctx", "money", "client", "spool", "nil", "error", "string", "any", "int", "true", "len", "T", "K", "V",
	"resgenresilience", "stdcontext", "s", "n", "v", "call2", "key", "Payments", "ResilientPayments", "std", "ok", "f",
}

// choose returns a number below n.
func (g *inventor) choose(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	b := g.data[0]
	g.data = g.data[1:]
	return int(b) % n
}

func (g *inventor) chance(percent int) bool { return g.choose(100) < percent }

func (g *inventor) oneOf(list []string) string { return list[g.choose(len(list))] }

// fresh is a nasty name that is not in used, and puts it there.
func (g *inventor) fresh(used map[string]struct{}) string {
	i := g.choose(len(nasty))
	for range nasty {
		name := nasty[i%len(nasty)]
		if _, taken := used[name]; !taken {
			used[name] = struct{}{}
			return name
		}
		i++
	}
	name := fmt.Sprint("x", len(used))
	used[name] = struct{}{}
	return name
}

// sources is a package of two files.
func (g *inventor) sources() map[string]string {
	g.declared = map[string]struct{}{}
	var in, other strings.Builder
	in.WriteString("package random\n\n")
	g.importBlock(&in)
	other.WriteString("package random\n\n")
	g.declarations(&other)
	for i := range 1 + g.choose(3) {
		g.iface(&in, i)
	}
	in.WriteString(strings.Join(g.standIns, ""))
	for _, qualifier := range g.imports {
		fmt.Fprintf(&in, "var _ %s\n", used(qualifier))
	}
	return map[string]string{"in.go": in.String(), "other.go": other.String()}
}

// used is a type of an import, which has to be used.
func used(qualifier string) string {
	if strings.HasPrefix(qualifier, "ctx:") {
		return strings.TrimPrefix(qualifier, "ctx:") + ".Context"
	}
	return qualifier + ".T"
}

func (g *inventor) importBlock(w *strings.Builder) {
	add := func(path, clause string) string {
		name := clause
		if _, taken := g.declared[name]; taken || g.chance(30) {
			name = g.fresh(g.declared)
		}
		g.declared[name] = struct{}{}
		fmt.Fprintf(w, "import %s %q\n", name, path)
		return name
	}
	g.imports = append(g.imports, "ctx:"+add("context", "context"))
	for range g.choose(4) {
		p := importable[g.choose(len(importable))]
		g.imports = append(g.imports, add(p.path, p.name))
	}
}

// declarations are types, variables and functions of the other file.
func (g *inventor) declarations(w *strings.Builder) {
	for range g.choose(8) {
		name := g.fresh(g.declared)
		switch g.choose(6) {
		case 0:
			fmt.Fprintf(w, "var %s = 1\n", name)
		case 1:
			fmt.Fprintf(w, "func %s() {}\n", name)
		case 2:
			fmt.Fprintf(w, "type %s = struct{ X bool }\n", name)
			g.types = append(g.types, name)
		case 3:
			fmt.Fprintf(w, "type %s interface{ Embed%s(%[1]s) (%[1]s, Error); other() }\n", name, name)
			g.types = append(g.types, name)
			g.ifaces = append(g.ifaces, name)
		default:
			fmt.Fprintf(w, "type %s struct{}\n", name)
			g.types = append(g.types, name)
		}
	}
	w.WriteString("type Error = interface{ Error() }\n")
	w.WriteString("type Box[P any] struct{ V P }\n")
}

func (g *inventor) iface(w *strings.Builder, i int) {
	name := []string{"Payments", "payments", "Shop"}[i]
	if _, taken := g.declared[name]; taken {
		return
	}
	g.declared[name] = struct{}{}
	g.params = nil
	w.WriteString("\n//resilience:breaker b\n")
	if g.chance(40) {
		w.WriteString("//resilience:timeout t\n//resilience:bulkhead h\n")
	}
	params := g.typeParams()
	fmt.Fprintf(w, "type %s%s interface {\n", name, params)
	for _, embedded := range g.embedded() {
		fmt.Fprintf(w, "\t%s\n", embedded)
	}
	methods := map[string]struct{}{"Embed": {}, "other": {}}
	for range 1 + g.choose(5) {
		g.method(w, methods, params == "")
	}
	w.WriteString("}\n")
}

func (g *inventor) typeParams() string {
	if !g.chance(40) {
		return ""
	}
	used := map[string]struct{}{}
	var list []string
	for range 1 + g.choose(3) {
		name := g.fresh(used)
		constraint := g.oneOf([]string{"any", "comparable", "~int | ~[]bool", "interface{ ~*bool; M() }", "*int | bool"})
		if len(list) == 0 && constraint == "*int | bool" {
			constraint = "interface{ *int | bool }"
		}
		if g.chance(10) {
			name = "_"
		} else {
			g.params = append(g.params, name)
		}
		list = append(list, name+" "+constraint)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// embedded are interfaces whose methods do not clash.
func (g *inventor) embedded() []string {
	var list []string
	if len(g.ifaces) > 0 && g.chance(40) {
		list = append(list, g.oneOf(g.ifaces))
	}
	if len(g.imports) > 1 && g.chance(40) {
		qualifier := g.oneOf(g.imports[1:])
		list = append(list, qualifier+".Client")
		if g.chance(50) {
			list = append(list, qualifier+".Source["+g.typ(1)+"]")
		}
	}
	return list
}

func (g *inventor) method(w *strings.Builder, methods map[string]struct{}, plain bool) {
	name := g.fresh(methods)
	if g.chance(70) {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if _, taken := methods[name]; taken && strings.ToUpper(name[:1]) == name[:1] {
		name += fmt.Sprint(len(methods))
	}
	methods[name] = struct{}{}
	used := map[string]struct{}{}
	params, named := g.variables(used, g.choose(4), true)
	results, _ := g.variables(used, g.choose(3), false)
	if g.chance(80) {
		results = g.withError(results, used)
	}
	if plain && g.chance(30) {
		g.fallback(w, methods, params, named, strings.Join(results, ", "))
	}
	if plain && len(params) > 0 && strings.HasSuffix(strings.Join(results, ","), "error") && g.chance(30) {
		g.key(w, methods, params, used)
	}
	fmt.Fprintf(w, "\t%s(%s) (%s)\n", name, strings.Join(params, ", "), strings.Join(results, ", "))
}

// fallback lets a method without type parameters fall back on a function whose name
// is in the way.
func (g *inventor) fallback(w *strings.Builder, methods map[string]struct{}, params []string, named bool, results string) {
	name := g.oneOf([]string{"call", "w", "err", "answer", "failure", "tries", "attempts", "guarded", "wrapper"})
	_, taken := g.declared[name]
	if _, isMethod := methods[name]; taken || isMethod {
		return
	}
	g.declared[name], methods[name] = struct{}{}, struct{}{}
	if _, hidden := g.declared["error"]; !hidden && g.chance(60) {
		params = withLast(params, named)
	}
	if !strings.Contains(strings.Join(params, ""), "chan") && g.chance(40) { // which a second attempt would find empty
		w.WriteString("\t//resilience:retry r\n")
	}
	fmt.Fprintf(w, "\t//resilience:fallback f with=%s\n", name)
	g.standIns = append(g.standIns, fmt.Sprintf("\nfunc %s(%s) (%s) { panic(0) }\n", name, strings.Join(params, ", "), results))
}

// key lets calls have the key that a function makes of their first parameters. Its name
// is in the way.
func (g *inventor) key(w *strings.Builder, methods map[string]struct{}, params []string, used map[string]struct{}) {
	name := g.oneOf([]string{"guard", "guarding", "call", "w", "err", "key", "tries", "resilience"})
	_, taken := g.declared[name]
	_, isMethod := methods[name]
	_, isVariable := used[name]
	_, noString := g.declared["string"]
	_, noError := g.declared["error"]
	if taken || isMethod || isVariable || noString || noError {
		return
	}
	g.declared[name], methods[name] = struct{}{}, struct{}{}
	fmt.Fprintf(w, "\t//resilience:bulkhead k by=%s\n", name)
	params = params[:1+g.choose(len(params))]
	g.standIns = append(g.standIns, fmt.Sprintf("\nfunc %s(%s) string { return `key` }\n", name, strings.Join(params, ", ")))
}

// withLast are parameters with an error behind them. Before it the values of a
// variadic one are a slice.
func withLast(params []string, named bool) []string {
	failure := "error"
	if named {
		failure = "_ error"
	}
	params = append(slices.Clone(params), failure)
	if len(params) == 1 {
		return params
	}
	last := &params[len(params)-2]
	name, typ, _ := strings.Cut(*last, " ")
	switch {
	case strings.HasPrefix(*last, "..."):
		*last = "[]" + strings.TrimPrefix(*last, "...")
	case named && strings.HasPrefix(typ, "..."):
		*last = name + " []" + strings.TrimPrefix(typ, "...")
	}
	return params
}

// withError adds a last result of the universe's error, if nothing hides that.
func (g *inventor) withError(results []string, used map[string]struct{}) []string {
	if len(results) == 0 && g.chance(60) {
		return []string{"error"}
	}
	return append(results, g.fresh(used)+" error")
}

// variables are parameters or results, all with names or all without.
func (g *inventor) variables(used map[string]struct{}, n int, variadic bool) (list []string, named bool) {
	named = g.chance(70) || !variadic
	for i := range n {
		t := g.typ(2)
		if variadic && i == n-1 && g.chance(30) {
			t = "..." + t
		}
		switch {
		case !named:
			list = append(list, t)
		case g.chance(15):
			list = append(list, "_ "+t)
		default:
			list = append(list, g.fresh(used)+" "+t)
		}
	}
	return list, named
}

// typ is a random type; depth bounds how far it is composed.
func (g *inventor) typ(depth int) string {
	if depth == 0 || g.chance(40) {
		return g.simple()
	}
	elem := func() string { return g.typ(depth - 1) }
	switch g.choose(14) {
	case 0:
		return "*" + elem()
	case 1:
		return "[]" + elem()
	case 2:
		return "[2 + 1]" + elem()
	case 3:
		return "map[[2]bool]" + elem()
	case 4:
		return "chan (" + elem() + ")"
	case 5:
		return "<-chan (" + elem() + ")"
	case 6:
		return "chan<- (" + elem() + ")"
	case 7:
		return "func(" + elem() + ", ..." + elem() + ") " + elem()
	case 8:
		return "func(call " + elem() + ") (w " + elem() + ", _ " + elem() + ")"
	case 9:
		return "struct{ A " + elem() + "; b " + elem() + " `tag:\"x\"` }"
	case 10:
		return "struct{ " + g.oneOf(append([]string{"bool"}, g.types...)) + " }"
	case 11:
		return "interface{ Do(" + elem() + "); do() " + elem() + " }"
	case 12:
		return "Box[" + elem() + "]"
	}
	return g.foreign(elem)
}

func (g *inventor) foreign(elem func() string) string {
	if len(g.imports) < 2 {
		return strings.TrimPrefix(g.imports[0], "ctx:") + ".Context"
	}
	qualifier := g.oneOf(g.imports[1:])
	switch g.choose(4) {
	case 0:
		return qualifier + ".Msg[" + elem() + "]"
	case 1:
		return qualifier + ".Set[[1]bool]"
	case 2:
		return qualifier + ".Alias"
	}
	return qualifier + ".Opaque"
}

// simple is a type with a name of its own.
func (g *inventor) simple() string {
	choices := slices.Concat(g.types, g.params, []string{
		"string", "bool", "int", "error", "any", "[]byte", "rune", "uintptr", "interface{}", "struct{}",
		strings.TrimPrefix(g.imports[0], "ctx:") + ".Context",
	})
	return g.oneOf(choices)
}
