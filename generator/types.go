package generator

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// printer prints types as they are spelled in an output of one package. It is
// used twice for each: first to see what the output mentions, then, when names
// are settled, to print.
type printer struct {
	home       home
	qualifier  func(*types.Package) string // the name of an imported package in the output
	unqualify  func(name string)           // is told every type name that is mentioned without a package
	typeParams map[*types.TypeParam]string // their names in the output
	unnameable func(what string)           // is told what cannot be spelled in the output: "needs …", "has …"
	written    []string                    // lengths that are printed as they are written, in their order
	trial      bool                        // spell types without names out, and see whether that can be done
}

// home is the package that an output belongs to.
type home struct {
	types   *types.Package
	path    string                           // without _test: decides what may be imported
	files   []*load.File                     // that the output is built with
	sees    func(types.Object) bool          // whether one of them declares what the package does
	aliases func() []*types.Alias            // of types that may have no other name here
	lengths func() map[*types.Array]ast.Expr // as they are written
	object  func(name ast.Expr) types.Object // that is mentioned in one
}

func (h home) owns(obj types.Object) bool { return obj.Pkg().Path() == h.types.Path() }

// importPath is how source code names a package: without the folder that it is
// vendored in.
func importPath(pkg *types.Package) string {
	path := pkg.Path()
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return path[i+len("/vendor/"):]
	}
	return path
}

// obstacle says what keeps the package from naming obj; it is empty if nothing
// does.
func (h home) obstacle(obj types.Object) string {
	switch {
	case obj.Pkg() == nil:
		if h.types.Scope().Lookup(obj.Name()) != nil {
			return "which the package hides by a declaration of its own"
		}
	case ofC(obj):
		return "which only cgo files can name; give it a name there with type T = " + spelled(obj)
	case h.owns(obj):
	case !obj.Exported():
		return "which is not exported"
	case obj.Pkg().Name() == "main" && obj.Pkg().Path() != h.path:
		return "which is in a package main"
	case !load.Importable(importPath(obj.Pkg()), h.path):
		return "which is in an internal package"
	}
	return ""
}

// findAliases finds, in the package and all that it imports, what else types are
// called that it cannot name. The nearest packages come first.
func (h home) findAliases() []*types.Alias {
	var found []*types.Alias
	seen := map[*types.Package]bool{h.types: true}
	for queue := []*types.Package{h.types}; len(queue) > 0; queue = queue[1:] {
		scope := queue[0].Scope()
		for _, name := range scope.Names() {
			if alias := h.aliasOfHidden(scope.Lookup(name)); alias != nil {
				found = append(found, alias)
			}
		}
		for _, pkg := range slices.SortedFunc(slices.Values(h.imports(queue[0])), byPath) {
			if !seen[pkg] {
				seen[pkg] = true
				queue = append(queue, pkg)
			}
		}
	}
	return found
}

// imports are the packages that pkg imports; of the output's own, those that the
// files of the output do.
func (h home) imports(pkg *types.Package) []*types.Package {
	if pkg != h.types {
		return pkg.Imports()
	}
	paths := names{}
	for _, file := range h.files {
		for _, spec := range file.Syntax.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			paths.add(path)
		}
	}
	return slices.DeleteFunc(slices.Clone(pkg.Imports()), func(dep *types.Package) bool { return !paths[importPath(dep)] })
}

func byPath(a, b *types.Package) int { return cmp.Compare(a.Path(), b.Path()) }

// aliasOfHidden is the alias that obj declares, if the package can name that but
// maybe not what it stands for.
func (h home) aliasOfHidden(obj types.Object) *types.Alias {
	alias, ok := obj.Type().(*types.Alias)
	if !ok || alias.Obj() != obj || !h.sees(obj) || h.obstacle(alias.Obj()) != "" {
		return nil
	}
	switch t := types.Unalias(alias).(type) {
	case *types.Basic, *types.TypeParam:
		return nil
	case *types.Named:
		if h.obstacle(t.Obj()) == "" {
			return nil
		}
	}
	return alias
}

