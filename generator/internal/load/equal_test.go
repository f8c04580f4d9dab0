package load_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/resgen-go/resgen/generator/internal/load"
)

// packages whose exported objects must be the same, loaded the fast way and in
// full.
var compared = strings.Fields(`
	archive/zip bufio bytes cmp compress/gzip container/list context crypto/tls crypto/x509 database/sql database/sql/driver
	debug/elf encoding/json encoding/xml errors expvar flag fmt go/ast go/build go/types hash/crc32 html/template image/png
	io io/fs iter log/slog maps math math/big math/rand/v2 mime/multipart net net/http net/http/httptest net/netip net/rpc os os/exec
	os/signal os/user path/filepath reflect regexp runtime runtime/debug slices sort strconv strings sync sync/atomic
	syscall testing testing/fstest text/template time unicode unicode/utf8 unique unsafe
	github.com/dave/jennifer/jen github.com/failsafe-go/failsafe-go github.com/failsafe-go/failsafe-go/circuitbreaker
	github.com/failsafe-go/failsafe-go/retrypolicy github.com/fsnotify/fsnotify github.com/google/go-cmp/cmp github.com/tailscale/hujson
	golang.org/x/tools/go/packages golang.org/x/tools/go/ssa golang.org/x/tools/txtar pgregory.net/rapid
`)

func TestFastAndFullLoadAgreeOnExportedObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("a full load takes seconds")
	}
	dir := t.TempDir()
	copyModule(t, dir)
	mode := packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax
	full, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, ParseFile: parseWhole}, compared...)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "all.go"), []byte(mentionAll(full)), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, err := packagesOf(load.Config{Dir: dir})
	if err != nil || len(loaded) != 1 || loaded[0].Types == nil {
		t.Fatalf("%d packages, error %v", len(loaded), err)
	}
	fast := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range loaded[0].Types.Imports() {
		fast[p.Path()] = p
	}
	objects := 0
	for _, p := range full {
		objects += comparePackage(t, p.Types, fast[p.PkgPath])
	}
	if objects < 6000 {
		t.Errorf("only %d objects were compared", objects)
	}
}

// parseWhole parses a file with empty bodies, which no exported object depends on.
func parseWhole(fset *token.FileSet, path string, src []byte) (*ast.File, error) {
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return file, err
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body.List = nil
		}
	}
	return file, nil
}

// copyModule makes a module with the dependencies of this one.
func copyModule(t *testing.T, dir string) {
	t.Helper()
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod = regexp.MustCompile(`(?m)^(module|tool) .*`).ReplaceAll(mod, nil)
	unpack(t, dir, &txtar.Archive{Files: []txtar.File{
		{Name: "go.mod", Data: append([]byte("module example.test/all\n"), mod...)},
		{Name: "go.sum", Data: sum},
	}})
}

// mentionAll is a file that mentions every exported object of the packages.
func mentionAll(all []*packages.Package) string {
	imports := "package all\n\n"
	mentions := "//resilience:breaker\ntype Asks interface{ M() error }\n\n"
	for i, p := range all {
		imports += fmt.Sprintf("import p%d %q\n", i, p.PkgPath)
		for _, name := range p.Types.Scope().Names() {
			switch obj := p.Types.Scope().Lookup(name); {
			case !obj.Exported():
			case isType(obj):
				mentions += fmt.Sprintf("type _ = p%d.%s\n", i, name)
			default:
				mentions += fmt.Sprintf("var _ = p%d.%s\n", i, name)
			}
		}
	}
	return imports + mentions
}

func isType(obj types.Object) bool {
	_, ok := obj.(*types.TypeName)
	return ok
}

func comparePackage(t *testing.T, full, fast *types.Package) (objects int) {
	if fast == nil {
		t.Errorf("%s was not loaded", full.Path())
		return 0
	}
	for _, name := range full.Scope().Names() {
		want, got := full.Scope().Lookup(name), fast.Scope().Lookup(name)
		if !want.Exported() {
			continue
		}
		objects++
		if got == nil {
			t.Errorf("%s.%s was not loaded", full.Path(), name)
		} else if want, got := text(want), text(got); want != got {
			t.Errorf("%s.%s is\n%s\ninstead of\n%s", full.Path(), name, got, want)
		}
	}
	return objects
}

// text is all that can be seen of an object from outside of its package.
func text(obj types.Object) string {
	lines := []string{types.ObjectString(obj, nil)}
	if c, ok := obj.(*types.Const); ok {
		lines = append(lines, c.Val().ExactString())
	}
	if isType(obj) {
		lines = append(lines, "underlying "+obj.Type().Underlying().String())
		methods := types.NewMethodSet(types.NewPointer(obj.Type()))
		for method := range methods.Methods() {
			if method.Obj().Exported() {
				lines = append(lines, types.ObjectString(method.Obj(), nil))
			}
		}
	}
	return strings.Join(lines, "\n")
}
