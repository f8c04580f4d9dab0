package generator_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/generator"
	"github.com/resgen-go/resgen/internal/fault"
)

var update = flag.Bool("update", false, "write the expected outputs and faults under testdata anew")

// A scenario is a package with its expected outputs beside its sources, where
// resgen writes them.
func TestScenarios(t *testing.T) {
	result, err := generator.Generate(generator.Options{Dir: "../testdata/scenarios", Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := result.Write(); err != nil {
			t.Fatal(err)
		}
		return
	}
	covered := map[string]bool{}
	for _, file := range result.Outputs {
		scenario, _, _ := strings.Cut(filepath.ToSlash(file.Shown), "/")
		covered[scenario] = true
		t.Run("the output "+file.Shown+" is as expected", func(t *testing.T) {
			if diff := cmp.Diff(string(file.Have), string(file.Want)); diff != "" {
				t.Errorf("-expected +generated (run with -update if this is right):\n%s", diff)
			}
		})
	}
	for _, scenario := range folders(t, "../testdata/scenarios") {
		if !covered[scenario] {
			t.Errorf("scenario %s has no output", scenario)
		}
	}
}

func TestScenariosBuildAndVet(t *testing.T) {
	goCommand(t, "../testdata/scenarios", "vet", "./...")
}

// Each folder of faults has mistakes, and expects their exact messages.
func TestFaults(t *testing.T) {
	result, err := generator.Generate(generator.Options{
		Dir:      "../testdata/faults",
		Patterns: []string{"./..."},
		Limit:    func(string, string, string) int { return 25 },
	})
	if len(result.Outputs) > 0 {
		t.Errorf("with faults there is something to write: %v", result.Outputs)
	}
	got := byFolder(err)
	for _, folder := range folders(t, "../testdata/faults") {
		t.Run("the faults of "+folder+" are as expected", func(t *testing.T) {
			if folder == "c-type" && !cgo() {
				t.Skip("this build leaves cgo files out")
			}
			compareText(t, filepath.Join("../testdata/faults", folder, "faults.txt"), got[folder])
		})
	}
}

// compareText compares what was got with a file, or writes it there.
func compareText(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-expected +got (run with -update if this is right):\n%s", diff)
	}
}

// byFolder splits faults by their first folder, and takes it off the names of
// files.
func byFolder(err error) map[string]string {
	split := map[string]string{}
	faults, _ := err.(fault.List)
	for _, fault := range faults {
		folder, _, _ := strings.Cut(filepath.ToSlash(fault.Position.Filename), "/")
		split[folder] += strings.ReplaceAll(fault.String(), folder+"/in", "in") + "\n"
	}
	return split
}

func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}