// alias is what else the package can call a type, or call it by the name that is
// given; nil if there is nothing.
func (h home) alias(t types.Type, name string) *types.Alias {
	for _, alias := range h.aliases() {
		if name == "" || alias.Obj().Name() == name {
			if alias := standingFor(t, alias); alias != nil {
				return alias
			}
		}
	}
	return nil
}

// standingFor is the alias, with type arguments if it has parameters; nil if it
// does not stand for t.
func standingFor(t types.Type, alias *types.Alias) *types.Alias {
	if alias.TypeParams().Len() > 0 {
		args := inferred(t, alias)
		if args == nil {
			return nil
		}
		instance, err := types.Instantiate(nil, alias, args, true)
		if err != nil {
			return nil
		}
		alias = instance.(*types.Alias)
	}
	if !types.Identical(alias, t) {
		return nil
	}
	return alias
}

// inferred are the type arguments that may make t of a generic alias; nil if
// nothing does.
func inferred(t types.Type, alias *types.Alias) []types.Type {
	generic, _ := types.Unalias(alias).(*types.Named)
	named, _ := t.(*types.Named)
	if generic == nil || named == nil || generic.Origin() != named.Origin() {
		return nil
	}
	args := make([]types.Type, alias.TypeParams().Len())
	for i := range generic.TypeArgs().Len() {
		if param, ok := generic.TypeArgs().At(i).(*types.TypeParam); ok {
			args[param.Index()] = named.TypeArgs().At(i)
		}
	}
	if slices.Contains(args, nil) {
		return nil
	}
	return args
}

// code prints any type.
func (p *printer) code(t types.Type) *jen.Statement { return p.spelledOut(p.nameable(t)) }

func (p *printer) spelledOut(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case *types.Basic:
		return p.basic(t)
	case *types.Alias:
		return p.instance(t.Obj(), t.TypeArgs())
	case *types.Named:
		return p.instance(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return jen.Id(p.typeParam(t))
	case *types.Pointer:
		return jen.Op("*").Add(p.code(t.Elem()))
	case *types.Slice:
		return jen.Index().Add(p.code(t.Elem()))
	case *types.Array:
		return jen.Index(p.length(t)).Add(p.code(t.Elem()))
	case *types.Map:
		return jen.Map(p.code(t.Key())).Add(p.code(t.Elem()))
	case *types.Chan:
		return p.channel(t)
	case *types.Signature:
		return jen.Func().Add(p.signature(t))
	case *types.Struct:
		return p.structure(t)
	case *types.Interface:
		return p.iface(t)
	case *types.Union:
		return p.union(t)
	default:
		p.unnameable(fmt.Sprintf("is of the unknown kind %T", t))
		return jen.Id("_")
	}
}

// nameable looks through aliases that the output cannot name at what they stand
// for. All other aliases stay as they were written. A type that itself cannot be
// named becomes an alias of it that can.
func (p *printer) nameable(t types.Type) types.Type {
	for {
		alias, ok := t.(*types.Alias)
		if !ok || p.home.obstacle(alias.Obj()) == "" {
			break
		}
		t = alias.Rhs()
	}
	if !p.spells(t) {
		if alias := p.home.alias(t, ""); alias != nil {
			return alias
		}
	}
	return t
}

// spells reports whether the output can spell a type, other than by an alias of it.
func (p *printer) spells(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic, *types.Alias, *types.TypeParam:
		return true
	case *types.Named:
		return p.home.obstacle(t.Obj()) == ""
	}
	spells := true
	if !p.trial {
		trial := &printer{
			home:       p.home,
			qualifier:  (*types.Package).Name,
			unqualify:  func(string) {},
			unnameable: func(string) { spells = false },
			trial:      true,
		}
		trial.spelledOut(t)
	}
	return spells
}

