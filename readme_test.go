// Package resgen_test holds the promises of the README and of the pages under
// docs: every block of code in the README, docs/operating.md, docs/guarding.md and
// docs/fallback.md is compiled or run here, and so is what others say to type in a module of one's
// own.
package resgen_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/directives"
	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

var update = flag.Bool("update", false, "write the tables of directives and settings anew")

const (
	readme    = "README.md"
	index     = "docs/README.md"
	guarding  = "docs/guarding.md"
	falling   = "docs/fallback.md"
	operating = "docs/operating.md"
	settings  = "docs/settings.md"
	sharing   = "docs/shared-state.md"
)

// block is a fenced block of a page. Its first line may name a file: "//
// file: NAME" is an input of the worked example, "// generated: NAME" a part of
// an output.
type block struct {
	language, role, name, text string
}

var (
	fence  = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	marker = regexp.MustCompile(`^// (file|generated): (\S+)\n`)
)

func blocks(t *testing.T, page, language string) []block {
	t.Helper()
	var found []block
	for _, match := range fence.FindAllStringSubmatch(read(t, page), -1) {
		b := block{language: match[1], text: match[2]}
		if mark := marker.FindStringSubmatch(b.text); mark != nil {
			b.role, b.name = mark[1], mark[2]
			b.text = strings.TrimPrefix(b.text, mark[0])
		}
		if b.language == language {
			found = append(found, b)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return found
}

func TestWorkedExampleGeneratesAndCompiles(t *testing.T) {
	dir := t.TempDir()
	goMod(t, dir)
	for _, page := range []string{readme, operating} {
		writeFiles(t, dir, page)
	}
	run(t, dir, "go", "tool", "resgen", ".")
	run(t, dir, "go", "tool", "resgen", "-check", ".")
	run(t, dir, "go", "vet", ".")
	for _, b := range blocks(t, index, "go") {
		if output := read(t, filepath.Join(dir, b.name)); !strings.Contains(output, b.text) {
			t.Errorf("%s has no such part:\n%s\nbut:\n%s", b.name, b.text, output)
		}
	}
}

// writeFiles writes the files that a page shows into dir.
func writeFiles(t *testing.T, dir, page string) {
	t.Helper()
	for _, b := range blocks(t, page, "go") {
		write(t, filepath.Join(dir, b.name), b.text)
	}
}

func TestREADMEIsReadInOneGo(t *testing.T) {
	if lines := strings.Count(read(t, readme), "\n"); lines > 200 {
		t.Errorf("the README has %d lines, more than 200: what is not for a newcomer belongs into docs", lines)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, readme) {
		for _, link := range links.FindAllStringSubmatch(read(t, page), -1) {
			path, anchor := filepath.Join(filepath.Dir(page), link[1]), link[2]
			switch {
			case strings.Contains(link[0], "://"):
				continue
			case link[1] == "":
				path = page
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if anchor != "" && !slices.Contains(anchors(t, path), anchor) {
				t.Errorf("%s: %s has no heading %q", page, path, anchor)
			}
		}
	}
}

var (
	links    = regexp.MustCompile(`\]\(([^)#:]*)#?([^)]*)\)`)
	headings = regexp.MustCompile("(?m)^#+ (.*)$")
)

// anchors are what links name the headings of a page by.
func anchors(t *testing.T, page string) (all []string) {
	t.Helper()
	for _, heading := range headings.FindAllStringSubmatch(read(t, page), -1) {
		words := strings.NewReplacer(" ", "-", ",", "", "`", "", ".", "", "?", "").Replace(heading[1])
		all = append(all, strings.ToLower(words))
	}
	return all
}

func TestPagesGenerateCompileAndPassTheirTests(t *testing.T) {
	dir := t.TempDir()
	goMod(t, dir)
	writeFiles(t, filepath.Join(dir, "users"), guarding)
	writeFiles(t, filepath.Join(dir, "prices"), falling)
	run(t, dir, "go", "tool", "resgen", "./...")
	run(t, dir, "go", "vet", "./...")
	run(t, dir, "go", "test", "./...")
}

func TestSettingsAreValid(t *testing.T) {
	for _, page := range []string{readme, "docs/isolation.md"} {
		for _, b := range blocks(t, page, "json") {
			registry, err := resilience.New(resilience.Settings(page, []byte(b.text)))
			if err != nil {
				t.Error(err)
				continue
			}
			registry.Close()
		}
	}
}

func TestTableOfDirectivesIsTheirs(t *testing.T) {
	compare(t, readme, "<!-- directives -->\n", directives.Markdown())
}

func TestTablesOfSettingsAreTheirs(t *testing.T) {
	compare(t, settings, "<!-- settings -->\n", tables(t))
}

// compare looks whether a page has the text between a mark and the next end.
func compare(t *testing.T, page, begin, want string) {
	t.Helper()
	const end = "<!-- end -->\n"
	text := read(t, page)
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no %q … %q", page, begin, end)
	}
	want = before + begin + want + end + after
	if *update {
		write(t, page, want)
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("refresh %s with go test . -update (-want +got):\n%s", page, diff)
	}
}

// Lines of the file that resgen config prints: the rest of a line that was too
// long, the head of a section or of one of its kinds, and a setting with its
// default, its meaning, its range, and what holds without it.
var (
	goesOn      = regexp.MustCompile(`\n +//     `)
	headLine    = regexp.MustCompile(`^(?:  "(\w+)": {|      // ([A-Z_]+): (.*))$`)
	settingLine = regexp.MustCompile(`^ +//   "(\w+)":(?: (.*),)? // (.*); ([[(].*?|true or false|text in double quotes|[A-Z_]+(?: or [A-Z_]+)+)(?:; (optional|default: that of \w+))?$`)
)

// tables are those of all settings but sharedState's, which has a page of its
// own, from the file that resgen config prints.
func tables(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	headed := false
	file := goesOn.ReplaceAllString(string(settingsfile.Starter(nil)), " ")
	file, _, _ = strings.Cut(file, `  "sharedState": {`)
	for line := range strings.SplitSeq(file, "\n") {
		switch head := headLine.FindStringSubmatch(line); {
		case head != nil && head[1] != "":
			fmt.Fprintf(&out, "\n## %s\n", head[1])
			headed = false
		case head != nil:
			fmt.Fprintf(&out, "\n**`%s`** %s.\n", head[2], head[3])
			headed = false
		case strings.HasSuffix(line, "// All of them:"):
			out.WriteString("\n**All of them** have these settings, too.\n")
			headed = false
		case strings.Contains(line, `//   "`):
			if !headed {
				out.WriteString("\n| setting | default | allowed | meaning |\n|---|---|---|---|\n")
			}
			out.WriteString(settingRow(t, line))
			headed = true
		}
	}
	return out.String() + "\n"
}

// Each strategy of the runtime is told from a NAME, as other settings are.
func TestStrategiesAreNoNames(t *testing.T) {
	found := 0
	for line := range strings.Lines(string(settingsfile.Starter(nil))) {
		head := headLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if head == nil || head[2] == "" {
			continue
		}
		found++
		source := []byte("package p\n\n//resilience:breaker " + head[2] + "\ntype C interface{ Do() error }\n")
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if read := directives.Parse(fset, file, source); len(read.Faults) == 0 {
			t.Errorf("breaker %s is taken for a name", head[2])
		}
	}
	if found < 5 {
		t.Errorf("%d strategies found", found)
	}
}

func settingRow(t *testing.T, line string) string {
	t.Helper()
	setting := settingLine.FindStringSubmatch(line)
	if setting == nil {
		t.Fatalf("resgen config prints what is not understood here: %s", line)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", setting[1], otherwise(setting[2], setting[5]), setting[4], setting[3])
}

// otherwise is what holds without a setting.
func otherwise(value, note string) string {
	if other, ok := strings.CutPrefix(note, "default: that of "); ok {
		return "as `" + other + "`"
	}
	if value == "" {
		return "–"
	}
	return strings.Trim(value, `"`)
}

// The commands run as they stand, but for what would take long: the shop plays
// for a second, and the tests are compiled, not run again.
var shorter = strings.NewReplacer(
	"go run ./examples/shop", "go run ./examples/shop -duration 1s",
	"go test work", "go test -run '^$' work",
)

func TestCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the whole project")
	}
	for _, b := range blocks(t, readme, "sh") {
		dir := "."
		if strings.HasPrefix(b.text, inYourModule) {
			dir = yourModule(t)
			writeFiles(t, dir, readme)
		}
		run(t, dir, "sh", "-ec", shorter.Replace(b.text))
		run(t, dir, "go", "vet", ".")
	}
}

func TestSharingGoesIntoAModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a client of Redis")
	}
	for _, b := range blocks(t, sharing, "sh") {
		if strings.HasPrefix(b.text, inYourModule) {
			dir := yourModule(t)
			write(t, filepath.Join(dir, "sharing.go"), `package yours

import (
	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/redis"
)

var Registry, Err = resilience.New(redis.Share())
`)
			run(t, dir, "sh", "-ec", b.text)
			run(t, dir, "go", "vet", ".")
			return
		}
	}
	t.Errorf("%s does not say how to share in a module of one's own", sharing)
}

