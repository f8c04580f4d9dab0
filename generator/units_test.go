package generator

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

func TestAFieldIsTheMethodsNameInLowerCamelCase(t *testing.T) {
	for name, want := range map[string]string{
		"Charge": "charge", "GetURL": "getURL", "URL": "url", "HTTPGet": "httpGet", "ID": "id", "A": "a",
		"get": "get", "Über": "über", "M_1": "m_1",
	} {
		if got := lowerCamel(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestPickTakesTheFirstFreeCandidateElseANumber(t *testing.T) {
	spoken := names{"w": true}
	var got []string
	for range 4 {
		got = append(got, spoken.pick("w", "func", "wrapper"))
	}
	if diff := cmp.Diff([]string{"wrapper", "wrapper2", "wrapper3", "wrapper4"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnImportIsNamedWhereItsPathDoesNotShowTheName(t *testing.T) {
	for path, want := range map[string]string{
		"context": "context", "net/http": "http", "example.test/lib/v2": "lib", "gopkg.in/yaml.v3": "yaml",
		"example.test/go-spool": "go-spool", "v2": "v2",
	} {
		if got := assumedName(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestImportsGetTheSourcesNamesThenTheirOwnThenLongerOnes(t *testing.T) {
	table := newImportTable()
	table.need("text/template", "template")
	table.need("html/template", "template")
	table.need("context", "context")
	table.need("example.test/v2/html", "html")
	table.need("example.test/lib/v2", "lib")
	table.need("example.test/w", "w")
	table.choose(
		map[string]string{"html/template": "template", "example.test/w": "resilience"},
		names{"context": true, "html": true, "lib": true},
		map[string]names{runtimePath: {"resgenresilience": true}},
	)
	want := []importSpec{
		{Path: "context", Name: "stdcontext", Explicit: true},
		{Path: "html/template", Name: "template"},
		{Path: "text/template", Name: "texttemplate", Explicit: true},
		{Path: "example.test/lib/v2", Name: "exampletestlib", Explicit: true},
		{Path: "example.test/v2/html", Name: "exampletesthtml", Explicit: true},
		{Path: "example.test/w", Name: "resilience", Explicit: true},
		{Path: runtimePath, Name: "resgenresilience2", Explicit: true},
	}
	if diff := cmp.Diff(want, table.list()); diff != "" {
		t.Error(diff)
	}
}

// Without braces, *int | string would be a product: the length of an array.
func TestAConstraintThatBeginsWithAPointerIsPutIntoBraces(t *testing.T) {
	for constraint, want := range map[string]string{
		"*int,":           "[P interface{ *int }]",
		"*int | string,":  "[P interface{ *int | string }]",
		"~*int | string":  "[P ~*int | string]",
		"~*int":           "[P ~*int]",
		"string | *int":   "[P string | *int]",
		"~string | ~*int": "[P ~string | ~*int]",
	} {
		output := outputOf(t, "package random\n\nimport \"context\"\n\n//resilience:breaker\ntype Shop[P "+constraint+"] interface {\n\tBuy(context.Context, P) error\n}\n")
		if !strings.Contains(strings.Join(strings.Fields(output), " "), "type ResilientShop"+want) {
			t.Errorf("%s: there is no %s in\n%s", constraint, want, output)
		}
	}
}

// outputOf is what is generated for a source of package random.
func outputOf(t *testing.T, source string) string {
	t.Helper()
	pkg, err := checkSources(map[string]string{"in.go": source})
	if err != nil {
		t.Fatal(err)
	}
	annotated, _ := readDirectives(pkg, new(outputs.Reader))
	c := &checker{pkg: pkg, place: func(token.Pos) string { return "" }}
	output, err := emit(c.plans(c.targets(annotated))[0])
	if err != nil || len(c.faults) > 0 {
		t.Fatal(err, c.faults)
	}
	return string(output)
}

func TestAnOutputRepeatsTheConstraintsOfItsSource(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.go", "package a", ""},
		{"a.go", "//go:build linux || darwin\n\npackage a", "linux || darwin"},
		{"a.go", "// +build linux darwin\n// +build !cgo\n\npackage a", "(linux || darwin) && !cgo"},
		{"a.go", "//go:build amd64\n// +build amd64\n\npackage a", "amd64"},
		{"a.go", "// Header.\n\n// Package a is.\n// +build plan9\npackage a", ""},
		{"a.go", "// +build plan9\n\n// Package a is.\npackage a", "plan9"},
		{"a.go", "// +build plan9\n/* License */\n\npackage a", ""},
		{"a.go", "/* License */\n\n// +build plan9\n\npackage a", ""},
		{"a.go", "/* License */\n\n//go:build plan9\npackage a", "plan9"},
		{"a.go", "package a\n\n//go:build ignore\n", ""},
		{"a_linux.go", "package a", "linux"},
		{"a_linux_test.go", "package a", "linux"},
		{"a_linux_arm64.go", "package a", "linux && arm64"},
		{"a_arm64_linux.go", "package a", "linux"},
		{"a_arm64.gen.go", "package a", "arm64"},
		{"linux.go", "package a", ""},
		{"linux_test.go", "package a", ""},
		{"a_unix.go", "package a", ""},
		{"a_linux.go", "//go:build x || y\n\npackage a", "(x || y) && linux"},
		{"a.go", "package a\n\nimport \"C\"\n", "cgo"},
	} {
		syntax, err := parser.ParseFile(token.NewFileSet(), c.file, c.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := constraintOf(&load.File{Path: "/src/" + c.file, Syntax: syntax}); got != c.want {
			t.Errorf("%s with %q: got %q, want %q", c.file, c.text, got, c.want)
		}
	}
}

func TestADiffTurnsTheOldTextIntoTheNew(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"}), 0, 30), func(lines []string) string {
		return strings.Join(lines, "")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		var before, after strings.Builder
		for _, e := range edits(splitLines([]byte(old)), splitLines([]byte(new))) {
			if e.sign != '+' {
				before.WriteString(e.line)
			}
			if e.sign != '-' {
				after.WriteString(e.line)
			}
		}
		if before.String() != old || after.String() != new {
			t.Errorf("the edits turn %q into %q", before.String(), after.String())
		}
	})
}

func TestADiffOfLongTextsTakesLittleMemory(t *testing.T) {
	var old, new []string
	for i := range 12_000 {
		old, new = append(old, fmt.Sprintf("old %d\n", i)), append(new, fmt.Sprintf("new %d\n", i))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	edits(old, new)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 20<<20 {
		t.Errorf("%d bytes", taken)
	}
}

func TestADiffHasHunksWithThreeLinesAround(t *testing.T) {
	lines := func(list string) []string { return strings.SplitAfter(strings.ReplaceAll(list, " ", "\n"), "\n") }
	old := lines("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")
	new := lines("1 2 3 4 five 6 8 9 10 11 12 13 14 15 16 17 18 19 20 21")
	want := `@@ -2,9 +2,8 @@
 2
 3
 4
-5
+five
 6
-7
 8
 9
 10
@@ -17,4 +16,5 @@
 17
 18
 19
-20
\ No newline at end of file
+20
+21
\ No newline at end of file
`
	if diff := cmp.Diff(want, unified(old, new)); diff != "" {
		t.Error(diff)
	}
}

func TestFieldG03WhatCannotBeReadHasNoGuards(t *testing.T) {
	found := guards{}
	found.addTree(filepath.Join(t.TempDir(), "missing"))
	found.addFile(t.TempDir())
	if len(found) > 0 {
		t.Errorf("got %v", found)
	}
}

// Hunks that would touch are one, and no line stands in two.
func TestADiffJoinsHunksThatTouch(t *testing.T) {
	for between, hunks := range map[int]int{5: 1, 6: 1, 7: 2, 8: 2} {
		var same []string
		for i := range between {
			same = append(same, fmt.Sprintln("same", i))
		}
		old := slices.Concat([]string{"first\n"}, same, []string{"last\n"})
		new := slices.Concat([]string{"erst\n"}, same, []string{"letzt\n"})
		if got := strings.Count(unified(old, new), "\n@@ "); got+1 != hunks {
			t.Errorf("with %d lines between: %d hunks instead of %d", between, got+1, hunks)
		}
	}
}
