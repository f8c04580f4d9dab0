package directives_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// Whatever the file, broken ones included: Parse does not panic, says the same
// twice, finds nothing in a file that does not ask, and attaches or reports every
// comment that begins as a directive.
func FuzzParse(f *testing.F) {
	for _, path := range scenarios(f) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Add([]byte("package p\n//resilience:breaker \"\\x00\n type X interface{//resilience:\n"))
	f.Add([]byte("\ufeffpackage p\r\n/*\r\n//resilience:none\r\n*/type(\n//resilience:none\nX=interface{~int;//resilience:none\n})"))
	f.Fuzz(func(t *testing.T, src []byte) {
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, "in.go", src, parser.ParseComments|parser.SkipObjectResolution)
		read := directives.Parse(fset, file, src)
		again := directives.Parse(fset, file, src)
		if !reflect.DeepEqual(read, again) {
			t.Errorf("Parse says something else the second time:\n%v\n%v", read, again)
		}
		interfaces, faults := read.Interfaces, slices.Concat(read.Faults, read.Guesses)
		if len(interfaces)+len(faults) > 0 && !directives.Asks(src) {
			t.Errorf("a file that does not ask has %d interfaces and the faults %v", len(interfaces), faults)
		}
		known := attached(interfaces)
		for _, group := range file.Comments {
			for _, comment := range group.List {
				at := directives.Position(fset, comment.Slash)
				directive := bytes.HasPrefix(src[at.Offset:], []byte("//resilience:"))
				if directive && !known[comment.Slash] && !reported(faults, at.Line) {
					t.Errorf("line %d is neither attached nor reported: %s", at.Line, comment.Text)
				}
			}
		}
	})
}

func attached(interfaces []directives.Interface) map[token.Pos]bool {
	known := map[token.Pos]bool{}
	for _, i := range interfaces {
		sets := []directives.Set{i.Directives}
		for _, method := range i.Methods {
			sets = append(sets, method.Directives)
		}
		for _, set := range sets {
			for _, d := range set {
				known[d.Slash] = true
			}
		}
	}
	return known
}

func reported(faults fault.List, line int) bool {
	for _, fault := range faults {
		if fault.Position.Line == line {
			return true
		}
	}
	return false
}
