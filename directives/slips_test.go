package directives_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/directives"
)

// linesTold are the lines of src of which a fault or a warning is told.
func linesTold(t *testing.T, src string) (told []string) {
	t.Helper()
	lines := strings.Split(src, "\n")
	fset := token.NewFileSet()
	for _, fault := range parsed(t, fset, src).faults {
		told = append(told, strings.TrimSpace(lines[fault.Position.Line-1]))
	}
	return told
}

func TestOnlyALineOfProseGoesOnInTheNextLine(t *testing.T) {
	for before, wants := range map[string]bool{
		"// The client has a":   false,
		"// Beside the rest,":   false,
		"// The client.":        true,
		"//":                    true,
		"// resilience breaker": true,
		"//Resilience timeout":  true,
	} {
		const line = "// resilience bulkhead"
		told := linesTold(t, "package p\n\n"+before+"\n"+line+"\ntype I interface{ Do() error }\n")
		if got := len(told) > 0 && told[len(told)-1] == line; got != wants {
			t.Errorf("behind %q the line is told: %v; want %v", before, got, wants)
		}
	}
}

func TestACommentRightBehindABraceStandsBehindCode(t *testing.T) {
	for src, want := range map[string]string{
		"type I interface{ Do() error }//resilience:breaker": "stands behind code on its line",
		"type S struct{ a int }//resilience:breaker":         "stands behind code on its line",
		"func f() {}//resilience:breaker":                    "stands behind code on its line",
		"func f() { g()//resilience:breaker\n}":              "stands in the body of f",
	} {
		if got := report(t, []byte("package p\n\n"+src+"\n")); !strings.Contains(got, want) {
			t.Errorf("%s: got %q; want %q", src, got, want)
		}
	}
	if told := linesTold(t, "package p\n\nfunc f() {}// resilience:breaker b\n"); len(told) != 1 {
		t.Errorf("behind a function it is among code: %v", told)
	}
}

func TestReservationsAreReadToTheLast(t *testing.T) {
	const first, second = `"4:tills" does not say of which bulkhead`, `"5:desks" does not say of which bulkhead`
	got := onMethod(t, "//resilience:anticipate preload=4:tills,5:desks")
	if !strings.Contains(got, first) || !strings.Contains(got, second) {
		t.Errorf("got %q", got)
	}
}

func TestARemarkMayBeAllThatStandsBehindADirective(t *testing.T) {
	const want = `"#" begins a comment, which a directive cannot have behind it; put it in a line of its own`
	if got := onMethod(t, "//resilience:breaker # guards Do"); got != want {
		t.Errorf("got %q", got)
	}
}

func TestInterfacesAreReadBehindOtherDeclarations(t *testing.T) {
	const src = "package p\n\nimport \"io\"\n\nvar _ io.Reader\n\nfunc f() {}\n\n//resilience:breaker\ntype I interface{ Do() error }\n"
	if got := len(parsed(t, token.NewFileSet(), src).interfaces); got != 1 {
		t.Errorf("%d interfaces", got)
	}
}

func TestAListGoesOnBehindItsKey(t *testing.T) {
	const want = `"check =a , b" has spaces in it, which end an argument; write check=a,b`
	if got := onMethod(t, "//resilience:anticipate check =a , b"); got != want {
		t.Errorf("got %q", got)
	}
}

func TestWhatSpacesTakeApartIsToldAtItsBeginning(t *testing.T) {
	for _, arguments := range []string{"classify =", "classify = judge", "clasify = judge"} {
		got := report(t, []byte("package p\n\ntype I interface {\n\t//resilience:breaker "+arguments+"\n\tDo() error\n}\n"))
		if !strings.Contains(got, "in.go:4:23: ") {
			t.Errorf("%s: got %q", arguments, got)
		}
	}
}

// A default name that cannot be used is nobody's name.
func TestADirectiveIsUnnamedWhereTheDefaultIsItsName(t *testing.T) {
	const src = `package p

//resilience:breaker
//resilience:bulkhead pool
//resilience:timeout a/b
//resilience:wrapper W
type I interface{ Do() error }

//resilience:breaker
type Default interface{ Do() error }

type J interface {
	//resilience:none
	Do() error
	//resilience:probe
	Ping() error
}
`
	var unnamed []string
	for _, i := range parsed(t, token.NewFileSet(), src).interfaces {
		for _, d := range i.All() {
			if d.Unnamed() {
				unnamed = append(unnamed, d.Row.Name+" "+d.Name().Text)
			}
		}
	}
	if diff := cmp.Diff([]string{directives.Breaker + " i", directives.Probe + " j"}, unnamed); diff != "" {
		t.Errorf("unnamed are (-want +got):\n%s", diff)
	}
}

func TestEachDirectiveTellsOfADefaultNameThatCannotBeUsed(t *testing.T) {
	want := []string{"//resilience:breaker", "//resilience:bulkhead"}
	got := linesTold(t, "package p\n\n"+strings.Join(want, "\n")+"\ntype Default interface{ Do() error }\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told of (-want +got):\n%s", diff)
	}
}
