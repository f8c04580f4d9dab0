package extract

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// speller spells types for one file.
type speller struct {
	dest  *destination
	names map[string]string // of imported packages, by path; empty until they are settled
	need  map[string]*types.Package
	blank []string // paths of packages that only directives name
}

func (s *speller) spell(t types.Type) string { return types.TypeString(t, s.qualifier) }

// qualifier is the name of a package, and notes that it is needed.
func (s *speller) qualifier(pkg *types.Package) string {
	if pkg.Path() == s.dest.path {
		return ""
	}
	s.need[pkg.Path()] = pkg
	if name := s.names[pkg.Path()]; name != "" {
		return name
	}
	return pkg.Name()
}

// settle gives names to all packages that are needed: none is called like what
// the package declares, or what is taken in the interface itself.
func (s *speller) settle(taken ...string) {
	used := map[string]bool{"init": true}
	for name := range s.dest.declared {
		used[name] = true
	}
	for _, name := range slices.Concat(types.Universe.Names(), taken) {
		used[name] = true
	}
	for _, p := range slices.Sorted(maps.Keys(s.need)) {
		name := free(used, s.need[p].Name(), qualified(p, s.need[p].Name()))
		used[name], s.names[p] = true, name
	}
}

// free is the first name that is not used, or the last one with a number.
func free(used map[string]bool, candidates ...string) string {
	for _, name := range candidates {
		if !used[name] {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := fmt.Sprint(candidates[len(candidates)-1], i); !used[name] {
			return name
		}
	}
}

// qualified says where a package is, such as dockerclient.
func qualified(importPath, clause string) string {
	for dir := path.Dir(importPath); dir != "."; dir = path.Dir(dir) {
		word := strings.ToLower(noLetter.ReplaceAllString(path.Base(dir), ""))
		if token.IsIdentifier(word) && word != clause && !majorVersion.MatchString(path.Base(dir)) {
			return word + clause
		}
	}
	return "std" + clause
}

// imports is the import declaration, with the standard library first.
func (s *speller) imports() string {
	var standard, others []string
	for _, p := range slices.Sorted(maps.Keys(s.need)) {
		spec := fmt.Sprintf("%q\n", p)
		if name := s.names[p]; name != assumedName(p) || name != s.need[p].Name() {
			spec = name + " " + spec
		}
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
			others = append(others, spec)
		} else {
			standard = append(standard, spec)
		}
	}
	for _, p := range s.blank {
		others = append(others, fmt.Sprintf("_ %q\n", p))
	}
	switch all := slices.Concat(standard, others); len(all) {
	case 0:
		return ""
	case 1:
		return "import " + all[0] + "\n"
	}
	return "import (\n" + strings.Join(standard, "") + "\n" + strings.Join(others, "") + ")\n\n"
}

// assumedName is the package name that readers expect behind a path.
func assumedName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	return dottedVersion.ReplaceAllString(base, "")
}

var (
	majorVersion  = regexp.MustCompile(`^v[0-9]+$`)
	dottedVersion = regexp.MustCompile(`\.v[0-9]+$`)
)

// signature spells parameters and results; neighbours of one type share it.
func (s *speller) signature(sig *types.Signature) string {
	results := s.tuple(sig.Results(), false)
	if r := sig.Results(); r.Len() == 0 || r.Len() == 1 && r.At(0).Name() == "" {
		results = strings.Trim(results, "()")
		if r.Len() == 1 {
			results = s.spell(r.At(0).Type())
		}
	}
	return strings.TrimSpace(s.tuple(sig.Params(), sig.Variadic()) + " " + results)
}

func (s *speller) tuple(tuple *types.Tuple, variadic bool) string {
	var list []string
	for i := range tuple.Len() {
		v := tuple.At(i)
		t := s.spell(v.Type())
		if variadic && i == tuple.Len()-1 {
			t = "..." + s.spell(v.Type().(*types.Slice).Elem())
		}
		shared := v.Name() != "" && i+1 < tuple.Len() && types.Identical(v.Type(), tuple.At(i+1).Type()) &&
			t == s.spell(tuple.At(i+1).Type()) && !(variadic && i+1 == tuple.Len()-1)
		switch {
		case shared:
			list = append(list, v.Name())
		default:
			list = append(list, strings.TrimSpace(v.Name()+" "+t))
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// obstacle is why the file cannot spell a type; empty if it can.
func (d *destination) obstacle(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.Invalid {
			return "a type that is not known"
		}
	case *types.Alias:
		return cmp.Or(d.hidden(t.Obj()), d.obstacles(t.TypeArgs().Types()))
	case *types.Named:
		return cmp.Or(d.hidden(t.Obj()), d.obstacles(t.TypeArgs().Types()))
	case *types.Map:
		return cmp.Or(d.obstacle(t.Key()), d.obstacle(t.Elem()))
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return d.obstacle(t.Elem())
	case *types.Signature:
		return cmp.Or(d.ofTuple(t.Params()), d.ofTuple(t.Results()))
	case *types.Struct:
		return d.ofStruct(t)
	case *types.Interface:
		return d.ofInterface(t)
	case *types.Union:
		for term := range t.Terms() {
			if why := d.obstacle(term.Type()); why != "" {
				return why
			}
		}
	}
	return ""
}

func (d *destination) obstacles(list func(func(types.Type) bool)) string {
	for t := range list {
		if why := d.obstacle(t); why != "" {
			return why
		}
	}
	return ""
}

// hidden is why the file cannot name something.
func (d *destination) hidden(obj *types.TypeName) string {
	pkg := obj.Pkg()
	if pkg == nil || pkg.Path() == d.path {
		return ""
	}
	name := pkg.Name() + "." + obj.Name()
	switch {
	case pkg.Path() == "C":
		return "the C type " + obj.Name()
	case !obj.Exported():
		return name + ", which is not exported"
	case pkg.Name() == "main":
		return name + ", which is in a package main"
	case !importable(pkg.Path(), d.path):
		return name + ", which is in an internal package"
	}
	return ""
}

// importable reports whether Go lets the package from import path.
func importable(path, from string) bool {
	if strings.HasPrefix(path, "vendor/") { // what the standard library vendors
		return false
	}
	if i := strings.LastIndex("/"+path+"/", "/internal/"); i >= 0 {
		parent := strings.TrimSuffix(path[:i], "/")
		return parent != "" && strings.HasPrefix(from+"/", parent+"/")
	}
	return true
}

func (d *destination) ofTuple(tuple *types.Tuple) string {
	for v := range tuple.Variables() {
		if why := d.obstacle(v.Type()); why != "" {
			return why
		}
	}
	return ""
}

func (d *destination) ofStruct(t *types.Struct) string {
	for f := range t.Fields() {
		if !f.Exported() && f.Pkg().Path() != d.path {
			return "a struct with the field " + f.Name() + ", which only package " + f.Pkg().Name() + " can write"
		}
		if why := d.obstacle(f.Type()); why != "" {
			return why
		}
	}
	return ""
}

func (d *destination) ofInterface(t *types.Interface) string {
	for m := range t.ExplicitMethods() {
		if !m.Exported() && m.Pkg().Path() != d.path {
			return "an interface with the method " + m.Name() + ", which only package " + m.Pkg().Name() + " can write"
		}
		if why := d.obstacle(m.Signature()); why != "" {
			return why
		}
	}
	return d.obstacles(t.EmbeddedTypes())
}
