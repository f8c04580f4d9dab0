package extract

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// destination is where the interface is to stand.
type destination struct {
	path     string // import path; empty if there is no module
	name     string // package clause
	declared map[string]token.Position
	imports  map[string]token.Position // the names of imports, of all files
	asks     bool                      // a file has resgen run by go generate
}

// destination reads the folder of the output: the files of all builds.
func (o *Options) destination() (*destination, error) {
	dir := o.Dir
	if o.Output != "" {
		dir = filepath.Dir(filepath.Join(o.Dir, o.Output))
		if filepath.IsAbs(o.Output) {
			dir = filepath.Dir(o.Output)
		}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("-o %s: there is no folder %s", o.Output, filepath.Dir(o.Output))
	case err != nil:
		return nil, err
	}
	d := &destination{declared: map[string]token.Position{}, imports: map[string]token.Position{}}
	d.path = o.pathOf(dir)
	for _, entry := range entries {
		if path := filepath.Join(dir, entry.Name()); filepath.Ext(path) == ".go" && !entry.IsDir() {
			d.read(path)
		}
	}
	d.name = cmp.Or(d.name, clauseOf(dir))
	return d, nil
}

// clauseOf is the package clause for a folder that has none yet.
func clauseOf(dir string) string {
	name := strings.ToLower(noLetter.ReplaceAllString(filepath.Base(dir), ""))
	if !token.IsIdentifier(name) {
		return "clients"
	}
	return name
}

var noLetter = regexp.MustCompile(`[^\pL\pN_]`)

// read notes what a file declares. That of an external test belongs to another
// package.
func (d *destination) read(path string) {
	src, err := os.ReadFile(path)
	if err != nil {
		return
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	test := strings.HasSuffix(path, "_test.go")
	if file == nil || file.Name == nil || test && strings.HasSuffix(file.Name.Name, "_test") {
		return
	}
	if !ignored(src) && (d.name == "" || !test) {
		d.name = file.Name.Name
	}
	d.asks = d.asks || asksForUs.Match(src)
	at := func(n ast.Node) token.Position { return fset.PositionFor(n.Pos(), false) }
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := assumedName(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		d.imports[name] = at(spec)
	}
	for _, decl := range file.Decls {
		for _, name := range declaredBy(decl) {
			d.declared[name.Name] = at(name)
		}
	}
}

var asksForUs = regexp.MustCompile(`(?m)^//go:generate .*\bresgen\b`)

func ignored(src []byte) bool {
	return bytes.Contains(src, []byte("\n//go:build ignore\n")) || bytes.HasPrefix(src, []byte("//go:build ignore\n"))
}

// declaredBy are the names at package level that a declaration declares.
func declaredBy(decl ast.Decl) (names []*ast.Ident) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			names = append(names, decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			}
		}
	}
	return names
}

// checkName reports that the folder has something of this name.
func (o *Options) checkName(d *destination, name string) error {
	if at, ok := d.declared[name]; ok {
		return fmt.Errorf("%s is declared at %s; choose another name with -name", name, o.place(at))
	}
	if at, ok := d.imports[name]; ok {
		return fmt.Errorf("%s is the name of an import at %s; choose another name with -name", name, o.place(at))
	}
	return nil
}

// pathOf is the import path of a folder, which may be empty of Go files.
func (o *Options) pathOf(dir string) string {
	out, err := o.goCommand(dir, "list", "-m", "-f", "{{.Dir}}\t{{.Path}}")
	if err != nil {
		return ""
	}
	longest, path := "", ""
	for line := range strings.Lines(out) {
		root, module, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		below, err := filepath.Rel(root, dir)
		if err == nil && below != ".." && !strings.HasPrefix(below, "../") && len(root) > len(longest) {
			longest, path = root, strings.TrimSuffix(module+"/"+filepath.ToSlash(below), "/.")
		}
	}
	return path
}

// required are the modules that the one of the folder requires itself.
func (o *Options) required() []string {
	out, _ := o.goCommand(o.Dir, "list", "-m", "-f", "{{if not (or .Indirect .Main)}}{{.Path}}{{end}}", "all")
	return strings.Fields(out)
}

func (o *Options) goCommand(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(o.Context, "go", args...)
	cmd.Dir, cmd.Env = dir, o.Env
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
