package generator

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/outputs"
	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// samples are arguments in the forms of directives that guard.
var samples = map[directives.Form]string{
	directives.OneName:   "first",
	directives.NameList:  "first,second",
	directives.CountList: "first:2,second:3",
	directives.Function:  "judge",
	directives.Key:       "keyOf",
	directives.StandIn:   "answer",
}

// functions are the names of those of the sample, by type.
var functions = map[string]string{"func(error) bool": "again"}

// eachField calls do for all arguments that fill in a field of the guards.
func eachField(do func(*directives.Row, *directives.Param)) {
	for i := range directives.Table {
		row := &directives.Table[i]
		for j := range row.Params {
			if row.Params[j].Field != "" {
				do(row, &row.Params[j])
			}
		}
	}
}

func TestRowsFillAllFieldsOfTheGuardsAndNoOthers(t *testing.T) {
	filled := map[string]bool{}
	guards := reflect.TypeFor[resilience.Guards]()
	eachField(func(row *directives.Row, param *directives.Param) {
		if _, ok := guards.FieldByName(param.Field); !ok {
			t.Errorf("%s fills in %s, which resilience.Guards does not have", row.Name, param.Field)
		}
		if filled[param.Field] {
			t.Errorf("two arguments fill in %s", param.Field)
		}
		filled[param.Field] = true
	})
	for field := range guards.Fields() {
		if !filled[field.Name] {
			t.Errorf("no directive fills in resilience.Guards.%s", field.Name)
		}
	}
}

// What a row says comes out everywhere: in the code that is compiled against the
// guards there are, in the comment, in the list and among the names in use.
func TestEachRowReachesTheOutputAndAllThatIsToldOfIt(t *testing.T) {
	eachField(func(row *directives.Row, param *directives.Param) {
		t.Run(strings.TrimSpace(row.Name+" "+param.Key), func(t *testing.T) {
			sample, known := samples[param.Form]
			if !known {
				t.Fatalf("there is no sample of the form of %s=", param.Key)
			}
			if param.Type != "" {
				sample = functions[param.Type]
			}
			written := sample
			if param.Key != "" {
				written = param.Key + "=" + sample
			}
			for _, other := range row.Params {
				if other.Required {
					written += " " + other.Key + "=" + samples[other.Form]
				}
			}
			r, text := resultWith(t, "//"+directives.Label(row.Name)+" "+written)
			if !strings.Contains(text, param.Field+":") {
				t.Errorf("the output does not fill in %s:\n%s", param.Field, text)
			}
			var list strings.Builder
			if err := r.List(&list); err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Split(sample, ",") {
				if !strings.Contains(list.String(), name) {
					t.Errorf("the list does not tell of %s:\n%s", name, list.String())
				}
				if param.Section != nil && !strings.Contains(r.plans[0].Wrappers[0].Methods[0].doc(), name) {
					t.Errorf("the comment of the method does not tell of %s", name)
				}
			}
			if param.Section != nil && r.Used()[param.Section.Name][0] != "first" {
				t.Errorf("the names in use are %v", r.Used())
			}
		})
	})
}

// resultWith is the result for an interface whose method has a directive, and its
// output, which compiles.
func resultWith(t *testing.T, directive string) (Result, string) {
	t.Helper()
	sources := map[string]string{"in.go": fmt.Sprintf(`package random

import (
	"context"

	resilience %q
)

func judge(error) resilience.Outcome { return 0 }

func keyOf(context.Context) string { return "" }

func again(error) bool { return false }

func answer(context.Context) error { return nil }

type Shop interface {
	%s
	Buy(ctx context.Context) error
}
`, runtimePath, directive)}
	pkg, err := checkSources(sources)
	if err != nil {
		t.Fatal(err)
	}
	annotated, read := readDirectives(pkg, new(outputs.Reader))
	c := &checker{pkg: pkg, place: func(token.Pos) string { return "" }}
	r := Result{plans: c.plans(c.targets(annotated)), shown: func(path string) string { return path }}
	if faults := append(read.Faults, c.faults...); len(faults) > 0 {
		t.Fatal(faults)
	}
	text, err := emit(r.plans[0])
	if err != nil {
		t.Fatal(err)
	}
	sources[r.plans[0].Path] = string(text)
	if _, err := checkSources(sources); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r, string(text)
}

func TestSectionsOfRowsAreThoseOfTheSettings(t *testing.T) {
	for section := range (Result{}).Used() {
		starting := string(settingsfile.Starter(map[string][]string{section: {"sample-name"}}))
		if !strings.Contains(starting, `"sample-name"`) {
			t.Errorf("the settings have no section %s:\n%s", section, starting)
		}
	}
}
