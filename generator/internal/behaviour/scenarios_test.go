package behaviour_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/ownerror"
	"github.com/resgen-go/resgen/testdata/scenarios/ownerror/std"
	"github.com/resgen-go/resgen/testdata/scenarios/reexported"
	"github.com/resgen-go/resgen/testdata/scenarios/reexported/lib"
)

type stored struct{ ownerror.Store }

func (stored) Get(key string) (string, std.Error) { return key, errDependency }

func TestGosErrorIsGuardedUnderAnotherName(t *testing.T) {
	r := registry(t, `{}`)
	w, refused := ownerror.NewResilientStore(stored{}, r)
	if refused != nil {
		t.Fatal(refused)
	}
	if got, err := w.Get("k"); got != "k" || err != errDependency {
		t.Errorf("got %q, %v", got, err)
	}
	open(t, r, "store")
	if _, err := w.Get("k"); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("the error is %v", err)
	}
}

type letters struct{ sent []lib.With }

func (m *letters) Send(_ context.Context, letter lib.Letter, options ...lib.With) (*lib.Letter, error) {
	m.sent = options
	return &letter, nil
}

func (*letters) Close() error { return errDependency }

func (*letters) Open(token *lib.Token) error {
	if token == nil {
		return errDependency
	}
	return nil
}

func TestTypesKnownByAliasesOnlyArePassedOn(t *testing.T) {
	r := registry(t, `{}`)
	next := new(letters)
	w := wrap(t, reexported.NewResilientMail, reexported.Mail(next), r)
	if got, err := w.Send(t.Context(), lib.Letter{}, make([]lib.With, 2)...); got == nil || err != nil || len(next.sent) != 2 {
		t.Errorf("got %v, %v after %d options", got, err, len(next.sent))
	}
	if err := w.Open(new(lib.Token)); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != errDependency {
		t.Errorf("the error is %v", err)
	}
	if calls, failed := failures(t, r, "mail"); calls != 3 || failed != 1 {
		t.Errorf("counted %d calls, %d failures", calls, failed)
	}
}

// Wrappers that nobody outside their package can use are called by tests in it.
func TestScenariosTestThemselves(t *testing.T) {
	found, err := filepath.Glob("../../../testdata/scenarios/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, file := range found {
		folders["github.com/resgen-go/resgen/testdata/scenarios/"+path.Base(filepath.Dir(file))] = true
	}
	for _, name := range []string{"constrained", "tested", "unexported"} {
		if folder := "github.com/resgen-go/resgen/testdata/scenarios/" + name; !folders[folder] {
			t.Errorf("%s has no tests", folder)
		}
	}
	test := exec.CommandContext(t.Context(), "go", append([]string{"test", "-vet=off"}, slices.Sorted(maps.Keys(folders))...)...)
	test.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := test.CombinedOutput(); err != nil || strings.Contains(string(out), "no test files") {
		t.Errorf("%v\n%s", err, out)
	}
}
