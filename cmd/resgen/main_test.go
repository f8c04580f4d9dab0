package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/column"
)

// asCommand in the environment makes the test binary the command.
const asCommand = "RESGEN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

const source = `package shop

//go:generate go tool resgen

//resilience:breaker
type Shop interface {
	Buy(item string) error
}
`

// inModule makes a module with one file the working folder.
func inModule(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.test/shop\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "shop.go"), text)
	t.Chdir(dir)
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// expect runs the command and compares all that can be seen of it.
func expect(t *testing.T, status int, stdout, stderr string, args ...string) {
	t.Helper()
	var out, err strings.Builder
	if got := run(args, &out, &err); got != status {
		t.Errorf("%q: status %d, want %d", args, got, status)
	}
	if diff := cmp.Diff(stdout, out.String()); diff != "" {
		t.Errorf("%q: standard output: %s", args, diff)
	}
	if diff := cmp.Diff(stderr, err.String()); diff != "" {
		t.Errorf("%q: standard error: %s", args, diff)
	}
}

const outdated = "resgen: go generate, or resgen without -check, brings these files up to date\n"

func TestACleanRunSaysNothing(t *testing.T) {
	inModule(t, source)
	expect(t, 1, "shop_resilience.go: missing\n", outdated, "-check")
	expect(t, 0, "", "")
	expect(t, 0, "", "", "-check", "./...")
	expect(t, 0, "", "", "-diff")
	if !strings.Contains(read(t, "shop_resilience.go"), "ResilientShop") {
		t.Error("there is no wrapper")
	}
}

func TestOutputsAreTheSameHoweverPackagesAreLoaded(t *testing.T) {
	inModule(t, source)
	expect(t, 0, "", "")
	expect(t, 0, "", "", "-plain", "-check")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	expect(t, 0, "", "", "-check")
}

func TestVerboseRunsNameWhatTheyTouch(t *testing.T) {
	inModule(t, source)
	expect(t, 0, "", "wrote shop_resilience.go\n", "-v")
	expect(t, 0, "", "", "-v")
	write(t, "shop.go", "package shop\n")
	expect(t, 0, "", "removed shop_resilience.go\n", "-v")
}

func TestFaultsGoToStandardErrorAndNothingIsWritten(t *testing.T) {
	inModule(t, strings.Replace(source, "breaker", "braker", 1))
	fault := "shop.go:5:1: resilience:braker: there is no such directive; did you mean breaker? " +
		"(allowed: breaker, ratelimit, bulkhead, timeout, retry, anticipate, fallback, stream, probe, none, wrapper)\n"
	expect(t, 1, "", fault)
	expect(t, 1, "", fault, "-check")
	expect(t, 1, "", fault, "-list")
	if _, err := os.Stat("shop_resilience.go"); !os.IsNotExist(err) {
		t.Error("there is an output")
	}
}

func TestAnOutputOverABrokenPackageIsNoLeftover(t *testing.T) {
	dir := inModule(t, "package shop\n\nimport \"example.test/shop/lib\"\n\n//resilience:breaker\ntype Shop interface{ lib.Client }\n")
	lib := filepath.Join(dir, "lib")
	if err := os.Mkdir(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(lib, "lib.go"), "package lib\n\ntype Client interface{ Call(v int) error }\n")
	expect(t, 0, "", "")
	output := read(t, filepath.Join(dir, "shop_resilience.go"))
	write(t, filepath.Join(lib, "lib.go"), "package lib\n\ntype Client interface{ Call(v missing) error }\n")
	expect(t, 1, "", "lib/lib.go:3:31: undefined: missing\n")
	if now := read(t, filepath.Join(dir, "shop_resilience.go")); now != output {
		t.Errorf("the output became\n%s", now)
	}
}

func TestFieldG03ANameThatGuardsNothingFailsTheCheck(t *testing.T) {
	inModule(t, `package shop

import "context"

type Shop interface {
	//resilience:breaker shop
	//resilience:anticipate check=shopp
	Buy(ctx context.Context) error
}
`)
	warning := "shop.go:7:32: warning: resilience:anticipate: nothing is guarded by breaker shopp; did you mean shop?\n"
	const dangling = "resgen: with -check, a name that guards nothing is a fault\n"
	expect(t, 1, "shop_resilience.go: missing\n", warning+outdated+dangling, "-check")
	expect(t, 0, "", warning)
	expect(t, 1, "", warning+dangling, "-check")
	expect(t, 1, "", warning+dangling, "-check", "./...")
	expect(t, 0, "", warning, "-diff")
}

func TestWarningsGoToStandardErrorAndChangeNothing(t *testing.T) {
	inModule(t, strings.Replace(source, "Buy(item string) error", "Close() error", 1))
	const warning = "shop.go:7:2: warning: resilience:breaker: the breaker of Shop may refuse Close, " +
		"and what that would free is kept for ever; put //resilience:none on it\n"
	expect(t, 1, "shop_resilience.go: missing\n", warning+outdated, "-check")
	expect(t, 0, "", warning)
	expect(t, 0, "", warning, "-check")
}

