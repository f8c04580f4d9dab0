package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/generator"
	_ "github.com/resgen-go/resgen/runtime" // the module imports it, and a word of a download is no finding
	"github.com/resgen-go/resgen/vet"
)

const root = "../.."

// module is a small service: its clients are a package of their own.
var module = map[string]string{
	"clients/clients.go": `package clients

import (
	"context"
	"net/http"
)

//resilience:bulkhead
type Inventory interface {
	Pick(ctx context.Context, item string) error
}

type Shop interface {
	//resilience:anticipate preload=inventory:1
	Checkout(ctx context.Context) error
}

type warehouse struct{}

func (warehouse) Pick(ctx context.Context, item string) error {
	_, err := http.Get(item)
	return err
}

func Pick(ctx context.Context, item string) error {
	var inventory Inventory = warehouse{}
	return inventory.Pick(ctx, item)
}
`,
	"shop/shop.go": `package shop

import (
	"context"

	"example.com/shop/clients"
)

type shop struct{ inventory *clients.ResilientInventory }

var _ clients.Shop = shop{}

func (s shop) Checkout(ctx context.Context) error {
	s.inventory.Pick(context.Background(), "tea")
	s.inventory.Pick(ctx, "tea")
	return s.inventory.Pick(ctx, "jam")
}
`,
}

// The findings in the module, one of each analyzer.
const (
	unwrapped   = "clients/clients.go:26:28: warehouse is called as Inventory without a guard: give it to NewResilientInventory and use what that returns"
	context     = "shop/shop.go:14:19: call of Inventory.Pick misses the permits of bulkhead inventory that Shop.Checkout reserves: derive its context from that of Checkout, if need be with context.WithoutCancel, or attach the reservation to it (resilience.ReservationFrom)"
	reservation = "shop/shop.go:16:9: 2 calls on bulkhead inventory on this path, but Shop.Checkout preloads 1: write preload=inventory:2, or lease=inventory:n, whose permits serve call after call"
)

// questions are flags, and what is found with them.
var questions = []struct {
	flags    []string
	findings []string
}{
	{nil, []string{unwrapped, context, reservation}},
	{[]string{"-context"}, []string{context}},
	{[]string{"-reservation"}, []string{reservation}},
	{[]string{"-unwrapped"}, []string{unwrapped}},
}

func TestGoVetReportsWhatIsFound(t *testing.T) {
	dir, tool := smallModule(t), build(t)
	for _, q := range questions {
		t.Run(strings.Join(q.flags, " "), func(t *testing.T) {
			output, err := run(dir, "go", slices.Concat([]string{"vet", "-vettool=" + tool}, q.flags, []string{"./..."})...)
			if err == nil {
				t.Error("go vet succeeds")
			}
			checkFindings(t, q.findings, dir, output)
		})
	}
}

func TestDirectRunReportsTheSame(t *testing.T) {
	dir := smallModule(t)
	output, err := run(dir, build(t), "./...")
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("it ends with %v, want exit status 3", err)
	}
	checkFindings(t, questions[0].findings, dir, output)
}

func TestHelpTellsOfEachAnalyzer(t *testing.T) {
	tool := build(t)
	output, err := run(".", tool, "help")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range vet.Analyzers() {
		summary, _, _ := strings.Cut(a.Doc, "\n")
		if !strings.Contains(output, a.Name) || !strings.Contains(output, summary) {
			t.Errorf("nothing of %s, %s, in\n%s", a.Name, summary, output)
		}
		if output, err := run(".", tool, "help", a.Name); err != nil || !strings.Contains(output, summary) {
			t.Errorf("help %s: %v\n%s", a.Name, err, output)
		}
	}
}

func TestExamplesHaveNoFindings(t *testing.T) {
	cmd := exec.Command("go", "vet", "-vettool="+build(t), "./examples/...")
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

func checkFindings(t *testing.T, want []string, dir, output string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), dir+"/"))
		}
	}
	slices.Sort(lines) // a direct run reports one analyzer after the other
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// build compiles the command; after the first time this costs a link.
func build(t testing.TB) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "resgenvet")
	if output, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return tool
}

// smallModule writes the module, with wrappers, into a folder of its own.
func smallModule(t *testing.T) string { return writeModule(t, module) }

func writeModule(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod := strings.Replace(read(t, "go.mod"), "module github.com/resgen-go/resgen", "module example.com/shop", 1)
	write(t, dir, "go.mod", mod+"\nrequire github.com/resgen-go/resgen v0.0.0\n\nreplace github.com/resgen-go/resgen => "+here+"\n")
	write(t, dir, "go.sum", read(t, "go.sum"))
	for name, text := range files {
		write(t, dir, name, text)
	}
	result, err := generator.Generate(generator.Options{Dir: dir, Patterns: []string{"./..."}, Env: alone()})
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Write(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// alone is an environment in which the module is no part of a workspace.
func alone() []string { return append(os.Environ(), "GOWORK=off", "GOFLAGS=") }

func run(dir, name string, args ...string) (output string, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, alone()
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err = cmd.Run()
	return both.String(), err
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
