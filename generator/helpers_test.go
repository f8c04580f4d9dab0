package generator_test

import (
	"go/build"
	"os"
	"os/exec"
	"testing"
)

// cgo tells whether this build has cgo and a compiler for it.
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