// instance prints the name of a type, with its type arguments.
func (p *printer) instance(obj *types.TypeName, args *types.TypeList) *jen.Statement {
	name := p.typeName(obj)
	if args.Len() == 0 {
		return name
	}
	var list []jen.Code
	for arg := range args.Types() {
		list = append(list, p.code(arg))
	}
	return name.Types(list...)
}

func (p *printer) typeName(obj *types.TypeName) *jen.Statement {
	if why := p.home.obstacle(obj); why != "" {
		p.unnameable(fmt.Sprintf("needs %s, %s", spelled(obj), why))
	}
	return p.name(obj)
}

func (p *printer) name(obj types.Object) *jen.Statement {
	if obj.Pkg() == nil || p.home.owns(obj) {
		p.unqualify(obj.Name())
		return jen.Id(obj.Name())
	}
	return jen.Id(p.qualifier(obj.Pkg())).Dot(obj.Name())
}

// ofC reports whether cgo makes a type. The fast way of loading has it in a package C.
func ofC(obj types.Object) bool {
	return obj.Pkg().Path() == "C" || strings.HasPrefix(obj.Name(), "_Ctype_")
}

// spelled is how a message names a type: pkg.Name, and C.name for what cgo made.
func spelled(obj types.Object) string {
	if name, ok := strings.CutPrefix(obj.Name(), "_Ctype_"); ok {
		return "C." + name
	}
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Name() + "." + obj.Name()
}

func (p *printer) typeParam(t *types.TypeParam) string {
	if name, ok := p.typeParams[t]; ok {
		return name
	}
	return t.Obj().Name()
}

const needsUnknown = "needs a type that is not known"

func (p *printer) basic(t *types.Basic) *jen.Statement {
	switch t.Kind() {
	case types.UnsafePointer:
		return jen.Id(p.qualifier(types.Unsafe)).Dot("Pointer")
	case types.Invalid:
		p.unnameable(needsUnknown)
		return jen.Id("_")
	}
	return p.typeName(types.Universe.Lookup(p.synonym(t.Name())).(*types.TypeName))
}

// synonym is another name of the same predeclared type, if the package hides
// the usual one.
func (p *printer) synonym(name string) string {
	synonyms := map[string]string{"byte": "uint8", "uint8": "byte", "rune": "int32", "int32": "rune"}
	if other := synonyms[name]; other != "" && p.home.types.Scope().Lookup(name) != nil {
		return other
	}
	return name
}

func (p *printer) channel(t *types.Chan) *jen.Statement {
	elem := p.code(t.Elem())
	if inner, ok := p.nameable(t.Elem()).(*types.Chan); ok && inner.Dir() == types.RecvOnly {
		elem = jen.Parens(elem)
	}
	switch t.Dir() {
	case types.SendOnly:
		return jen.Chan().Op("<-").Add(elem)
	case types.RecvOnly:
		return jen.Op("<-").Chan().Add(elem)
	}
	return jen.Chan().Add(elem)
}

// signature prints parameters and results of a function type, with their names.
func (p *printer) signature(t *types.Signature) *jen.Statement {
	return signature(p.params(t.Params(), t.Variadic()), p.params(t.Results(), false))
}

func (p *printer) params(tuple *types.Tuple, variadic bool) []param {
	var list []param
	for v := range tuple.Variables() {
		last := len(list) == tuple.Len()-1
		list = append(list, p.param(v.Name(), v.Type(), variadic && last))
	}
	return list
}

// param prints a parameter; a variadic one as the type of its elements.
func (p *printer) param(name string, t types.Type, variadic bool) param {
	if variadic {
		t = t.(*types.Slice).Elem()
	}
	return param{Name: name, Type: p.expression(t), Variadic: variadic}
}

func (p *printer) expression(t types.Type) typeCode {
	from := len(p.written)
	code := p.code(t)
	return typeCode{code: code, identity: types.TypeString(t, nil) + strings.Join(p.written[from:], ",")}
}

