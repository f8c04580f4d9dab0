package extract

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/nearest"
	"github.com/resgen-go/resgen/internal/words"
)

// client is the type that an interface is written for.
type client struct {
	obj     *types.TypeName
	t       types.Type // its declared or, if it is generic, instantiated with its own type parameters
	params  []*types.TypeParam
	methods []*types.Func // exported, as a reader of the source meets them
}

// split takes PKG.TYPE apart. Without a package, the type is one of the current
// folder.
func split(name string) (pkg, typ string) {
	slash := strings.LastIndex(name, "/")
	dot := strings.LastIndex(name, ".")
	switch {
	case dot > slash && !strings.HasSuffix(name, "..") && name[dot+1:] != "":
		return cmp.Or(name[:dot], "."), name[dot+1:]
	case slash < 0 && token.IsIdentifier(name):
		return ".", name
	}
	return name, ""
}

// find finds the type.
func (o *Options) find(prog *program, pkg *packages.Package, name string) (*client, error) {
	scope := prog.check(pkg).types.Scope()
	obj := scope.Lookup(name)
	typeName, isType := obj.(*types.TypeName)
	switch {
	case obj == nil:
		return nil, fmt.Errorf("there is no type %s in package %s%s", name, pkg.PkgPath, o.orClients(name, scope))
	case !isType:
		return nil, fmt.Errorf("%s at %s is no type, but a %s%s", name, o.place(prog.position(obj.Pos())), kindOf(obj), o.orClients(name, scope))
	}
	c, err := newClient(typeName)
	if err != nil {
		return nil, fmt.Errorf("%s at %s %w", name, o.place(prog.position(obj.Pos())), err)
	}
	prog.sort(c)
	return c, nil
}

func kindOf(obj types.Object) string {
	switch obj.(type) {
	case *types.Func:
		return "function"
	case *types.Const:
		return "constant"
	}
	return "variable"
}

func newClient(obj *types.TypeName) (*client, error) {
	c := &client{obj: obj, t: obj.Type()}
	if alias, ok := c.t.(*types.Alias); ok && alias.TypeParams().Len() > 0 {
		return nil, errors.New("is an alias with type parameters; name the type that it stands for")
	}
	if named, ok := c.t.(*types.Named); ok && named.TypeParams().Len() > 0 {
		var args []types.Type
		for param := range named.TypeParams().TypeParams() {
			c.params, args = append(c.params, param), append(args, param)
		}
		c.t, _ = types.Instantiate(nil, named, args, false) // only a validation fails
	}
	c.methods = exportedMethods(c.t)
	if len(c.methods) == 0 {
		return nil, errors.New("has no exported methods")
	}
	return c, nil
}

// holder is the type whose method set holds all methods: a pointer, but for
// interfaces.
func (c *client) holder() types.Type {
	if types.IsInterface(c.t) {
		return c.t
	}
	return types.NewPointer(c.t)
}

// behind is a field by which a client is reached whose type others cannot name.
type behind struct {
	of    types.Type
	field *types.Var
}

// field finds one in the structs of the client's package.
func (c *client) field(dest *destination) *behind {
	scope := c.obj.Pkg().Scope()
	for _, name := range scope.Names() {
		obj, _ := scope.Lookup(name).(*types.TypeName)
		if obj == nil || dest.hidden(obj) != "" || obj.Type().(interface{ TypeParams() *types.TypeParamList }).TypeParams().Len() > 0 {
			continue
		}
		structure, ok := obj.Type().Underlying().(*types.Struct)
		for i := 0; ok && i < structure.NumFields(); i++ {
			if field := structure.Field(i); field.Exported() && types.Identical(types.Unalias(deref(field.Type())), c.t) {
				return &behind{obj.Type(), field}
			}
		}
	}
	return nil
}

func exportedMethods(t types.Type) (methods []*types.Func) {
	if !types.IsInterface(t) {
		t = types.NewPointer(types.Unalias(t))
	}
	for selection := range types.NewMethodSet(t).Methods() {
		if fn := selection.Obj().(*types.Func); fn.Exported() {
			methods = append(methods, fn)
		}
	}
	return methods
}

