package generator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/generator"
)

// BenchmarkGenerate makes the outputs of a synthetic module from packages with
// ten methods an interface. The build cache of the go command is warm after the
// first round.
func BenchmarkGenerate(b *testing.B) {
	for _, size := range []struct{ packages, interfaces int }{{1, 1}, {200, 1}, {1000, 1}, {1, 500}} {
		b.Run(fmt.Sprintf("packages=%d/interfaces=%d", size.packages, size.interfaces), func(b *testing.B) {
			dir := syntheticModule(b, size.packages, size.interfaces)
			for b.Loop() {
				result, err := generator.Generate(generator.Options{Dir: dir, Patterns: []string{"./..."}})
				if err != nil || len(result.Outputs) != size.packages {
					b.Fatalf("%d files, %v", len(result.Outputs), err)
				}
			}
		})
	}
}

// BenchmarkNothingToDo is a run on packages without directives.
func BenchmarkNothingToDo(b *testing.B) {
	dir := syntheticModule(b, 200, 0)
	for b.Loop() {
		if _, err := generator.Generate(generator.Options{Dir: dir, Patterns: []string{"./..."}}); err != nil {
			b.Fatal(err)
		}
	}
}

func syntheticModule(b *testing.B, packages, interfaces int) string {
	b.Helper()
	dir := b.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("go.mod", "module example.test/synthetic\n\ngo 1.26\n")
	for i := range packages {
		text := "package p\n\nimport (\n\t\"context\"\n\t\"net/http\"\n)\n\nvar _, _ = context.Canceled, http.NoBody\n"
		for j := range interfaces {
			text += fmt.Sprintf("\n//resilience:breaker b\ntype I%d interface {\n%s}\n", j, tenMethods())
		}
		write(fmt.Sprintf("p%04d/in.go", i), text)
	}
	return dir
}

func tenMethods() string {
	var methods strings.Builder
	for i := range 10 {
		fmt.Fprintf(&methods, "\tM%d(ctx context.Context, req *http.Request, id string) ([]byte, error)\n", i)
	}
	return methods.String()
}
