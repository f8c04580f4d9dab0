package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// read returns what a file that asks wants. Its user reads the file once.
func (l *loader) read(file *File) *Wants {
	if file.wants == nil {
		wants := l.cfg.Hooks.Read(l.fset, file)
		file.wants = &wants
	}
	return file.wants
}

// addStandIns adds, for every file that asks, a source that declares what the
// output for the file is going to declare, as far as the package does not
// declare it itself.
func (l *loader) addStandIns(n *node) {
	for _, s := range n.sources {
		if !s.file.Asks {
			continue
		}
		var decls []byte
		for _, standIn := range l.read(s.file).StandIns {
			n.promised[standIn.Name] = true
			if n.units[standIn.Name] == nil {
				decls = append(decls, standIn.Text...)
			}
		}
		if len(decls) == 0 {
			continue
		}
		path := l.cfg.Hooks.OutputPath(s.file.Path)
		text := append(clauses(l.fset, s.file), decls...)
		syntax, err := parser.ParseFile(l.fset, path, text, parser.SkipObjectResolution)
		if err == nil {
			l.add(n, &File{Path: path, Src: text, Syntax: syntax}).standIn = true
		}
	}
}

// parsePlain parses a file for packages.Load: with stand-ins at its end, and
// with empty bodies, which no type depends on.
func (l *loader) parsePlain(fset *token.FileSet, path string, src []byte) (*ast.File, error) {
	if l.cfg.Hooks.Asks(src) && !l.cfg.Hooks.IsOutput(path, src) {
		file := l.fileAt(path, src)
		syntax, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil {
			file.Syntax = syntax
			src = append(slices.Clip(src), '\n')
			for _, standIn := range l.read(file).StandIns {
				src = append(src, standIn.Text...)
			}
		}
	}
	syntax, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err == nil {
		emptyBodies(syntax)
	}
	return syntax, err
}

// fileAt is the file of a folder that is searched, else a new one.
func (l *loader) fileAt(path string, src []byte) *File {
	for _, f := range l.folders {
		if file := f.file(path); file != nil && string(file.Src) == string(src) {
			return file
		}
	}
	return &File{Path: path, Src: src}
}

// clauses are the package clause and the imports of a file, as text.
func clauses(fset *token.FileSet, file *File) []byte {
	text := fmt.Appendf(nil, "package %s\n", file.Syntax.Name.Name)
	for _, decl := range file.Syntax.Decls {
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			text = append(text, file.Text(fset, group.Pos(), group.End())...)
			text = append(text, '\n')
		}
	}
	return text
}

// Text is the source between two places.
func (f *File) Text(fset *token.FileSet, from, to token.Pos) []byte {
	at := fset.File(f.Syntax.FileStart)
	return f.Src[at.Offset(from):at.Offset(to)]
}
