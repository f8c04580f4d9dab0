package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var generateLine = regexp.MustCompile(`(?m)^//go:generate go (?:tool|run) \S*resgen *(.*)$`)

// What go generate runs in this module must have nothing to say: whoever tries it
// for the first time looks for a mistake of his own.
func TestFieldL09GoGenerateIsSilentInThisModule(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && path != root && (exists(filepath.Join(path, "go.mod")) || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasPrefix(path, filepath.Join(root, "cmd")) {
			return nil
		}
		for _, line := range generateLine.FindAllStringSubmatch(read(t, path), -1) {
			lines++
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Chdir(filepath.Dir(path))
				expect(t, 0, "", "", append([]string{"-check"}, strings.Fields(line[1])...)...)
			})
		}
		return nil
	})
	if err != nil || lines < 4 {
		t.Errorf("%d lines, error %v", lines, err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
