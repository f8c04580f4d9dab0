package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxLinked is how many bytes a guarded client may add to an HTTP server whose
// symbols are stripped. docs/performance.md says what they are.
const maxLinked = 2_100_000

func TestGuardsLinkLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("links two programs")
	}
	plain, guarded := linked(t, "plain"), linked(t, "guarded")
	t.Logf("a server of %d bytes grows by %d", plain, guarded-plain)
	if guarded-plain > maxLinked {
		t.Errorf("a guarded client adds %d bytes to a server, at most %d are wanted; go tool nm -size shows which", guarded-plain, maxLinked)
	}
}

// linked is the size of one of the programs, built as for production.
func linked(t *testing.T, program string) int64 {
	file := filepath.Join(t.TempDir(), program)
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, "./size/"+program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
