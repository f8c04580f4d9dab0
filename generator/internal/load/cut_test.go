package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var cuts = []struct{ name, src, want string }{
	{"a body is emptied and its newlines stay", "package p\n\nfunc f() {\n\tx()\n}\n\nvar v int\n", "package p\n\nfunc f() {\n\n}\n\nvar v int\n"},
	{"a method is cut", "package p\nfunc (t *T[K]) f(x int) (y error) { return nil }", "package p\nfunc (t *T[K]) f(x int) (y error) {}"},
	{"the braces of an interface or a struct in a signature are no body", "package p\nfunc f() interface{ M() } { return nil }\nfunc g() map[string]struct{} { return nil }", "package p\nfunc f() interface{ M() } {}\nfunc g() map[string]struct{} {}"},
	{"the constraint of a type parameter is no body", "package p\nfunc f[T interface{ ~int }](x struct{ y int }) { x() }", "package p\nfunc f[T interface{ ~int }](x struct{ y int }) {}"},
	{"braces in strings, runes and comments do not count", "package p\nfunc f() { _ = \"}\" + `}` + \"\\\"}\"; _ = '}'; _ = '\\''; /* } */ // }\n}\nvar v int", "package p\nfunc f() {\n}\nvar v int"},
	{"a function without a body stays", "package p\nfunc f()\nvar v = T{1}\nfunc g() int; var w = T{1}", "package p\nfunc f()\nvar v = T{1}\nfunc g() int; var w = T{1}"},
	{"a function literal stays", "package p\nvar f =\nfunc() int { return 1 }\ntype g func() struct{ x int }\ntype c chan\nfunc() struct{}", "package p\nvar f =\nfunc() int { return 1 }\ntype g func() struct{ x int }\ntype c chan\nfunc() struct{}"},
	{"two functions on one line are cut", "package p; func f() { x()\n }; func g() { y() }", "package p; func f() {\n}; func g() {}"},
	{"a comment of many lines ends a declaration as a newline does", "package p /*\n*/ func f() { x() } /*\n*/ func g() { y() }", "package p /*\n*/ func f() {} /*\n*/ func g() {}"},
	{"carriage returns are blanks", "package p\r\n\r\nfunc f() {\r\n\tx()\r\n}\r\n", "package p\r\n\r\nfunc f() {\n\n}\r\n"},
	{"a function behind a string is cut", "package p\nvar v = \"a\"\nfunc f() { x() }", "package p\nvar v = \"a\"\nfunc f() {}"},
	{"source with an open brace stays", "package p\nfunc f() { if x {\n}\nvar v int", "package p\nfunc f() { if x {\n}\nvar v int"},
	{"source with an open string stays", "package p\nfunc f() { x(\"}) }\nvar v int", "package p\nfunc f() { x(\"}) }\nvar v int"},
	{"source with a string that its line ends stays", "package p\nfunc f() { x(\"a\n) }\nvar v int", "package p\nfunc f() { x(\"a\n) }\nvar v int"},
	{"source with an open raw string stays", "package p\nfunc f() { x() }\nvar v = `a", "package p\nfunc f() { x() }\nvar v = `a"},
	{"source with an open comment stays", "package p\nfunc f() { x() }\n/* a", "package p\nfunc f() { x() }\n/* a"},
}

func TestCutBodies(t *testing.T) {
	for _, test := range cuts {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, string(cutBodies([]byte(test.src)))); diff != "" {
				t.Errorf("cut source (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCutBodiesKeepsTheDeclarationsOfTheStandardLibrary(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "*", "*.go"))
	if err != nil || len(paths) < 1000 {
		t.Fatalf("%d files, error %v", len(paths), err)
	}
	const every = 7 // enough of them, in little time
	for i := 0; i < len(paths); i += every {
		src, err := os.ReadFile(paths[i])
		if err != nil {
			t.Fatal(err)
		}
		testCut(t, paths[i], src)
	}
}

func FuzzCutBodies(f *testing.F) {
	for _, test := range cuts {
		f.Add([]byte(test.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		testCut(t, "fuzz.go", src)
	})
}

// testCut checks that source which the parser accepts, still does when it is
// cut, and declares the same on the same lines.
func testCut(t *testing.T, path string, src []byte) {
	want, ok := declarations(src)
	if !ok {
		return
	}
	cut := cutBodies(src)
	got, ok := declarations(cut)
	if !ok {
		t.Fatalf("%s: the parser refuses\n%s", path, cut)
	}
	if got != want {
		t.Fatalf("%s: declarations (-want +got):\n%s", path, cmp.Diff(want, got))
	}
	if a, b := bytes.Count(src, []byte("\n")), bytes.Count(cut, []byte("\n")); a != b {
		t.Fatalf("%s: %d lines instead of %d", path, b, a)
	}
}

// declarations are the declarations of a file without the bodies of functions,
// each after its line.
func declarations(src []byte) (string, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	var text strings.Builder
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			fmt.Fprintln(&text, "body:", f.Body != nil)
			f.Body = nil
		}
		fmt.Fprintf(&text, "%d: ", fset.PositionFor(decl.Pos(), false).Line)
		if err := format.Node(&text, fset, decl); err != nil {
			return "", false
		}
		text.WriteString("\n")
	}
	return text.String(), true
}