func TestADiffOfAMissingFileIsTheFile(t *testing.T) {
	inModule(t, source)
	var out, err strings.Builder
	if status := run([]string{"-diff"}, &out, &err); status != 1 {
		t.Errorf("status %d", status)
	}
	if want := "--- /dev/null\n+++ shop_resilience.go\n@@ -0,0 +1,"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %s", out.String())
	}
}

func TestListIsATable(t *testing.T) {
	inModule(t, source)
	expect(t, 0, "shop.go\n  Shop   ResilientShop\n    Buy  breaker shop\n", "", "-list")
}

func TestWrongUsageHasAStatusOfItsOwn(t *testing.T) {
	expect(t, 2, "", "resgen: -list goes with neither -check nor -diff\n", "-list", "-check")
	const help = "Run resgen -help for the flags.\n"
	expect(t, 2, "", "resgen: flag provided but not defined: -chek; did you mean -check?\n"+help, "-chek")
	expect(t, 2, "", "resgen: flag provided but not defined: -unlike\n"+help, "-unlike")
	expect(t, 2, "", "resgen: - is not a package\n"+help, "-")
	expect(t, 2, "", "resgen: -x is not a package\n"+help, "--", "-x")
	expect(t, 2, "", "resgen: -check stands behind ./...; flags come first\n"+help, "./...", "-check")
	expect(t, 2, "", "resgen: invalid value \"\" for flag -config: it names no file\n"+help, "-config", "")
}

func TestAMistypedCommandIsNamed(t *testing.T) {
	expect(t, 2, "", "resgen: there is no command confg; did you mean config? A package would be ./confg\n", "confg")
	expect(t, 2, "", "resgen: there is no command Schema; did you mean schema? A package would be ./Schema\n", "Schema", "-x")
	inModule(t, source)
	if err := os.Mkdir("confg", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "confg/confg.go", "package confg\n")
	expect(t, 0, "", "", "./confg")
}

func TestAFlagWithoutItsDashIsNoPackage(t *testing.T) {
	const help = "Run resgen -help for the flags.\n"
	expect(t, 2, "", "resgen: there is no package check; did you mean -check? A package would be ./check\n"+help, "check", "./...")
	expect(t, 2, "", "resgen: there is no package list; did you mean -list? A package would be ./list\n"+help, "./...", "list")
	expect(t, 2, "", "resgen config: there is no package file; did you mean -file? A package would be ./file\n"+
		"Run resgen config -help for the flags.\n", "config", "file", "resilience.json")
}

func TestPatternsThatMatchNoPackageAreAWarning(t *testing.T) {
	inModule(t, "package shop\n")
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	expect(t, 0, "", "go: warning: \"./empty/...\" matched no packages\n", "./empty/...")
	expect(t, 0, "", "", "./...")
	write(t, "shop.go", source)
	const other = "go: warning: \"./empty/...\" matched no packages\n"
	expect(t, 1, "shop_resilience.go: missing\n", other+outdated, "-check", ".", "./empty/...")
	expect(t, 0, "", other+"go: warning: \"example.test/shop/paymnts/...\" matched no packages\n",
		"./...", "./empty/...", "example.test/shop/paymnts/...")
	expect(t, 0, "", "", "-check", ".", "./...")
}

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatIsLostIsAFault(t *testing.T) {
	inModule(t, source)
	write(t, "other.json", `{"breakers": {"Default": {}, "shop": {}}}`)
	for _, args := range [][]string{
		{"-version"}, {"-list"}, {"-diff"}, {"-check"}, {"schema"}, {"config"}, {"config", "-file", "other.json"},
	} {
		var err strings.Builder
		if status := run(args, full{}, &err); status != exitFault || !strings.Contains(err.String(), "no space left on device") {
			t.Errorf("%q: status %d: %s", args, status, &err)
		}
	}
}

func TestHelpShowsFlagsAndDirectives(t *testing.T) {
	var out, err strings.Builder
	if status := run([]string{"-help"}, &out, &err); status != 0 {
		t.Errorf("status %d", status)
	}
	for _, args := range [][]string{{"help"}, {"help", "-check"}} {
		expect(t, 0, "", err.String(), args...)
	}
	for _, want := range []string{"-check\n", "Exit status: 0", column.Lines(directives.Help())} {
		if !strings.Contains(err.String(), want) {
			t.Errorf("there is no %q in\n%s", want, err.String())
		}
	}
}

func TestVersionNamesTheCommand(t *testing.T) {
	var out, err strings.Builder
	if status := run([]string{"-version"}, &out, &err); status != 0 || !strings.HasPrefix(out.String(), "resgen ") {
		t.Errorf("status %d: %s", status, out.String())
	}
}

func TestFieldL08HelpAndListsFitEightyColumns(t *testing.T) {
	for _, args := range [][]string{{"-help"}, {"config", "-help"}, {"interface", "-help"}, {"schema", "-help"}} {
		var stdout, stderr strings.Builder
		run(args, &stdout, &stderr)
		for line := range strings.Lines(stdout.String() + stderr.String()) {
			line = strings.Replace(strings.TrimSuffix(line, "\n"), "    \t", "\t", 1)
			line = strings.Replace(line, "\t", "        ", 1)
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
	}
}
