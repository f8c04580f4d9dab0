package extract

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/words"
)

// writer settles what the interface has, and writes it.
type writer struct {
	Options
	prog   *program
	client *client
	dest   *destination
	name   string
	behind *behind // nil where the client can be named
	all    int     // methods of the client, before the choice
	notes  []string
}

// choose leaves the client the methods that are asked for.
func (w *writer) choose(searched []*packages.Package) error {
	w.name = cmp.Or(w.Name, defaultName(w.client.obj))
	if err := w.checkName(w.dest, w.name); err != nil {
		return err
	}
	if why := w.dest.hidden(w.client.obj); why != "" {
		if w.behind = w.client.field(w.dest); w.behind == nil {
			return fmt.Errorf("package %s cannot name %s", w.dest.name, why)
		}
	}
	w.all = len(w.client.methods)
	switch {
	case len(w.Methods) > 0:
		return w.chooseNamed()
	case len(w.Used) > 0:
		if err := w.chooseUsed(searched); err != nil {
			return err
		}
	default:
		w.noteFields(func(string) bool { return true })
	}
	if first := w.client.methods[0]; len(w.kept()) == 0 {
		return fmt.Errorf("no method of %s can be in an interface of package %s: %s needs %s",
			w.typeName(), w.dest.name, first.Name(), w.dest.obstacle(first.Signature()))
	}
	return nil
}

// kept are the methods that the file can spell.
func (w *writer) kept() (methods []*types.Func) {
	for _, m := range w.client.methods {
		if w.dest.obstacle(m.Signature()) == "" {
			methods = append(methods, m)
		}
	}
	return methods
}

// defaultName is the name of the type, with that of its package where many types
// of other packages are called alike.
func defaultName(obj *types.TypeName) string {
	if !slices.Contains(common, obj.Name()) {
		return upper(obj.Name())
	}
	clause := obj.Pkg().Name()
	if strings.EqualFold(clause, obj.Name()) {
		clause = strings.TrimSuffix(qualified(obj.Pkg().Path(), clause), clause)
	}
	return upper(clause) + obj.Name()
}

// upper is the exported form of a name: Redis, but HTTP and SQL.
func upper(clause string) string {
	if !strings.ContainsAny(clause, "aeiouy") {
		return strings.ToUpper(clause)
	}
	first, size := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + clause[size:]
}

var common = []string{
	"Client", "Clientset", "Conn", "Connection", "API", "ApiService", "APIService", "Service", "Session", "DB", "Database", "Pool", "SDK",
	"Channel", "Producer", "Consumer", "Reader", "Writer", "Cluster",
}

func (w *writer) chooseNamed() error {
	var names []string
	for _, m := range w.client.methods {
		names = append(names, m.Name())
	}
	for _, name := range w.Methods {
		if !slices.Contains(names, name) {
			return w.noMethod(name, names)
		}
	}
	w.keep(func(name string) bool { return slices.Contains(w.Methods, name) })
	for _, m := range w.client.methods {
		if why := w.dest.obstacle(m.Signature()); why != "" {
			return fmt.Errorf("-methods: %s of %s cannot be in an interface of package %s: it needs %s", m.Name(), w.typeName(), w.dest.name, why)
		}
	}
	return nil
}

// noMethod says what there is instead of a method.
func (w *writer) noMethod(name string, names []string) error {
	obj, _, _ := types.LookupFieldOrMethod(w.client.holder(), true, w.client.obj.Pkg(), name)
	switch obj := obj.(type) {
	case *types.Var:
		return fmt.Errorf("-methods: %s of %s is a field, and no interface has fields%s", name, w.typeName(), w.instead(obj))
	case *types.Func:
		return fmt.Errorf("-methods: %s of %s is not exported%s", name, w.typeName(), didYouMean(name, names))
	}
	return fmt.Errorf("-methods: %s has no method %s%s", w.typeName(), name, didYouMean(name, names))
}

// instead proposes the type of a field, if that is a client too.
func (w *writer) instead(field *types.Var) string {
	if typ, n := fieldClient(field); n > 0 {
		return fmt.Sprintf("; its type is a client of its own: %s.%s (%s)", typ.Pkg().Path(), typ.Name(), words.Count(n, "method"))
	}
	return ""
}

// fieldClient is the declaration of the type of a field and how many methods it
// has that return an error; zero if it is of another package.
func fieldClient(field *types.Var) (*types.TypeName, int) {
	named, ok := types.Unalias(deref(field.Type())).(*types.Named)
	if !ok || types.IsInterface(named) || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != field.Pkg().Path() {
		return nil, 0
	}
	n := 0
	for _, m := range exportedMethods(named) {
		if returnsError(m.Signature()) {
			n++
		}
	}
	return named.Obj(), n
}

func (w *writer) chooseUsed(searched []*packages.Package) error {
	u := &uses{client: w.client, names: map[string]bool{}, fields: map[string]bool{}}
	for _, pkg := range searched {
		c := w.prog.check(pkg)
		u.usedBy(c)
		if len(c.faults) > 0 {
			w.notes = append(w.notes, fmt.Sprintf("package %s does not compile, so calls in it may have been missed: %v", pkg.PkgPath, w.relative(c.faults[0])))
		}
	}
	w.noteFields(func(name string) bool { return u.fields[name] })
	w.keep(func(name string) bool { return u.names[name] })
	if len(w.client.methods) == 0 {
		return fmt.Errorf("-used: %s calls no method of %s", strings.Join(w.Used, " "), w.typeName())
	}
	return nil
}

// relative is an error of the type checker with its place as messages show it.
func (w *writer) relative(err error) error {
	e, ok := errors.AsType[types.Error](err)
	if !ok {
		return err
	}
	return errors.New(w.place(w.prog.position(e.Pos)) + ": " + e.Msg)
}

func (w *writer) keep(wanted func(name string) bool) {
	w.client.methods = slices.DeleteFunc(w.client.methods, func(m *types.Func) bool { return !wanted(m.Name()) })
}

// noteFields tells of fields by which other clients are reached.
func (w *writer) noteFields(wanted func(name string) bool) {
	structure, ok := w.client.t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	const few = 3
	var shown []string
	for field := range structure.Fields() {
		typ, n := fieldClient(field)
		if field.Exported() && !field.Embedded() && n > 0 && wanted(field.Name()) {
			shown = append(shown, fmt.Sprintf("%s (%s, %s)", field.Name(), typ.Name(), words.Count(n, "method")))
		}
	}
	if more := len(shown) - few; more > 0 {
		shown = append(shown[:few], fmt.Sprintf("%d more", more))
	}
	if len(shown) > 0 {
		w.notes = append(w.notes, fmt.Sprintf("an interface has no fields; clients of their own are behind %s: %s", w.typeName(), strings.Join(shown, ", ")))
	}
}

func (w *writer) typeName() string { return w.client.obj.Pkg().Name() + "." + w.client.obj.Name() }

// returnsError reports whether a method can return a refusal.
func returnsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type())
}
