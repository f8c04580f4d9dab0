package generator

import (
	"go/ast"
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// constraintOf is the build constraint of a source file, which its output
// repeats: the written one, what the file's name implies, and cgo.
func constraintOf(file *load.File) string {
	var all []constraint.Expr
	if expr := writtenConstraint(file); expr != nil {
		all = append(all, expr)
	}
	for _, tag := range impliedTags(filepath.Base(file.Path)) {
		all = append(all, &constraint.TagExpr{Tag: tag})
	}
	for _, spec := range file.Syntax.Imports {
		if spec.Path.Value == `"C"` {
			all = append(all, &constraint.TagExpr{Tag: "cgo"})
			break
		}
	}
	if len(all) == 0 {
		return ""
	}
	expr := all[0]
	for _, next := range all[1:] {
		expr = &constraint.AndExpr{X: expr, Y: next}
	}
	return expr.String()
}

// writtenConstraint is that of the //go:build line, or else of the older
// // +build lines; nil if there is none. The older ones count only with a blank
// line below them, and above all block comments.
func writtenConstraint(file *load.File) constraint.Expr {
	var old constraint.Expr
	ended := false
	for _, group := range file.Syntax.Comments {
		if group.Pos() > file.Syntax.Package {
			break
		}
		ended = ended || group == file.Syntax.Doc || slices.ContainsFunc(group.List, isBlock)
		for _, comment := range group.List {
			expr, err := constraint.Parse(comment.Text)
			switch {
			case err != nil:
			case constraint.IsGoBuild(comment.Text):
				return expr
			case ended:
			case old == nil:
				old = expr
			default:
				old = &constraint.AndExpr{X: old, Y: expr}
			}
		}
	}
	return old
}

func isBlock(comment *ast.Comment) bool { return strings.HasPrefix(comment.Text, "/*") }

// impliedTags are the operating system and the architecture at the end of a
// file's name, by the rules of go/build.
func impliedTags(name string) []string {
	name, _, _ = strings.Cut(name, ".")
	name = strings.TrimSuffix(name, "_test")
	_, name, found := strings.Cut(name, "_") // what stands before is no tag
	if !found {
		return nil
	}
	parts := strings.Split(name, "_")
	last := parts[len(parts)-1]
	switch {
	case len(parts) > 1 && slices.Contains(systems, parts[len(parts)-2]) && slices.Contains(architectures, last):
		return parts[len(parts)-2:]
	case slices.Contains(systems, last), slices.Contains(architectures, last):
		return []string{last}
	}
	return nil
}

// The names that go/build knows in file names, past and future ones too. It
// does not export them; they are in internal/syslist.
var (
	systems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 " +
		"solaris wasip1 windows zos")
	architectures = strings.Fields("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 " +
		"mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
)