// inYourModule begins commands that are not for a clone of resgen.
const inYourModule = "# in your module\n"

// yourModule is an empty module beside a clone of resgen. Our checksums are in
// it, so that whatever go mod tidy downloads is checked without a database.
func yourModule(t *testing.T) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	beside := t.TempDir()
	if err := os.Symlink(root, filepath.Join(beside, "resgen")); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(beside, "yours")
	write(t, filepath.Join(dir, "go.mod"), "module example.com/yours\n\ngo 1.26.0\n")
	write(t, filepath.Join(dir, "go.sum"), read(t, "go.sum")+read(t, "runtime/redis/go.sum"))
	return dir
}

func TestCIRunsTheTestCommandOfTheREADME(t *testing.T) {
	for _, b := range blocks(t, readme, "sh") {
		command := strings.TrimSpace(b.text)
		if strings.HasPrefix(command, "go test ") {
			want := strings.Replace(command, "go test", "go test -race", 1)
			if !strings.Contains(read(t, ".ci/run"), want) {
				t.Errorf(".ci/run does not run %s", want)
			}
			return
		}
	}
	t.Error("the README has no test command")
}

// goMod makes dir a module that uses this one and all it needs.
func goMod(t *testing.T, dir string) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), read(t, "go.sum"))
	mod := strings.Replace(read(t, "go.mod"), "module github.com/resgen-go/resgen", "module example.com/shop", 1)
	write(t, filepath.Join(dir, "go.mod"), mod+"\nrequire github.com/resgen-go/resgen v0.0.0\n\nreplace github.com/resgen-go/resgen => "+root+"\n")
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = dir
	if dir != "." { // Go may download: go mod tidy wants modules that no build of ours needs
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, &output)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
