package load_test

import (
	"flag"
	"fmt"
	"go/build"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// packagesOf loads packages with the hooks that the generator has.
func packagesOf(cfg load.Config, patterns ...string) ([]*load.Package, error) {
	cfg.Hooks = new(outputs.Reader).Hooks()
	return load.Packages(cfg, patterns...)
}

var update = flag.Bool("update", false, "write what is loaded into the cases of testdata")

// TestCases loads what the archives in testdata hold, and compares it with the
// file "want" in them. The comment of an archive may set "patterns", "tags",
// "env" and "dir", one a line.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d cases, error %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			testCase(t, path, archive)
		})
	}
}

func testCase(t *testing.T, path string, archive *txtar.Archive) {
	dir := t.TempDir()
	want := unpack(t, dir, archive)
	cfg, patterns := settings(dir, string(archive.Comment))
	got := show(dir, cfg, patterns)
	if *update && got != want {
		archive.Files = append(withoutWant(archive.Files), txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("loaded packages (-want +got):\n%s", diff)
	}
	if testing.Short() || strings.Contains(string(archive.Comment), "plain: differs") {
		return
	}
	cfg.Plain = true
	if diff := cmp.Diff(want, show(dir, cfg, patterns)); diff != "" {
		t.Errorf("packages loaded the plain way (-want +got):\n%s", diff)
	}
}

func withoutWant(files []txtar.File) []txtar.File {
	return slices.DeleteFunc(files, func(f txtar.File) bool { return f.Name == "want" })
}

// unpack writes the files of an archive, and returns what is wanted. The name
// of a link is written "name -> target".
func unpack(t testing.TB, dir string, archive *txtar.Archive) (want string) {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name, target, isLink := strings.Cut(f.Name, " -> ")
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && isLink {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// write writes files, given by path and text, into a new folder.
func write(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	archive := &txtar.Archive{}
	for name, text := range files {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	dir = t.TempDir()
	unpack(t, dir, archive)
	return dir
}

// settings reads the comment of an archive.
func settings(dir, comment string) (cfg load.Config, patterns []string) {
	cfg = load.Config{Dir: dir, Env: append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=")}
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "patterns":
			patterns = strings.Fields(value)
		case "tags":
			cfg.Tags = value
		case "env":
			cfg.Env = append(cfg.Env, strings.Fields(strings.ReplaceAll(value, "$GOROOT", build.Default.GOROOT))...)
		case "dir":
			cfg.Dir = filepath.Join(dir, value)
		}
	}
	return cfg, patterns
}

// load is what Packages returns, as text with paths below dir.
func show(dir string, cfg load.Config, patterns []string) string {
	packages, err := packagesOf(cfg, patterns...)
	var text strings.Builder
	if err != nil {
		fmt.Fprintf(&text, "error: %v\n", err)
	}
	for _, p := range packages {
		describe(&text, p)
	}
	return strings.ReplaceAll(strings.ReplaceAll(text.String(), dir+string(filepath.Separator), ""), dir, ".")
}

func describe(text *strings.Builder, p *load.Package) {
	fmt.Fprintf(text, "package %s in %s\n", p.Path, p.Dir)
	describeFiles(text, "file", p.Files)
	describeFiles(text, "output", p.Outputs)
	describeFiles(text, "ignored", p.Ignored)
	for _, f := range p.Faults {
		fmt.Fprintf(text, "\tfault %v\n", f)
	}
	if p.Types == nil {
		return
	}
	for _, name := range p.Types.Scope().Names() {
		stand := ""
		if p.Lookup(name) == nil {
			stand = "stand-in "
		}
		fmt.Fprintf(text, "\t%s%s\n", stand, types.ObjectString(p.Types.Scope().Lookup(name), types.RelativeTo(p.Types)))
	}
}

func describeFiles(text *strings.Builder, kind string, files []*load.File) {
	for _, f := range files {
		fmt.Fprintf(text, "\t%s %s", kind, filepath.Base(f.Path))
		if f.Asks {
			text.WriteString(", asks")
		}
		if f.Syntax != nil {
			text.WriteString(", parsed")
		}
		text.WriteString("\n")
	}
}

func TestTheOrderOfPatternsChangesNothing(t *testing.T) {
	dir := write(t, synthetic(6, true))
	cfg := load.Config{Dir: dir}
	want := show(dir, cfg, []string{"./..."})
	for _, patterns := range [][]string{
		{"./p5", "./p4", "./p3", "./p2", "./p1", "./p0"},
		{"example.test/shop/p3", "./p0", "./p1", "./...", "example.test/shop/p4"},
	} {
		if diff := cmp.Diff(want, show(dir, cfg, patterns)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", patterns, diff)
		}
	}
}

func TestAFolderIsLoadedThroughALink(t *testing.T) {
	dir := write(t, synthetic(1, true))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want := show(dir, load.Config{Dir: dir}, []string{"./..."})
	if got := show(link, load.Config{Dir: link}, []string{"./..."}); got != want {
		t.Errorf("got\n%s\ninstead of\n%s", got, want)
	}
	if got := show(link, load.Config{Dir: link}, []string{link + "/p0"}); got != want {
		t.Errorf("by its path: got\n%s\ninstead of\n%s", got, want)
	}
}

func TestTheWorkingDirectoryIsTheDefault(t *testing.T) {
	t.Chdir(filepath.Join(write(t, synthetic(1, true)), "p0"))
	got, err := packagesOf(load.Config{})
	if err != nil || len(got) != 1 || got[0].Path != "example.test/shop/p0" {
		t.Errorf("got %v and error %v", got, err)
	}
}

func TestAFileThatCannotBeReadIsTold(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read every file")
	}
	dir := write(t, synthetic(1, true))
	if err := os.Chmod(filepath.Join(dir, "p0", "help.go"), 0); err != nil {
		t.Fatal(err)
	}
	if got := show(dir, load.Config{Dir: dir}, []string{"./..."}); !strings.Contains(got, "permission denied") {
		t.Errorf("got\n%s", got)
	}
}

func TestAFunctionThatOnlyADirectiveNamesIsLoaded(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":     "module example.test/shop\n\ngo 1.26\n",
		"dep/dep.go": "package dep\n\nfunc Classify(error) string { return \"\" }\n\nfunc Other() {}\n",
		"shop.go": "package shop\n\nimport other \"example.test/shop/dep\"\n\n//resilience:breaker shop classify=other.Classify\n" +
			"type Payments interface{ M() error }\n\nfunc f() { other.Other() }\n",
	})
	got, err := packagesOf(load.Config{Dir: dir})
	if err != nil || len(got) != 1 || len(got[0].Types.Imports()) != 1 {
		t.Fatalf("got %v and error %v", got, err)
	}
	scope := got[0].Types.Imports()[0].Scope()
	if want := []string{"Classify"}; !slices.Equal(scope.Names(), want) {
		t.Errorf("got %v instead of %v", scope.Names(), want)
	}
}

