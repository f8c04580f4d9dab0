package generator

import (
	stdcontext "context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func inFolder(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// resultOf is a result with files that are to be written or removed.
func resultOf(ctx stdcontext.Context, outputs ...Output) Result {
	result := Result{Outputs: outputs, ctx: ctx, folders: map[string]bool{}}
	for i, file := range outputs {
		outputs[i].Shown = filepath.Base(file.Path)
		result.folders[filepath.Dir(file.Path)] = true
	}
	return result
}

func TestFieldG13AWriteThatFailsLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shop_resilience.go")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := resultOf(t.Context(), Output{Path: path, Want: []byte("package shop\n")}).Write()
	if err == nil || !strings.HasPrefix(err.Error(), "shop_resilience.go cannot be brought up to date: ") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"shop_resilience.go"}, inFolder(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestFieldG13ARunThatIsInterruptedStopsBetweenTwoFiles(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := stdcontext.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	err := resultOf(ctx, Output{Path: filepath.Join(dir, "shop_resilience.go"), Want: []byte("package shop\n")}).Write()
	if want := "shop_resilience.go is not up to date: interrupt signal received"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if names := inFolder(t, dir); len(names) > 0 {
		t.Errorf("there are %v", names)
	}
}

func TestFieldG13OnlyWhatAKilledRunLeftIsRemoved(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	target := filepath.Join(other, "target.go")
	put(t, target, "package shop\n")
	link := filepath.Join(dir, "shop_resilience.go")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	long := time.Now().Add(-2 * time.Hour) // where there are no locks, age decides
	for _, path := range []string{dir + "/.resgen-1", other + "/.resgen-22", dir + "/.resgen-", dir + "/.resgen-settings", dir + "/resgen-1"} {
		put(t, path, "")
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir+"/.resgen-333", 0o755); err != nil {
		t.Fatal(err)
	}
	alive, release, err := createTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := resultOf(t.Context(), Output{Path: link, Want: []byte("package shop // new\n")}).Write(); err != nil {
		t.Fatal(err)
	}
	want := []string{".resgen-", ".resgen-333", ".resgen-settings", filepath.Base(alive.Name()), "resgen-1", "shop_resilience.go"}
	slices.Sort(want)
	if diff := cmp.Diff(want, inFolder(t, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"target.go"}, inFolder(t, other)); diff != "" {
		t.Errorf("beside what a link points to: %s", diff)
	}
	release()
	if err := os.Chtimes(alive.Name(), long, long); err != nil {
		t.Fatal(err)
	}
	resultOf(t.Context(), Output{Path: link, Want: []byte("x"), Have: []byte("x")}).sweep()
	if slices.Contains(inFolder(t, dir), filepath.Base(alive.Name())) {
		t.Error("nobody holds it any more, and it is still there")
	}
}

// Many runs write the same file, and sweep meanwhile.
func TestFieldG12RunsAtOnceAllSucceed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shop_resilience.go")
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			for range 100 {
				result := resultOf(t.Context(), Output{Path: path, Want: []byte("package shop\n")})
				if err := result.Write(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	runs.Wait()
	if diff := cmp.Diff([]string{"shop_resilience.go"}, inFolder(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestFieldG12AnOutputThatAnotherRunRemovedIsNoFault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop_resilience.go")
	if err := resultOf(t.Context(), Output{Path: path, Have: []byte("package shop\n")}).Write(); err != nil {
		t.Error(err)
	}
}
