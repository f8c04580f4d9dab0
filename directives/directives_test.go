package directives_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

var update = flag.Bool("update", false, "write what Parse says into the scenarios")

// Each scenario is a Go file and what is read from it: the attached directives
// with the position of every name, then the faults. Line ends make no difference.
func TestScenarios(t *testing.T) {
	for _, path := range scenarios(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(strings.ReplaceAll(name, "-", " "), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src := archive.Files[0].Data
			got := report(t, src)
			if *update {
				archive.Files = []txtar.File{archive.Files[0], {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := string(archive.Files[1].Data)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("read wrongly (-want +got):\n%s", diff)
			}
			crlf := strings.ReplaceAll(string(src), "\n", "\r\n")
			if diff := cmp.Diff(want, report(t, []byte(crlf))); diff != "" {
				t.Errorf("read wrongly with CRLF line ends (-want +got):\n%s", diff)
			}
		})
	}
}

func scenarios(tb testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		tb.Fatal("no scenarios: ", err)
	}
	return paths
}

// reading is what Parse returns.
type reading struct {
	interfaces []directives.Interface
	faults     fault.List // and guesses
}

func parsed(t *testing.T, fset *token.FileSet, src string) reading {
	t.Helper()
	file, err := parser.ParseFile(fset, "in.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	read := directives.Parse(fset, file, []byte(src))
	return reading{read.Interfaces, slices.Concat(read.Faults, read.Guesses).Sorted()}
}

// report is what Parse reads from src, one line each.
func report(t *testing.T, src []byte) string {
	t.Helper()
	fset := token.NewFileSet()
	read := parsed(t, fset, string(src))
	var b strings.Builder
	for _, i := range read.interfaces {
		describe(&b, fset, i.Spec.Name.Name, i.Directives)
		for _, method := range i.Methods {
			describe(&b, fset, i.Spec.Name.Name+"."+method.Name.Name, method.Directives)
		}
	}
	for _, fault := range read.faults {
		fmt.Fprintln(&b, fault)
	}
	return b.String()
}

func describe(b *strings.Builder, fset *token.FileSet, owner string, set directives.Set) {
	for _, d := range set {
		fmt.Fprintf(b, "%s has %s at %s", owner, d.Row.Name, short(fset, d.Slash))
		for i := range d.Row.Params {
			describeArgument(b, fset, d.Arg(d.Row.Params[i].Key))
		}
		fmt.Fprintln(b)
	}
}

func describeArgument(b *strings.Builder, fset *token.FileSet, arg directives.Argument) {
	for _, ref := range arg.Refs {
		if ref.Text == "" || arg.Form == directives.KindList {
			continue
		}
		b.WriteString(", ")
		if arg.Key != "" {
			b.WriteString(arg.Key + "=")
		}
		if ref.Count.N > 0 || arg.Form == directives.CountList {
			fmt.Fprintf(b, "%d of ", ref.Count.N)
		}
		fmt.Fprintf(b, "%s at %s", ref.Text, short(fset, ref.Pos))
	}
}

func short(fset *token.FileSet, pos token.Pos) string {
	position := directives.Position(fset, pos)
	return fmt.Sprintf("%d:%d", position.Line, position.Column)
}

func TestPositionsAreThoseOfTheFileOnDisk(t *testing.T) {
	const src = "package shop\n\n//line shop.tmpl:100\n\n//resilience:breaker a b\ntype Shop interface{}\n"
	const want = "Shop has breaker at 5:1, a at 5:22\n" +
		`in.go:5:24: resilience:breaker: argument "b" is one too many (allowed: //resilience:breaker [NAME] [classify=FUNC] [by=KEY])` + "\n"
	if diff := cmp.Diff(want, report(t, []byte(src))); diff != "" {
		t.Errorf("read wrongly (-want +got):\n%s", diff)
	}
}

func TestACarriageReturnInsideACommentDoesNotShiftPositions(t *testing.T) {
	const src = "package shop\n\n//resilience:breaker \r a b\n/*\r\r\n\r//resilience:breaker b*/\ntype Shop interface{}\n"
	const want = "Shop has breaker at 3:1, a at 3:24\n" +
		`in.go:3:26: resilience:breaker: argument "b" is one too many (allowed: //resilience:breaker [NAME] [classify=FUNC] [by=KEY])` + "\n" +
		`in.go:5:2: resilience:breaker: "//resilience:breaker b" stands in a block comment, where nothing is a directive; write //resilience:breaker b, or reword the comment` + "\n"
	if diff := cmp.Diff(want, report(t, []byte(src))); diff != "" {
		t.Errorf("read wrongly (-want +got):\n%s", diff)
	}
}

func TestTheDefaultNameBeginsWithALowerCaseLetter(t *testing.T) {
	for name, want := range map[string]string{"Payments": "payments", "payments": "payments", "HTTPClient": "hTTPClient", "Ärzte": "ärzte", "X": "x"} {
		i := directives.Interface{Spec: &ast.TypeSpec{Name: ast.NewIdent(name)}}
		if got := i.DefaultName(); got != want {
			t.Errorf("DefaultName of %s is %s; want %s", name, got, want)
		}
	}
}

func TestAFileAsksWhereParseMayFindSomething(t *testing.T) {
	for src, want := range map[string]bool{
		"//resilience:breaker":                       true,
		"x := a[1:2] // resilience : breaker":        true,
		"//resilience;breaker":                       true,
		"//\u200bresilence:breaker":                  true,
		"//resgen:breaker":                           true,
		"/*\n * resilience:none */":                  true,
		"f(/*resilience:none*/)":                     true,
		"/*/ resilience:none */":                     true,
		"url := `http://x` //resilience:none":        true,
		"// resilience breaker payments":             true,
		"/* resilience:breaker,timeout */":           true,
		"// resilience:check=payments":               true,
		"// resilience:circuit-breaker":              true,
		"x := 1 //Resilience timeout":                true,
		"// →resilience:breaker b":                   false,
		"":                                           false,
		"/":                                          false,
		"// resilience is good: very":                false,
		"// see resilience:breaker for more":         false,
		"//go:generate go tool resgen":               false,
		"import resilience `example.test/x/runtime`": false,
		"resilience := breaker.New()":                false,
		"\tresilience.NewRegistry(breaker)":          false,
	} {
		if got := directives.Asks([]byte(src)); got != want {
			t.Errorf("Asks(%q) = %v", src, got)
		}
	}
}
