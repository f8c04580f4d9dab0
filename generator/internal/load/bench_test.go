package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// BenchmarkPackages loads modules of packages with an interface of ten methods
// each, with the build cache as it is and with an empty one.
func BenchmarkPackages(b *testing.B) {
	for _, n := range []int{1, 200} {
		b.Run(fmt.Sprintf("packages=%d/cache=warm", n), func(b *testing.B) { benchmarkPackages(b, n, os.Environ()) })
		b.Run(fmt.Sprintf("packages=%d/cache=empty", n), func(b *testing.B) {
			benchmarkPackages(b, n, append(os.Environ(), "GOCACHE="+filepath.Join(b.TempDir(), "cache")))
		})
	}
}

func benchmarkPackages(b *testing.B, n int, env []string) {
	dir := write(b, synthetic(n, true))
	for b.Loop() {
		packages, err := packagesOf(load.Config{Dir: dir, Env: env}, "./...")
		if err != nil || len(packages) != n || len(packages[0].Faults) > 0 {
			b.Fatalf("%d packages, error %v", len(packages), err)
		}
	}
}

// BenchmarkNothingToDo searches a module of a thousand packages in which
// nothing asks.
func BenchmarkNothingToDo(b *testing.B) {
	dir := write(b, synthetic(1000, false))
	for b.Loop() {
		packages, err := packagesOf(load.Config{Dir: dir}, "./...")
		if err != nil || len(packages) != 0 {
			b.Fatalf("%d packages, error %v", len(packages), err)
		}
	}
}

// synthetic is a module of n packages that import net/http.
func synthetic(n int, asking bool) map[string]string {
	files := map[string]string{"go.mod": "module example.test/shop\n\ngo 1.26\n"}
	for i := range n {
		var text strings.Builder
		fmt.Fprintf(&text, "package p%d\n\nimport (\n\t\"context\"\n\t\"net/http\"\n)\n\n", i)
		if asking {
			text.WriteString("//resilience:breaker\n")
		}
		text.WriteString("type Client interface {\n")
		for m := range 10 {
			fmt.Fprintf(&text, "\tMethod%d(ctx context.Context, req *http.Request) (*http.Response, error)\n", m)
		}
		text.WriteString("}\n")
		files[fmt.Sprintf("p%d/client.go", i)] = text.String()
		files[fmt.Sprintf("p%d/help.go", i)] = fmt.Sprintf("package p%d\n\nimport \"fmt\"\n\nfunc help() { fmt.Println() }\n", i)
	}
	return files
}
