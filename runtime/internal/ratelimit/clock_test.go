package ratelimit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A wall clock that is set back changes nothing, because tokens follow the monotonic
// clock alone: the package asks breaker.Now. A context's deadline is the one moment
// that comes from elsewhere, and time.Until heeds the monotonic clock where it has one.
func TestRateG15TokensFollowTheMonotonicClock(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	monotonic := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selected, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch from, _ := selected.X.(*ast.Ident); {
			case from == nil:
			case from.Name == "breaker" && selected.Sel.Name == "Now":
				monotonic++
			case from.Name == "time" && (selected.Sel.Name == "Now" || selected.Sel.Name == "Since" || selected.Sel.Name == "Unix"):
				t.Errorf("%s: time.%s is the wall clock's", files.Position(selected.Pos()), selected.Sel.Name)
			}
			return true
		})
	}
	if monotonic == 0 {
		t.Error("nothing asks breaker.Now")
	}
}
