package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A mutant is a file with a part of it replaced.
type mutant struct {
	target
	source   []byte
	from, to int // the bytes that are replaced
	text     string
	line     int
}

func (m mutant) apply() []byte {
	return append(append(append([]byte(nil), m.source[:m.from]...), m.text...), m.source[m.to:]...)
}

// describe says where and how the file was changed, on one line.
func (m mutant) describe(root string) string {
	path := m.path
	if absolute, err := filepath.Abs(root); err == nil {
		path = strings.TrimPrefix(path, absolute+"/")
	}
	was := strings.Join(strings.Fields(string(m.source[m.from:m.to])), " ")
	if m.text == "" {
		return fmt.Sprintf("%s:%d: left out %s", path, m.line, was)
	}
	return fmt.Sprintf("%s:%d: %s in place of %s", path, m.line, m.text, was)
}

// turned are the operators that a slip takes for each other.
var turned = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.INC: token.DEC, token.DEC: token.INC,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// mutants returns all changes of a file, in its order.
func mutants(t target) ([]mutant, error) {
	source, err := os.ReadFile(t.path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, t.path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{target: t, source: source, fset: fset}
	for _, decl := range file.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok && function.Body != nil {
			ast.Inspect(function.Body, f.visit)
		}
	}
	return f.found, nil
}

type finder struct {
	target
	source []byte
	fset   *token.FileSet
	found  []mutant
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.turn(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		f.turn(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			f.turn(n.TokPos, n.Tok)
		}
	case *ast.IfStmt:
		f.replace(n.Cond, "!("+f.text(n.Cond)+")")
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			f.replace(n, strconv.Itoa(number+1))
		}
	case *ast.Ident:
		if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
			f.replace(n, other)
		}
	case *ast.ExprStmt, *ast.DeferStmt:
		f.replace(n, "")
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN {
			f.replace(n, "")
		}
		f.turn(n.TokPos, n.Tok)
	}
	return true
}

func (f *finder) turn(pos token.Pos, op token.Token) {
	if other, ok := turned[op]; ok {
		from := f.fset.Position(pos).Offset
		f.add(pos, from, from+len(op.String()), other.String())
	}
}

func (f *finder) replace(n ast.Node, text string) {
	f.add(n.Pos(), f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset, text)
}

func (f *finder) add(pos token.Pos, from, to int, text string) {
	f.found = append(f.found, mutant{f.target, f.source, from, to, text, f.fset.Position(pos).Line})
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}
