package generator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/generator"
)

const corpus = "../testdata/corpus"

// corpusCase is one folder of the corpus; its README.md explains the fields.
type corpusCase struct {
	name   string
	faults bool     // expected
	own    bool     // a module of its own
	crlf   bool     // give it these line ends
	rename []string // old and new name; nil: nothing to rename
}

// corpusCases reads the cases that this machine can build.
func corpusCases(t *testing.T) []corpusCase {
	t.Helper()
	var cases []corpusCase
	for _, name := range folders(t, corpus) {
		text, err := os.ReadFile(filepath.Join(corpus, name, "case.txt"))
		if err != nil {
			t.Fatal(err)
		}
		c := corpusCase{name: name}
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "expect":
				c.faults = value == "faults"
			case "module":
				c.own = true
			case "line ends":
				c.crlf = true
			case "rename":
				c.rename = strings.Fields(value)
			}
		}
		if cgo() || !bytes.Contains(text, []byte("\nneeds: cgo")) {
			cases = append(cases, c)
		}
	}
	return cases
}

// patterns are the packages of the cases, for the generator and the go command.
func patterns(cases []corpusCase) []string {
	var list []string
	for _, c := range cases {
		list = append(list, "./"+c.name+"/...")
	}
	return list
}

func TestCorpusOfFaults(t *testing.T) {
	cases := slices.DeleteFunc(corpusCases(t), func(c corpusCase) bool { return c.own || !c.faults })
	result, err := generator.Generate(generator.Options{Dir: corpus, Patterns: patterns(cases)})
	if len(result.Outputs) > 0 {
		t.Errorf("with faults there is something to write: %v", result.Outputs)
	}
	got := byFolder(err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			compareText(t, filepath.Join(corpus, c.name, "faults.txt"), got[c.name])
		})
	}
}

// The outputs are checked in the place where they belong, but the go
// command is told of them without writing them there.
func TestCorpusOfWrappers(t *testing.T) {
	cases := slices.DeleteFunc(corpusCases(t), func(c corpusCase) bool { return c.own || c.faults })
	result, err := generator.Generate(generator.Options{Dir: corpus, Patterns: patterns(cases)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		ofCase := func(f generator.Output) bool { return strings.HasPrefix(filepath.ToSlash(f.Shown), c.name+"/") }
		if !slices.ContainsFunc(result.Outputs, ofCase) {
			t.Errorf("case %s has no output", c.name)
		}
	}
	overlay := overlayOf(t, result.Outputs)
	goCommand(t, corpus, append([]string{"vet", overlay}, patterns(cases)...)...)
	goCommand(t, corpus, append([]string{"test", "-vet=off", overlay}, tested(t, cases)...)...)
}

// tested are the packages of the cases that have tests to run.
func tested(t *testing.T, cases []corpusCase) []string {
	t.Helper()
	var list []string
	for _, c := range cases {
		files, err := filepath.Glob(filepath.Join(corpus, c.name, "in_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) > 0 {
			list = append(list, "./"+c.name)
		}
	}
	return list
}

// overlayOf is the flag by which the go command sees files that are not there.
func overlayOf(t *testing.T, files []generator.Output) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for i, file := range files {
		replace[file.Path] = filepath.Join(dir, fmt.Sprint(i, ".go"))
		if err := os.WriteFile(replace[file.Path], file.Want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return "-overlay=" + path
}

// Cases that are modules are copied, and joined with this one by a workspace.
func TestCorpusOfModules(t *testing.T) {
	cases := slices.DeleteFunc(corpusCases(t), func(c corpusCase) bool { return !c.own })
	root := t.TempDir()
	modules := []string{repository(t)}
	for _, c := range cases {
		dir := filepath.Join(root, c.name)
		vendored := c.name == "vendored-dependency" // a workspace does not look into vendor folders of modules
		if vendored {
			dir = t.TempDir()
		}
		c.copyTo(t, dir)
		t.Run(c.name, func(t *testing.T) { generateInto(t, dir) })
		if vendored {
			vendorRuntime(t, dir)
		} else {
			modules = append(modules, modulesBelow(t, dir)...)
		}
	}
	writeFile(t, filepath.Join(root, "go.work"), "go 1.26.0\n\nuse (\n\t"+strings.Join(modules, "\n\t")+"\n)\n")
	for _, command := range []string{"build", "vet"} {
		goCommand(t, root, append([]string{command}, below(modules[1:])...)...)
	}
}

func below(dirs []string) []string {
	var list []string
	for _, dir := range dirs {
		list = append(list, dir+"/...")
	}
	return list
}

// generateInto generates and writes the outputs of a module or workspace.
func generateInto(t *testing.T, dir string) {
	patterns := []string{"./..."}
	if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
		patterns = []string{"work"}
	}
	result, err := generator.Generate(generator.Options{Dir: dir, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Outputs) == 0 {
		t.Fatal("there is no output")
	}
	if err := result.Write(); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(result.Outputs[0].Want, []byte("\r")) {
		t.Error("the output has carriage returns")
	}
}

// copyTo copies the sources of a case.
func (c corpusCase) copyTo(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(corpus, c.name))); err != nil {
		t.Fatal(err)
	}
	if c.rename != nil {
		if err := os.Rename(filepath.Join(dir, c.rename[0]), filepath.Join(dir, c.rename[1])); err != nil {
			t.Fatal(err)
		}
	}
	if c.crlf {
		path := filepath.Join(dir, "in.go")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, strings.ReplaceAll(string(text), "\n", "\r\n"))
	}
}

// modulesBelow are the folders with a go.mod.
func modulesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"go.mod", "*/go.mod"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			list = append(list, filepath.Dir(path))
		}
	}
	return list
}

// vendorRuntime puts a runtime into the vendor folder, as a user who vendors
// has it, and vets the module.
func vendorRuntime(t *testing.T, dir string) {
	t.Helper()
	const module = "github.com/resgen-go/resgen"
	appendFile(t, filepath.Join(dir, "go.mod"), "\nrequire "+module+" v0.0.0\n")
	appendFile(t, filepath.Join(dir, "vendor/modules.txt"), "# "+module+" v0.0.0\n## explicit; go 1.26\n"+module+"/runtime\n")
	writeFile(t, filepath.Join(dir, "vendor", module, "runtime/runtime.go"), generator.FakeRuntime)
	goCommand(t, dir, "vet", "./...")
}