// sort brings the methods into the order of the source: those of the type's own
// package first, then by file and line.
func (p *program) sort(c *client) {
	slices.SortStableFunc(c.methods, func(a, b *types.Func) int {
		if own := c.obj.Pkg(); (a.Pkg() == own) != (b.Pkg() == own) {
			if a.Pkg() == own {
				return -1
			}
			return 1
		}
		x, y := p.position(a.Pos()), p.position(b.Pos())
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Offset, y.Offset))
	})
}

// orClients is the type that was meant or, if none is like it, those of the
// package that have the most methods.
func (o *Options) orClients(name string, scope *types.Scope) string {
	if meant := didYouMean(name, typesWithMethods(scope)); meant != "" {
		return meant
	}
	return clientsOf(scope)
}

func clientsOf(scope *types.Scope) string {
	const few = 3
	all := typesWithMethods(scope)
	var shown []string
	for _, name := range all[:min(few, len(all))] {
		count := len(exportedMethods(scope.Lookup(name).Type()))
		shown = append(shown, fmt.Sprintf("%s (%s)", name, words.Count(count, "method")))
	}
	if len(all) > few {
		shown = append(shown, fmt.Sprintf("%d more", len(all)-few))
	}
	if len(shown) == 0 {
		return "; it has no type with methods"
	}
	return "; it has " + strings.Join(shown, ", ")
}

// typesWithMethods are the exported types of a package that have exported
// methods, those with the most first.
func typesWithMethods(scope *types.Scope) []string {
	count := map[string]int{}
	var names []string
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		if count[name] = len(exportedMethods(obj.Type())); count[name] > 0 {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return names
}

func didYouMean(name string, valid []string) string {
	if meant, ok := nearest.Name(name, valid); ok {
		return "; did you mean " + meant + "?"
	}
	return ""
}

// noPackage is what is wrong with a package that the go command can't load, with
// those that may have been meant.
func (o *Options) noPackage(pkg *packages.Package, path string) error {
	said := o.told(pkg)
	like := o.packagesLike(path)
	switch {
	case len(like) == 0:
		return errors.New(said)
	case strings.Contains(said, "\n"):
		said += "\nOr did"
	default:
		said += "; did"
	}
	return fmt.Errorf("%s you mean %s?", said, strings.Join(like, " or "))
}

// told is what the go command says of a package, with paths that are relative to
// the folder.
func (o *Options) told(pkg *packages.Package) string {
	if len(pkg.Errors) == 0 {
		return "package " + pkg.ID + " has no Go files"
	}
	said := strings.TrimSpace(pkg.Errors[0].Msg)
	if name, ok := strings.CutPrefix(said, "package "); ok && strings.Contains(name, " is not in std ") {
		name, _, _ = strings.Cut(name, " ")
		return "there is no package " + name
	}
	return strings.ReplaceAll(said, o.Dir+string(filepath.Separator), "")
}

// packagesLike are the packages of the module, or of those that it requires, that
// are called by that name or, if none is, the one whose path is like it.
func (o *Options) packagesLike(name string) (called []string) {
	patterns := []string{"./..."}
	for _, module := range o.required() {
		patterns = append(patterns, module+"/...")
	}
	listed, err := o.listAs(packages.NeedName|packages.NeedFiles, patterns...)
	if err != nil {
		return nil
	}
	var all []string
	for _, pkg := range listed {
		if pkg.PkgPath == "" || pkg.Name == "main" || strings.Contains(pkg.PkgPath+"/", "/internal/") {
			continue
		}
		path := pkg.PkgPath
		if below, err := filepath.Rel(o.Dir, pkg.Dir); err == nil && strings.HasPrefix(name, "./") {
			path = "./" + filepath.ToSlash(below)
		}
		all = append(all, path)
		if pkg.Name == name {
			called = append(called, path)
		}
	}
	if meant, ok := nearest.Name(name, all); ok && len(called) == 0 {
		called = append(called, meant)
	}
	return called
}
