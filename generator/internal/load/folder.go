package load

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/directives"
)

// A folder has something to do with us: a file that asks, or one that is ours.
type folder struct {
	dir     string
	pattern string  // names its package to the go command
	wild    bool    // only a wildcard asked for it
	files   []*File // not ours
	outputs []*File
}

func (f *folder) asks() bool {
	return slices.ContainsFunc(f.files, func(f *File) bool { return f.Asks })
}

func (f *folder) testsAsk() bool {
	return slices.ContainsFunc(f.files, func(f *File) bool { return f.Test && f.Asks })
}

func (f *folder) read(names []string) error {
	for _, name := range names {
		path := filepath.Join(f.dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := &File{Path: path, Src: src, Test: strings.HasSuffix(name, "_test.go")}
		if IsOutput(path, src) {
			f.outputs = append(f.outputs, file)
			continue
		}
		file.Asks = directives.Asks(src)
		f.files = append(f.files, file)
	}
	return nil
}

// file is the file at a path; nil for one that is not in the folder, or ours.
func (f *folder) file(path string) *File {
	if i := slices.IndexFunc(f.files, func(file *File) bool { return file.Path == path }); i >= 0 {
		return f.files[i]
	}
	return nil
}

// asksIn says whether one of the files of p asks.
func (f *folder) asksIn(p *packages.Package) bool {
	return slices.ContainsFunc(f.files, func(file *File) bool {
		return file.Asks && slices.Contains(p.GoFiles, file.Path)
	})
}

// mayUseCgo says whether a file imports C, as far as can be seen at a glance.
func (f *folder) mayUseCgo() bool {
	return slices.ContainsFunc(f.files, func(file *File) bool { return bytes.Contains(file.Src, []byte(`"C"`)) })
}

// declared are the names that the outputs of the folder declare at package
// level, as far as they can be parsed.
func (f *folder) declared() map[string]bool {
	names := map[string]bool{}
	for _, output := range f.outputs {
		file, _ := parser.ParseFile(token.NewFileSet(), output.Path, output.Src, 0)
		if file != nil && file.Scope != nil {
			for name := range file.Scope.Objects {
				names[name] = true
			}
		}
	}
	return names
}