func TestElementsOfAnArrayNeedNoImportWhereItsTypeTellsItsLength(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":         "module example.test/shop\n\ngo 1.26\n",
		"heavy/heavy.go": "package heavy\n\nfunc Word() string { return \"\" }\n",
		"lib/lib.go": "package lib\n\nimport \"example.test/shop/heavy\"\n\ntype words [2]string\n\n" +
			"var known, plain = words{heavy.Word(), heavy.Word()}, [1]string{heavy.Word()}\n\n" +
			"type Key [len(known) + len(plain)]byte\n",
		"shop.go": "package shop\n\nimport \"example.test/shop/lib\"\n\n//resilience:breaker\ntype Payments interface{ M(lib.Key) error }\n",
	})
	got, err := packagesOf(load.Config{Dir: dir})
	if err != nil || len(got) != 1 || len(got[0].Faults) > 0 {
		t.Fatalf("got %v and error %v", got, err)
	}
	lib := got[0].Types.Imports()[0]
	if len(lib.Imports()) > 0 {
		t.Errorf("it imports %v", lib.Imports())
	}
	if size := types.SizesFor("gc", "amd64").Sizeof(lib.Scope().Lookup("Key").Type()); size != 3 {
		t.Errorf("the key has %d bytes", size)
	}
}

func TestAnEmptyBuildCacheStaysEmpty(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	dir := write(t, synthetic(1, true))
	loaded, err := packagesOf(load.Config{Dir: dir, Env: append(os.Environ(), "GOCACHE="+cache)}, "./...")
	if err != nil || len(loaded) != 1 || len(loaded[0].Faults) > 0 {
		t.Fatalf("%d packages, error %v", len(loaded), err)
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Errorf("the go command used it: %v", err)
	}
}

