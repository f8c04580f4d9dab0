package generator

import (
	"bytes"
	"fmt"
	"go/ast"
	goprinter "go/printer"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// driver calls all exported methods of a wrapper whose client panics.
const driver = `package zzdrive

import (
	"context"
	"log/slog"
	"reflect"
	"runtime"
	"slices"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type T = testing.T

const settings = ` + "`" + `{"breakers": {"b": {"strategy": "NONE"}}, "bulkheads": {"default": {"maxConcurrentCalls": 1}}, "timeouts": {"t": {"duration": "1h"}}}` + "`" + `

func Run(t *testing.T, constructor, client any, own ...string) {
	registry, err := resilience.New(resilience.Settings("test.json", []byte(settings)), resilience.Logger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	made := reflect.ValueOf(constructor).Call([]reflect.Value{reflect.ValueOf(client), reflect.ValueOf(registry)})
	if !made[1].IsNil() {
		t.Fatal(made[1])
	}
	wrapper := made[0]
	for i := range wrapper.NumMethod() {
		name := wrapper.Type().Method(i).Name
		got := call(wrapper.Method(i))
		_, isNil := got.(runtime.Error)
		if isOwn := slices.Contains(own, name); isOwn && got != name || !isOwn && !isNil {
			t.Errorf("%v.%s ends with %v", wrapper.Type(), name, got)
		}
	}
	for _, bulkhead := range registry.Snapshot().Bulkheads {
		if bulkhead.Available != 1 {
			t.Errorf("%v keeps a permit", wrapper.Type())
		}
	}
}

// call returns what the method panics with.
func call(method reflect.Value) (panicked any) {
	defer func() { panicked = recover() }()
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		switch in := method.Type().In(i); {
		case method.Type().IsVariadic() && i == method.Type().NumIn()-1:
		case in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(context.Background()))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	method.Call(args)
	return "nothing"
}
`

// Whatever method of whatever wrapper is called, the client's method of that name
// is reached, and everything is given back.
func TestInventedWrappersReachTheirClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles many packages")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.Replace(mod, []byte("module github.com/resgen-go/resgen"), []byte("module example.test"), 1)
	mod = fmt.Appendf(mod, "\nrequire github.com/resgen-go/resgen v0.0.0\n\nreplace github.com/resgen-go/resgen => %s\n", root)
	files := map[string]string{"go.mod": string(mod), "go.sum": string(sum), "zzdrive/drive.go": driver}
	for _, p := range importable {
		files[strings.TrimPrefix(p.path, "example.test/")+"/x.go"] = strings.ReplaceAll(importedText, "NAME", p.name)
	}
	files["all_test.go"] = inventAll(t, files)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), text)
	}
	cmd := exec.Command("go", "test", "-vet=off", ".") // vet would look at every package
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// inventAll puts packages with their wrappers into files, and returns a test that
// runs them.
func inventAll(t *testing.T, files map[string]string) string {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	imports, runs, interfaces := "", "", 0
	for i := 0; interfaces < 60; i++ {
		folder := fmt.Sprintf("p%d", i)
		n := invent(folder, randomBytes(random, decisions), files)
		interfaces += n
		if n > 0 {
			imports += fmt.Sprintf("\t%s \"example.test/%[1]s\"\n", folder)
			runs += fmt.Sprintf("\tt.Run(\"%s\", %[1]s.ZZ)\n", folder)
		}
	}
	return "package all\n\nimport (\n\t\"testing\"\n\n" + imports + ")\n\nfunc TestAll(t *testing.T) {\n" + runs + "}\n"
}

// invent adds a package and returns how many of its interfaces can be run: it is
// none where the package or a wrapper of it can't be.
func invent(folder string, data []byte, files map[string]string) (interfaces int) {
	sources := (&inventor{data: data}).sources()
	pkg, err := checkSources(sources)
	if err != nil {
		return 0
	}
	annotated, _ := readDirectives(pkg, new(outputs.Reader))
	c := &checker{pkg: pkg, place: func(token.Pos) string { return "elsewhere" }}
	plans := c.plans(c.targets(annotated))
	var types, calls strings.Builder
	for _, list := range annotated {
		for _, i := range list {
			if i.Spec.TypeParams == nil && i.Spec.Assign == token.NoPos {
				interfaces++
				drive(&types, &calls, pkg.Fset, i.Spec, interfaces)
			}
		}
	}
	if len(c.faults) > 0 || interfaces == 0 {
		return 0
	}
	for _, plan := range plans {
		text, err := emit(plan)
		if err != nil {
			return 0
		}
		files[folder+"/"+plan.Path] = string(text)
	}
	in := strings.Replace(sources["in.go"], "package random\n", "package random\n\nimport zzdrive \"example.test/zzdrive\"\n", 1)
	files[folder+"/in.go"] = in + types.String() + "\nfunc ZZ(zzt *zzdrive.T) {\n" + calls.String() + "}\n"
	files[folder+"/other.go"] = sources["other.go"]
	return interfaces
}

// drive writes a client for an interface, whose own methods panic with their
// names, and the call that runs the wrapper of that client.
func drive(types, calls *strings.Builder, fset *token.FileSet, spec *ast.TypeSpec, n int) {
	name := spec.Name.Name
	fmt.Fprintf(types, "\ntype zzInterface%d = %s\n\ntype zzClient%[1]d struct{ zzInterface%[1]d }\n", n, name)
	own := ""
	for _, field := range spec.Type.(*ast.InterfaceType).Methods.List {
		signature, ok := field.Type.(*ast.FuncType)
		if !ok {
			continue
		}
		var text strings.Builder
		_ = goprinter.Fprint(&text, fset, signature)
		method := field.Names[0].Name
		fmt.Fprintf(types, "\nfunc (zzClient%d) %s%s { panic(%[2]q) }\n", n, method, strings.TrimPrefix(text.String(), "func"))
		own += fmt.Sprintf(", %q", method)
	}
	constructor := "NewResilient" + name
	if !ast.IsExported(name) {
		constructor = "newResilient" + strings.ToUpper(name[:1]) + name[1:]
	}
	fmt.Fprintf(calls, "\tzzdrive.Run(zzt, %s, zzClient%d{}%s)\n", constructor, n, own)
}
