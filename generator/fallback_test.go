package generator_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// falling is a package whose methods A and B fall back as they say.
func falling(a, b, rest string) string {
	return goMod + fmt.Sprintf(`-- shop.go --
package shop

import "context"

type Shop[K comparable] interface {
	//resilience:fallback %s
	A(ctx context.Context, key K) (int, error)

	//resilience:fallback %s
	B(ctx context.Context, key K) (int, error)
}

func cached[K comparable](context.Context, K, error) (int, error) { return 0, nil }

%s
`, a, b, rest)
}

func TestFallbackF14WhatCannotStandInIsAFaultAndNoFileIsTouched(t *testing.T) {
	const (
		at     = "shop.go:6:29: resilience:fallback: with: "
		mustBe = "; it must be a func(context.Context, K, error) (int, error), or one without that error"
	)
	for name, c := range map[string]struct{ a, b, rest, want string }{
		"wrong parameter": {"with=wrong", "with=cached", "func wrong(context.Context, int, error) (int, error) { return 0, nil }",
			at + "wrong is a func(context.Context, int, error) (int, error)" + mustBe},
		"wrong result": {"with=wrong", "with=cached", "func wrong[K comparable](context.Context, K, error) int { return 0 }",
			at + "wrong is a func(context.Context, K, error) int" + mustBe},
		"missing function": {"with=cachd", "with=cached", "", at + "there is no function cachd"},
		"generic mismatch": {"with=wrong", "with=cached", "func wrong[K ~int](context.Context, K, error) (int, error) { return 0, nil }",
			at + "wrong cannot have the types of A: K does not satisfy ~int"},
		"cycle":  {"with=B", "with=A", "", at + "A falls back on B and B on A; let one fall back on a function, or on a method that does not lead back"},
		"itself": {"with=A", "with=cached", "", at + "A falls back on A; let one fall back on a function, or on a method that does not lead back"},
		"no FUNC": {"cached", "with=cached", "",
			"shop.go:6:2: resilience:fallback: with=FUNC is missing; write //resilience:fallback [NAME] with=FUNC"},
	} {
		dir := module(t, falling(c.a, c.b, c.rest))
		before := entriesOf(t, dir)
		result, err := generate(t, dir)
		if err == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		if diff := cmp.Diff(c.want, filepath.ToSlash(err.Error())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := result.Write(); err != nil || !slices.Equal(before, entriesOf(t, dir)) {
			t.Errorf("%s: files were touched: %v", name, err)
		}
	}
}

func TestAFallbackOfAnotherPackageIsImportedAndExported(t *testing.T) {
	for with, want := range map[string]string{
		"spare.Price":      "the package imports no spare",
		"context.newPrice": "there is no function context.newPrice",
		"context.Cause":    "context.Cause is a func(context.Context) error; it must be",
	} {
		if got := faultsOf(t, falling("with="+with, "with=cached", "")); !strings.Contains(got, want) {
			t.Errorf("%s: %s", with, got)
		}
	}
}

func TestFallbackF15ASignatureThatChangesFailsTheBuildAtTheCall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	dir := module(t, falling("with=lately", "with=A", "func lately[K comparable](context.Context, K, error) (int, error) { return 0, nil }"))
	writeFile(t, filepath.Join(dir, "go.work"), "go 1.26.0\n\nuse (\n\t.\n\t"+repository(t)+"\n)\n")
	mustWrite(t, dir)
	goCommand(t, dir, "build", ".")
	path := filepath.Join(dir, "shop.go")
	writeFile(t, path, strings.Replace(readFile(t, path), "func lately[K comparable](context.Context, K, error)", "func lately[K comparable](context.Context, error)", 1))
	cmd := exec.Command("go", "build", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	line := 0
	for i, text := range strings.Split(readFile(t, filepath.Join(dir, "shop_resilience.go")), "\n") {
		if strings.Contains(text, "return lately[K](ctx, key, err)") {
			line = i + 1
		}
	}
	if want := fmt.Sprintf("./shop_resilience.go:%d:", line); err == nil || line == 0 || !strings.Contains(string(out), want) {
		t.Errorf("the build said %s, %v, want an error at %s", out, err, want)
	}
}

func TestAFallbackToWhichNothingLeadsIsWorthAWarning(t *testing.T) {
	const never = "shop.go:16:29: warning: resilience:fallback: Get never falls back: it returns no error, and no guard refuses its calls or judges its results"
	for guards, want := range map[string]string{
		"":                       never,
		"timeout":                never,
		"breaker":                "",
		"bulkhead":               "",
		"ratelimit":              "",
		"anticipate check=other": "",
	} {
		methods := "//resilience:fallback with=Got\n\t"
		if guards != "" {
			methods += "//resilience:" + guards + "\n\t"
		}
		methods += "Get(context.Context) string\n\t//resilience:breaker other\n\tOther(context.Context) error\n\tGot(context.Context) string"
		if got := warnings(t, module(t, annotated("//resilience:wrapper W", methods))); got != want {
			t.Errorf("%s: got %s\nwant %s", guards, got, want)
		}
	}
}