func (p *printer) structure(t *types.Struct) *jen.Statement {
	var fields []jen.Code
	for i := range t.NumFields() {
		field := t.Field(i)
		if !field.Exported() && !p.home.owns(field) {
			p.unnameable(fmt.Sprintf("has a struct whose field %s only package %s can write", field.Name(), field.Pkg().Path()))
		}
		fields = append(fields, p.field(field, t.Tag(i)))
	}
	return elements("struct", fields)
}

func (p *printer) field(field *types.Var, tag string) *jen.Statement {
	var code *jen.Statement
	if field.Embedded() {
		code = p.embedded(field)
	} else {
		code = jen.Id(field.Name()).Add(p.code(field.Type()))
	}
	switch {
	case tag == "":
		return code
	case strconv.CanBackquote(tag):
		return code.Op("`" + tag + "`")
	}
	return code.Op(strconv.Quote(tag))
}

// embedded prints an embedded field. It is called like its type, so no other name
// will do for that.
func (p *printer) embedded(field *types.Var) *jen.Statement {
	t, star := field.Type(), ""
	if pointer, ok := t.(*types.Pointer); ok {
		t, star = pointer.Elem(), "*"
	}
	if t == types.Typ[types.Invalid] || t == types.Typ[types.UnsafePointer] { // Go embeds neither
		return p.code(types.Typ[types.Invalid])
	}
	if why := p.home.obstacle(nameOf(t)); why != "" {
		alias := p.home.alias(types.Unalias(t), field.Name())
		if alias == nil {
			p.unnameable(fmt.Sprintf("has a struct that embeds %s, %s", spelled(nameOf(t)), why))
			return jen.Id("_")
		}
		t = alias
	}
	return jen.Op(star).Add(p.code(t))
}

// nameOf is the declaration of a type that has a name.
func nameOf(t types.Type) *types.TypeName {
	if basic, ok := t.(*types.Basic); ok {
		return types.Universe.Lookup(basic.Name()).(*types.TypeName)
	}
	return t.(interface{ Obj() *types.TypeName }).Obj()
}

// iface prints an inline interface, or the bare union of a constraint.
func (p *printer) iface(t *types.Interface) *jen.Statement {
	if t.IsImplicit() && !startsWithPointer(t) {
		return p.code(t.EmbeddedType(0))
	}
	var elems []jen.Code
	for embedded := range t.EmbeddedTypes() {
		elems = append(elems, p.code(embedded))
	}
	for _, m := range inSourceOrder(t) {
		if !m.Exported() && !p.home.owns(m) {
			p.unnameable(fmt.Sprintf("has an interface whose method %s only package %s can write", m.Name(), m.Pkg().Path()))
		}
		elems = append(elems, jen.Id(m.Name()).Add(p.signature(m.Signature())))
	}
	return elements("interface", elems)
}

// startsWithPointer reports whether a constraint is one such as *int | string, which could be
// read as a product in a list of type parameters.
func startsWithPointer(t *types.Interface) bool {
	first := t.EmbeddedType(0)
	if union, ok := first.(*types.Union); ok {
		if union.Term(0).Tilde() {
			return false
		}
		first = union.Term(0).Type()
	}
	_, pointer := first.(*types.Pointer)
	return pointer
}

// inSourceOrder lists the methods that an interface declares itself.
func inSourceOrder(t *types.Interface) []*types.Func {
	return slices.SortedFunc(t.ExplicitMethods(), func(a, b *types.Func) int {
		return cmp.Compare(a.Pos(), b.Pos())
	})
}

func (p *printer) union(t *types.Union) *jen.Statement {
	var terms []jen.Code
	for term := range t.Terms() {
		code := p.code(term.Type())
		if term.Tilde() {
			code = jen.Op("~").Add(code)
		}
		terms = append(terms, code)
	}
	return jen.Union(terms...)
}