func TestAMissingGoCommandIsTold(t *testing.T) {
	dir := write(t, synthetic(1, true))
	t.Setenv("PATH", "")
	_, err := packagesOf(load.Config{Dir: dir}, "./...")
	if err == nil || !strings.HasPrefix(err.Error(), "go command required, not found") {
		t.Errorf("got %v", err)
	}
}

func TestAliasesAreLoadedWithTheHiddenTypesThatTheyName(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":  "module example.test/shop\n\ngo 1.26\n",
		"shop.go": "package shop\n\nimport \"example.test/shop/lib\"\n\n//resilience:breaker\ntype Mail interface{ lib.Client; lib.Opener }\n",
		"lib/lib.go": `package lib

import (
	"net/http"

	"example.test/shop/lib/internal/wire"
)

type (
	Client  = wire.Client
	Message = wire.Message
	Token   = token
	Other   = wire.Other
	Unused  = unused
	Request = http.Request
)

type Opener interface{ Open(token) error }

type (
	token  struct{}
	unused struct{}
)
`,
		"lib/internal/wire/wire.go": `package wire

type (
	Client  interface{ Send(Message) error }
	Message struct{}
	Other   struct{}
)
`,
	})
	loaded, err := packagesOf(load.Config{Dir: dir})
	if err != nil || len(loaded) != 1 || len(loaded[0].Faults) > 0 {
		t.Fatalf("%v, error %v", loaded, err)
	}
	lib := loaded[0].Types.Imports()[0]
	if diff := cmp.Diff([]string{"Client", "Message", "Opener", "Token", "token"}, lib.Scope().Names()); diff != "" {
		t.Errorf("of lib there is (-want +got):\n%s", diff)
	}
}

func TestAliasesFurtherDownAreLoadedWithTheHiddenTypesThatTheyName(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":                    "module example.test/shop\n\ngo 1.26\n",
		"app/app.go":                "package app\n\nimport \"example.test/shop/lib/pub\"\n\n//resilience:breaker\ntype Mail interface{ pub.Client }\n",
		"lib/internal/wire/wire.go": "package wire\n\ntype Message struct{}\n",
		"lib/pub/pub.go": `package pub

import (
	"example.test/shop/lib/internal/wire"
	"example.test/shop/lib/other"
)

type Client interface{ Send(wire.Message) error }

func New() *other.Own { return nil }
`,
		"lib/other/other.go": `package other

import (
	"example.test/shop/lib/internal/wire"
	"example.test/shop/lib/names"
)

type Own struct{}

func New(names.Message) wire.Message { return wire.Message{} }
`,
		"lib/names/names.go": "package names\n\nimport \"example.test/shop/lib/internal/wire\"\n\ntype (\n\tMessage = wire.Message\n\tOwn struct{}\n)\n",
	})
	loaded, err := packagesOf(load.Config{Dir: dir}, "./app")
	if err != nil || len(loaded) != 1 || len(loaded[0].Faults) > 0 {
		t.Fatalf("%v, error %v", loaded, err)
	}
	at := loaded[0].Types
	for _, path := range []string{"pub", "other", "names"} {
		i := slices.IndexFunc(at.Imports(), func(p *types.Package) bool { return p.Path() == "example.test/shop/lib/"+path })
		if i < 0 {
			t.Fatalf("%s imports %v", at.Path(), at.Imports())
		}
		at = at.Imports()[i]
	}
	if diff := cmp.Diff([]string{"Message"}, at.Scope().Names()); diff != "" {
		t.Errorf("of the names there is (-want +got):\n%s", diff)
	}
}

func TestAFileThatAsksIsReadOnce(t *testing.T) {
	dir := write(t, synthetic(3, true))
	for _, plain := range []bool{false, true} {
		var mu sync.Mutex
		times := map[string]int{}
		hooks := new(outputs.Reader).Hooks()
		read := hooks.Read
		hooks.Read = func(fset *token.FileSet, file *load.File) load.Wants {
			mu.Lock()
			defer mu.Unlock()
			times[filepath.Base(filepath.Dir(file.Path))]++
			return read(fset, file)
		}
		if _, err := load.Packages(load.Config{Hooks: hooks, Dir: dir, Plain: plain}, "./..."); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]int{"p0": 1, "p1": 1, "p2": 1}, times); diff != "" {
			t.Errorf("plain: %v: %s", plain, diff)
		}
	}
}
