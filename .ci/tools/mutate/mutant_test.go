package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestMutantsAreTheSlipsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	const source = `package a

func f(n int) bool {
	defer g()
	if n > 3 {
		n = 4
	}
	n++
	return true
}
`
	if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := mutants(target{path, "a"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		got = append(got, m.describe(filepath.Dir(path)))
	}
	want := []string{
		"a.go:4: left out defer g()",
		"a.go:5: !(n > 3) in place of n > 3",
		"a.go:5: >= in place of >",
		"a.go:5: 4 in place of 3",
		"a.go:6: left out n = 4",
		"a.go:6: 5 in place of 4",
		"a.go:8: -- in place of ++",
		"a.go:9: false in place of true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
