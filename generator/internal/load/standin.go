package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
)

// addStandIns adds, for every file that asks, a source that declares what our
// output for the file is going to declare, as far as the package does not
// declare it itself.
func (l *loader) addStandIns(n *node) {
	taken := func(name string) bool { return n.units[name] != nil }
	for _, s := range n.sources {
		if !s.file.Asks {
			continue
		}
		s.annotated = annotated(l.fset, s.file)
		for _, i := range s.annotated {
			typ, constructor := wrapperOf(i)
			n.promised[typ], n.promised[constructor] = true, true
		}
		text := standIns(l.fset, s.file, s.annotated, taken)
		if len(text) == 0 {
			continue
		}
		path := OutputPath(s.file.Path)
		text = append(clauses(l.fset, s.file), text...)
		syntax, err := parser.ParseFile(l.fset, path, text, parser.SkipObjectResolution)
		if err == nil {
			l.add(n, &File{Path: path, Src: text, Syntax: syntax}).standIn = true
		}
	}
}

// parsePlain parses a file for packages.Load: with stand-ins at its end, and
// with empty bodies, which no type depends on.
func parsePlain(fset *token.FileSet, path string, src []byte) (*ast.File, error) {
	if directives.Asks(src) && !IsOutput(path, src) {
		if syntax, err := parser.ParseFile(fset, path, src, parser.ParseComments); err == nil {
			none := func(string) bool { return false }
			file := &File{Path: path, Src: src, Syntax: syntax}
			text := standIns(fset, file, annotated(fset, file), none)
			src = slices.Concat(src, []byte("\n"), text)
		}
	}
	syntax, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err == nil {
		for _, decl := range syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				f.Body.List = nil
			}
		}
	}
	return syntax, err
}

// annotated are the interfaces in a file that have directives, and the types
// whose only one is at fault: where their wrapper is mentioned, that is not the
// mistake.
func annotated(fset *token.FileSet, file *File) []directives.Interface {
	all, faults := directives.Parse(fset, file.Syntax, file.Src)
	if len(faults) == 0 {
		return all
	}
	line := func(pos token.Pos) int { return directives.Position(fset, pos).Line }
	for _, decl := range file.Syntax.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			known := slices.ContainsFunc(all, func(i directives.Interface) bool { return i.Spec == spec })
			from, to := line(begin(group, spec)), line(spec.End())
			within := func(f directives.Fault) bool { return from <= f.Position.Line && f.Position.Line <= to }
			if !known && slices.ContainsFunc(faults, within) {
				all = append(all, directives.Interface{Spec: spec})
			}
		}
	}
	return all
}

// begin is where a type begins, with its doc comment.
func begin(group *ast.GenDecl, spec *ast.TypeSpec) token.Pos {
	switch {
	case spec.Doc != nil:
		return spec.Doc.Pos()
	case !group.Lparen.IsValid() && group.Doc != nil:
		return group.Doc.Pos()
	}
	return spec.Pos()
}

// standIns are the declarations that stand in for the wrappers of the annotated
// interfaces in a file, as text.
func standIns(fset *token.FileSet, file *File, annotated []directives.Interface, taken func(string) bool) []byte {
	var decls []byte
	for _, i := range annotated {
		typ, constructor := wrapperOf(i)
		params, args := typeParams(fset, file, i.Spec)
		of := i.Spec.Name.Name + args
		if !taken(typ) {
			decls = fmt.Appendf(decls, "type %s%s struct{ %s }\n", typ, params, of)
		}
		if !taken(constructor) {
			decls = fmt.Appendf(decls, "func %s%s(next %s, registry any) (*%s%s, error)\n", constructor, params, of, typ, args)
		}
	}
	return decls
}

// clauses are the package clause and the imports of a file, as text.
func clauses(fset *token.FileSet, file *File) []byte {
	text := fmt.Appendf(nil, "package %s\n", file.Syntax.Name.Name)
	for _, decl := range file.Syntax.Decls {
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			text = append(text, textOf(fset, file, group.Pos(), group.End())...)
			text = append(text, '\n')
		}
	}
	return text
}

func textOf(fset *token.FileSet, file *File, from, to token.Pos) []byte {
	at := fset.File(file.Syntax.FileStart)
	return file.Src[at.Offset(from):at.Offset(to)]
}

// typeParams are the type parameters of a type as text, and its type arguments
// where it is used with them.
func typeParams(fset *token.FileSet, file *File, spec *ast.TypeSpec) (params, args string) {
	if spec.TypeParams == nil {
		return "", ""
	}
	var names []string
	for _, field := range spec.TypeParams.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	params = string(textOf(fset, file, spec.TypeParams.Pos(), spec.TypeParams.End()))
	return params, "[" + strings.Join(names, ", ") + "]"
}

// wrapperOf are the names that an output declares for an interface.
func wrapperOf(i directives.Interface) (typ, constructor string) {
	named, _ := i.Directives.Get(directives.Wrapper)
	return Names(i.Spec.Name.Name, named.Name.Text)
}
