package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the expected outputs under testdata anew")

// A scenario is a module, the commands that are run in it, and all that can be
// seen of them, with the files that they write. What comes out must build, and
// tests that the module brings are run.
func TestInterfaces(t *testing.T) {
	root, err := filepath.Abs("testdata/interface")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := played(t, archive)
			if *update {
				write(t, path, string(txtar.Format(got)))
			} else if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("-expected +got (run with -update if this is right):\n%s", diff)
			}
		})
	}
}

const transcript, interfaceOutputs = "transcript", "written/"

// played is the archive with what its commands say and write.
func played(t *testing.T, archive *txtar.Archive) *txtar.Archive {
	withTool(t)
	if err := os.Remove("shop.go"); err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: archive.Comment}
	given := map[string]bool{}
	for _, file := range archive.Files {
		if file.Name == transcript || strings.HasPrefix(file.Name, interfaceOutputs) {
			continue
		}
		got.Files = append(got.Files, file)
		given[file.Name] = true
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file.Name, string(file.Data))
	}
	said := commandsSay(string(archive.Comment))
	got.Files = append(got.Files, txtar.File{Name: transcript, Data: []byte(said)})
	for _, path := range writtenFiles(t, given) {
		got.Files = append(got.Files, txtar.File{Name: interfaceOutputs + path, Data: []byte(read(t, path))})
	}
	builds(t)
	return got
}

func commandsSay(commands string) string {
	var said strings.Builder
	for line := range strings.Lines(commands) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		fmt.Fprintln(&said, "$", command)
		var stdout, stderr strings.Builder
		status := run(strings.Fields(command), &stdout, &stderr)
		said.WriteString(stdout.String() + stderr.String())
		if status != exitFine {
			fmt.Fprintln(&said, "status", status)
		}
	}
	return said.String()
}

// writtenFiles are the Go files that were not given, but for wrappers.
func writtenFiles(t *testing.T, given map[string]bool) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if slash := filepath.ToSlash(path); filepath.Ext(path) == ".go" && !given[slash] && !strings.HasSuffix(path, "_resilience.go") {
			paths = append(paths, slash)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// builds vets the module, and runs its tests if it has some. What does not build
// on purpose is in a folder third.
func builds(t *testing.T) {
	t.Helper()
	if testing.Short() {
		return
	}
	command := "go vet $(go list ./... | grep -v -e /third -e /command)"
	if tests, _ := filepath.Glob("*_test.go"); len(tests) > 0 {
		command += " && go test -count=1 ."
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}
