package generator_test

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// repository is the root of this module.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// cgo reports whether this build has cgo and a compiler for it.
func cgo() bool {
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "gcc"
	}
	_, err := exec.LookPath(compiler)
	return err == nil && build.Default.CgoEnabled
}

// goCommand runs the go command and reports all it has to say.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %q: %v\n%s", args, err, out)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func appendFile(t *testing.T, path, text string) {
	t.Helper()
	writeFile(t, path, readFile(t, path)+text)
}
