package generator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs are the doc comments of what a file declares, by name.
func docs(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				name = decl.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name + "." + name
			}
			found[name] = decl.Doc.Text()
		case *ast.GenDecl:
			if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
				found[spec.Name.Name] = decl.Doc.Text()
			}
		}
	}
	return found
}

func TestFieldG08DeprecationsAreCarriedOver(t *testing.T) {
	found := docs(t, "../testdata/scenarios/deprecated/store_resilience.go")
	maps.DeleteFunc(found, func(_, doc string) bool { return !strings.Contains(doc, "\n\nDeprecated: ") })
	want := []string{
		"NewResilientBox", "NewResilientStore", "ResilientBox",
		"ResilientShelf.Peek", "ResilientShelf.ReadAll", "ResilientShelf.Stop", "ResilientStore",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFieldL06CommentsClaimNoGuardsThatAreNotThere(t *testing.T) {
	dir := module(t, goMod+`
-- x.go --
package x

import "context"

type All interface {
	//resilience:breaker
	Do() error
}

type Some interface {
	//resilience:breaker
	Do() error
	Undo() error
}

type Probed interface {
	//resilience:probe all
	Ping(ctx context.Context) error
}

type None interface {
	//resilience:none
	Do() error
}
`)
	mustWrite(t, dir)
	found := docs(t, dir+"/x_resilience.go")
	for name, want := range map[string]string{
		"ResilientAll":       "ResilientAll guards the calls of All.\n",
		"ResilientSome":      "ResilientSome guards calls of Some, and passes others through.\n",
		"ResilientProbed":    "ResilientProbed passes all calls of Probed through.\n",
		"ResilientNone":      "ResilientNone passes all calls of None through.\n",
		"NewResilientAll":    "NewResilientAll puts the guards of All before next, with the settings of registry.\n",
		"NewResilientProbed": "NewResilientProbed lets breakers of registry probe next, and puts no guard before it.\n",
		"NewResilientNone":   "NewResilientNone puts no guard before next.\n",
	} {
		if found[name] != want {
			t.Errorf("got %q, want %q", found[name], want)
		}
	}
}
