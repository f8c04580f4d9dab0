package load

import (
	"cmp"
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
		targets := annotated(s.file.Syntax)
		for _, t := range targets {
			typ, constructor := t.names()
			n.promised[typ], n.promised[constructor] = true, true
		}
		text := standIns(l.fset, s.file, targets, taken)
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
			text := standIns(fset, &File{Path: path, Src: src, Syntax: syntax}, annotated(syntax), none)
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

// standIns are the declarations that stand in for the wrappers of the targets
// in a file, as text.
func standIns(fset *token.FileSet, file *File, targets []target, taken func(string) bool) []byte {
	var decls []byte
	for _, t := range targets {
		typ, constructor := t.names()
		params, args := typeParams(fset, file, t.spec)
		of := t.spec.Name.Name + args
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

// A target is a type with a directive on itself or on a method.
type target struct {
	spec    *ast.TypeSpec
	wrapper string // the NAME of its wrapper directive, or empty
}

func (t target) names() (typ, constructor string) { return Names(t.spec.Name.Name, t.wrapper) }

// annotated are the types at package level that an output is going to have a
// wrapper for.
func annotated(file *ast.File) []target {
	var targets []target
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			from := group.Pos()
			if group.Lparen.IsValid() {
				from = spec.Pos()
			}
			if doc := docOf(group, spec); doc != nil {
				from = doc.Pos()
			}
			if has, wrapper := annotations(file, from, spec.End()); has {
				targets = append(targets, target{spec, wrapper})
			}
		}
	}
	return targets
}

func docOf(group *ast.GenDecl, spec *ast.TypeSpec) *ast.CommentGroup {
	if spec.Doc != nil || group.Lparen.IsValid() {
		return spec.Doc
	}
	return group.Doc
}

// annotations says whether there is a directive between two positions, and
// which name a wrapper directive there gives.
func annotations(file *ast.File, from, to token.Pos) (has bool, wrapper string) {
	first, _ := slices.BinarySearchFunc(file.Comments, from, func(g *ast.CommentGroup, at token.Pos) int { return cmp.Compare(g.Pos(), at) })
	for _, group := range file.Comments[first:] {
		if group.Pos() >= to {
			break
		}
		for _, comment := range group.List {
			if d, ok := ast.ParseDirective(comment.Slash, comment.Text); ok && d.Tool == directives.Tool {
				has, wrapper = true, cmp.Or(wrapperName(d, file.Name.Name), wrapper)
			}
		}
	}
	return has, wrapper
}

// wrapperName is the name that a directive gives a wrapper of package pkg;
// empty if it gives none that can be declared.
func wrapperName(d ast.Directive, pkg string) string {
	args, err := d.ParseArgs()
	if err != nil || d.Name != directives.Wrapper || len(args) == 0 || directives.NoWrapper(args[0].Arg, pkg) != "" {
		return ""
	}
	return args[0].Arg
}
