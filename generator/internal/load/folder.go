package load

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/fault"
)

// A folder has something to do with us: a file that asks, or one that is ours.
type folder struct {
	dir     string
	pattern string  // names its package to the go command
	wild    bool    // only a wildcard asked for it
	named   bool    // a pattern means it alone
	files   []*File // not ours
	outputs []*File
}

func (f *folder) asks() bool {
	return slices.ContainsFunc(f.files, func(f *File) bool { return f.Asks })
}

func (f *folder) testsAsk() bool {
	return slices.ContainsFunc(f.files, func(f *File) bool { return f.Test && f.Asks })
}

func (f *folder) read(sources []os.DirEntry, hooks Hooks) error {
	for _, entry := range sources {
		path := filepath.Join(f.dir, entry.Name())
		src, err := readFile(path, entry)
		if err != nil {
			return err
		}
		if src == nil {
			continue
		}
		file := &File{Path: path, Src: src, Test: strings.HasSuffix(path, "_test.go")}
		if hooks.IsOutput(path, src) {
			f.outputs = append(f.outputs, file)
			continue
		}
		file.Asks = hooks.Asks(src)
		f.files = append(f.files, file)
	}
	return nil
}

// errNoFile is the error of something that is named like a Go file, and from
// which nothing can be read, or only what others write to it.
var errNoFile = errors.New("this is no file, so no Go can be read from it; rename or remove it")

// readFile returns nil for a file that was removed since its folder was read:
// a run beside this one may have had no more use for it. A link without a target
// is a fault.
func readFile(path string, entry os.DirEntry) ([]byte, error) {
	if !isFile(path, entry) {
		return nil, &os.PathError{Op: "read", Path: path, Err: errNoFile}
	}
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && entry.Type().IsRegular() {
		return nil, nil
	}
	return src, err
}

// isFile reports whether an entry is a file or a link to one, as far as that can
// be seen: a link may lead nowhere.
func isFile(path string, entry os.DirEntry) bool {
	if entry.Type() != os.ModeSymlink {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// unread are the syntax errors in files that nothing else parses, where it
// matters that they ask for nothing: where an output would have to go, and where
// the folder is named. A file that can't be read is not one without directives.
func (f *folder) unread(hooks Hooks) fault.List {
	if !f.leavesOutputs(hooks) && (f.asks() || !f.named) {
		return nil
	}
	var faults fault.List
	for _, file := range f.files {
		if file.Syntax == nil {
			_, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Src, parser.SkipObjectResolution)
			faults = append(faults, syntaxFaults(err)...)
		}
	}
	return faults
}

// leavesOutputs reports whether there is an output that no file asks for.
func (f *folder) leavesOutputs(hooks Hooks) bool {
	return slices.ContainsFunc(f.outputs, func(output *File) bool {
		return !slices.ContainsFunc(f.files, func(file *File) bool { return file.Asks && hooks.OutputPath(file.Path) == output.Path })
	})
}

// file is the file at a path; nil for one that is not in the folder, or ours.
func (f *folder) file(path string) *File {
	if i := slices.IndexFunc(f.files, func(file *File) bool { return file.Path == path }); i >= 0 {
		return f.files[i]
	}
	return nil
}

// asksIn reports whether one of the files of p asks.
func (f *folder) asksIn(p *packages.Package) bool {
	return slices.ContainsFunc(f.files, func(file *File) bool {
		return file.Asks && slices.Contains(p.GoFiles, file.Path)
	})
}

// mayUseCgo reports whether a file imports C, as far as can be seen at a glance.
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
