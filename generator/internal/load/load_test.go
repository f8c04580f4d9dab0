package load

import (
	"os"
	"path/filepath"
	"testing"
)

// write writes files, given by path and text, into a new folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAPackageIsLoadedWithSyntaxAndTypes(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":  "module example.test/shop\n\ngo 1.26\n",
		"shop.go": "package shop\n\nimport \"io\"\n\n//resilience:breaker\ntype Payments interface {\n\tCharge(io.Reader) error\n}\n",
	})
	got, err := Packages(Config{Dir: dir})
	if err != nil || len(got) != 1 {
		t.Fatalf("got %d packages and error %v", len(got), err)
	}
	p := got[0]
	if p.Path != "example.test/shop" || len(p.Files) != 1 || p.Files[0].Syntax == nil || len(p.Faults) > 0 {
		t.Errorf("got %+v", p)
	}
	if got := p.Lookup("Payments").Type().Underlying().String(); got != "interface{Charge(io.Reader) error}" {
		t.Errorf("got %s", got)
	}
}
