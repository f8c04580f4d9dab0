package generator

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// FuzzInterfaces makes random packages with interfaces. Whatever the type checker
// accepts must be given wrappers that it accepts, too.
//
// Each decision is an argument of its own. The fuzzer makes arguments of bytes
// shorter wherever they are of interest, with thousands of runs for each; single
// bytes it only varies.
func FuzzInterfaces(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		seed := make([]any, decisions)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed...)
	}
	types := []reflect.Type{reflect.TypeFor[*testing.T]()}
	for range decisions {
		types = append(types, reflect.TypeFor[byte]())
	}
	target := reflect.MakeFunc(reflect.FuncOf(types, nil, false), func(args []reflect.Value) []reflect.Value {
		data := make([]byte, decisions)
		for i := range data {
			data[i] = byte(args[i+1].Uint())
		}
		invented(args[0].Interface().(*testing.T), data)
		return nil
	})
	fuzz := f.Fuzz // vet wants to see a function as it is written
	fuzz(target.Interface())
}

// decisions are as many as a function made by reflection can have.
const decisions = 127

// invented tests what the data decide on.
func invented(t *testing.T, data []byte) {
	sources := (&inventor{data: data}).sources()
	pkg, err := checkSources(sources)
	if err != nil {
		t.Skip(err) // not a package at all
	}
	wrapped(t, pkg, sources)
}

func randomBytes(random *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// Most of what is invented is a valid package, or the fuzzing would test little.
func TestMostInventedPackagesAreValid(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	valid, tries := 0, 200
	for range tries {
		if _, err := checkSources((&inventor{data: randomBytes(random, decisions)}).sources()); err == nil {
			valid++
		}
	}
	if valid < tries/2 {
		t.Errorf("%d of %d are valid", valid, tries)
	}
}

// wrapped generates for a package and checks it with its outputs.
func wrapped(t *testing.T, pkg *load.Package, sources map[string]string) {
	t.Helper()
	show := func() string { return "\n" + sources["in.go"] + "\n" + sources["other.go"] }
	annotated, read := readDirectives(pkg, new(outputs.Reader))
	c := &checker{pkg: pkg, place: func(token.Pos) string { return "elsewhere" }}
	plans := c.plans(c.targets(annotated))
	if faults := append(read.Faults, c.faults...); len(faults) > 0 {
		for _, fault := range faults {
			if !excused(pkg, annotated, fault.Position.Line) {
				t.Fatalf("%v%s", fault, show())
			}
		}
		t.Skip("an interface that has no wrapper")
	}
	complete := map[string]string{"in.go": sources["in.go"], "other.go": sources["other.go"]}
	for _, plan := range plans {
		text, err := emit(plan)
		if err != nil {
			t.Fatalf("%v%s", err, show())
		}
		if formatted, err := format.Source(text); err != nil || string(formatted) != string(text) {
			t.Fatalf("the output is not formatted: %v\n%s", err, text)
		}
		complete[plan.Path] = string(text)
	}
	if _, err := checkSources(complete); err != nil {
		t.Fatalf("%v%s\n%s", err, show(), complete["in_resilience.go"])
	}
}

// The packages that random interfaces import. Their names and what is in them
// clash with whatever generated code might like to use.
var imported = map[string]*types.Package{}

var importable = []struct{ path, name string }{
	{"example.test/money", "money"},
	{"example.test/people/client", "client"},
	{"example.test/rpc/client", "client"},
	{"example.test/go-spool", "spool"},
	{"example.test/lib/v2", "lib"},
	{"example.test/yaml.v3", "yaml"},
	{"example.test/call", "call"},
	{"example.test/fake/context", "context"},
	{"example.test/len", "len"},
	{"example.test/resilience", "resilience"},
	{"example.test/w", "w"},
}

const importedText = `package NAME

type (
	T           struct{ NAME int }
	Msg[P any]  struct{ V P }
	Alias       = Msg[T]
	hidden      int
	Opaque      = hidden
	Set[P comparable] = map[P]struct{}
	Number      interface{ ~int | ~float64 }
	Client      interface {
		Do(NAME T, stdcontext ...T) (wiring T, err error)
		CloseNAME() error
	}
	Source[P any] interface {
		Next(string P, _ func(...P)) (P, error)
	}
	sealed interface { Opaque(Opaque) (hidden Opaque, _ error) }
	Part interface { sealed }
)
`

const contextText = `package context

type Context interface{ Err() error }

func Background() Context { return nil }
`

func init() {
	imported["unsafe"] = types.Unsafe
	add := func(path, text string) {
		pkg, err := checkPackage(token.NewFileSet(), path, map[string]string{"x.go": text}, mapImporter{})
		if err != nil {
			panic(err)
		}
		imported[path] = pkg.Types
	}
	add("context", contextText)
	add(runtimePath, FakeRuntime)
	for _, p := range importable {
		add(p.path, strings.ReplaceAll(importedText, "NAME", p.name))
	}
}

type mapImporter struct{}

func (mapImporter) Import(path string) (*types.Package, error) {
	if pkg := imported[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

func checkSources(sources map[string]string) (*load.Package, error) {
	return checkPackage(token.NewFileSet(), "example.test/random", sources, mapImporter{})
}

// checkPackage parses and checks files as the load does.
func checkPackage(fset *token.FileSet, path string, sources map[string]string, importer types.Importer) (*load.Package, error) {
	pkg := &load.Package{Path: path, Fset: fset, Info: &types.Info{
		Defs:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{},
		Scopes:    map[ast.Node]*types.Scope{},
	}}
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		text := []byte(sources[name])
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		pkg.Files = append(pkg.Files, &load.File{Path: name, Src: text, Syntax: file, Asks: name == "in.go"})
	}
	var err error
	pkg.Types, err = (&types.Config{Importer: importer}).Check(path, fset, files, pkg.Info)
	return pkg, err
}
