// Package schematest checks the schema of the settings file against the reader
// of the file, with a real validator. It is a module of its own so that nobody
// inherits the validator.
package schematest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"
)

// Files have many parts, so a hundred of them are few.
func init() { _ = flag.Set("rapid.checks", "5000") }

var schema = compile(config.Schema())

func compile(data []byte) *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("resilience.schema.json", document); err != nil {
		panic(err)
	}
	return c.MustCompile("resilience.schema.json") // also checks it against the schema of schemas
}

// validate is the schema's opinion of a file.
func validate(t interface{ Fatalf(string, ...any) }, data []byte) error {
	plain, err := hujson.Standardize(append(slices.Clone(data), '\n'))
	if err != nil {
		t.Fatalf("no JSON with comments: %v", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		t.Fatalf("no JSON: %v", err)
	}
	return schema.Validate(value)
}

func TestTheSchemaAcceptsEveryGoodFile(t *testing.T) {
	examples, err := filepath.Glob("../../../examples/*/resilience.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(examples, glob(t, "../config/testdata/good/*")...) {
		if err := validate(t, read(t, path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := validate(t, config.Starter(map[string][]string{"breakers": {"payments"}, "timeouts": {"payments"}})); err != nil {
		t.Errorf("the starting file: %v", err)
	}
}

func TestTheSchemaRefusesEveryFileOfAWrongShapeOrRange(t *testing.T) {
	for _, path := range glob(t, "../config/testdata/shape/*") {
		if err := validate(t, txtar.Parse(read(t, path)).Files[0].Data); err == nil {
			t.Errorf("%s is accepted", path)
		}
	}
}

func TestTheSchemaCannotSeeSomeFaults(t *testing.T) {
	for _, path := range glob(t, "../config/testdata/beyond/*") {
		if err := validate(t, txtar.Parse(read(t, path)).Files[0].Data); err != nil {
			t.Errorf("%s belongs among the shapes: %v", path, err)
		}
	}
}

// beyond are the faults that no schema sees: rules between settings, and the
// ranges of durations that are written as texts.
var beyond = regexp.MustCompile(`is below | is above |needs |^("[^"]*"|the value) is outside |is no address|is not a name|^missing: |is empty: `)

func TestTheSchemaAndTheReaderAgreeOnAnyFile(t *testing.T) {
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(anyFile(t))
		if err != nil {
			t.Fatal(err)
		}
		_, fault := config.Inspect("resilience.json", data)
		refused := validate(t, data)
		if refused != nil && fault == nil || refused == nil && len(shapeFaults(fault)) > 0 {
			t.Fatalf("file %s\nthe reader: %v\nthe schema: %v", data, fault, refused)
		}
		verdicts[refused == nil]++
	})
	t.Logf("accepted %d, refused %d", verdicts[true], verdicts[false])
	if verdicts[true] == 0 || verdicts[false] == 0 {
		t.Errorf("the files are all alike: %v", verdicts)
	}
}

// shapeFaults are the faults that the schema has to see too.
func shapeFaults(err error) (shape []string) {
	faults, _ := err.(config.Faults)
	for _, fault := range faults {
		if !beyond.MatchString(fault.Message) {
			shape = append(shape, fault.String())
		}
	}
	return shape
}

// object is drawn, so that its names are in the file once.
type object = map[string]any

// anyFile draws a file that is mostly right.
func anyFile(t *rapid.T) any {
	file := object{}
	for _, s := range []struct {
		name  string
		kinds []any
	}{
		{"breakers", strategies()},
		{"bulkheads", []any{new(bulkhead.Settings)}},
		{"timeouts", []any{new(config.Timeout)}},
	} {
		if rapid.Bool().Draw(t, s.name) {
			file[s.name] = rarely(t, func() any { return anySection(t, s.kinds) })
		}
	}
	if rapid.Bool().Draw(t, "sharedState") {
		file["sharedState"] = rarely(t, func() any { return anyEntry(t, []any{new(sharedstate.Settings)}) })
	}
	if rapid.IntRange(0, 40).Draw(t, "other section") == 0 {
		file[rapid.SampledFrom([]string{"x", "$schema", "breaker", "default"}).Draw(t, "section")] = oddValue(t)
	}
	return rarely(t, func() any { return file })
}

func strategies() []any {
	var all []any
	for _, k := range breaker.Strategies {
		all = append(all, k.New())
	}
	return all
}

func anySection(t *rapid.T, kinds []any) any {
	section := object{}
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		name := rapid.SampledFrom([]string{"default", "default", "a", "b.c", "0_-"}).Draw(t, "name")
		if rapid.IntRange(0, 60).Draw(t, "odd name") == 0 {
			name = rapid.StringMatching(`[a. _é/-]{0,3}`).Draw(t, "name")
		}
		section[name] = rarely(t, func() any { return anyEntry(t, kinds) })
	}
	return section
}

func anyEntry(t *rapid.T, kinds []any) any {
	entry := object{}
	i := rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")
	if len(kinds) > 1 && rapid.Bool().Draw(t, "choose") {
		entry["strategy"] = breaker.Strategies[i].Name
		if rapid.IntRange(0, 40).Draw(t, "odd strategy") == 0 {
			entry["strategy"] = oddValue(t)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		if rapid.IntRange(0, 20).Draw(t, "other kind") == 0 {
			i = rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")
		}
		fields := setting.Describe(kinds[i])
		if len(fields) == 0 {
			continue
		}
		f := rapid.SampledFrom(fields).Draw(t, "field")
		entry[f.Name] = rarely(t, func() any { return anyValue(t, &f) })
	}
	if rapid.IntRange(0, 60).Draw(t, "unknown field") == 0 {
		entry[rapid.SampledFrom([]string{"x", "", "Strategy", "default"}).Draw(t, "field")] = 1
	}
	return entry
}

// anyValue draws values at the bounds of a field's range, beside them and
// between.
func anyValue(t *rapid.T, f *setting.Field) any {
	switch f.Type {
	case setting.Int:
		low, high := f.Range.Low.(int), f.Range.High.(int)
		return rapid.SampledFrom([]any{low, high, low + 1, json.Number(fmt.Sprintf("%d.0", low+1)),
			json.Number("1e2"), low - 1, high + 1, 1.5, json.Number("1e300"), -7}).Draw(t, "int")
	case setting.Float:
		return rapid.SampledFrom([]any{0.001, 0.5, 50, 99.9, 100, json.Number("1E2"), 0, -0.1, 100.1, json.Number("-1e300")}).Draw(t, "float")
	case setting.Duration:
		return anyDuration(t, f.Range)
	case setting.Text:
		if f.OneOf == nil {
			return rapid.SampledFrom([]any{"", "h:1", "x", 7}).Draw(t, "any text")
		}
		return rapid.SampledFrom(append([]string{"", "x", strings.ToLower(f.OneOf[0])}, f.OneOf...)).Draw(t, "text")
	default:
		return rapid.Bool().Draw(t, "bool")
	}
}

// anyDuration draws durations in every form, at the bounds of the range, beside
// them and anywhere.
func anyDuration(t *rapid.T, r setting.Range) any {
	low, high := r.Low.(time.Duration).Seconds(), r.High.(time.Duration).Seconds()
	if rapid.Bool().Draw(t, "seconds") {
		return rapid.SampledFrom([]any{low, high, low + 0.5, low - 0.5, low / 2, math.Nextafter(low, -1), math.Nextafter(high, math.MaxInt),
			high + 1, json.Number("1e300"), json.Number("1e-300"), 20}).Draw(t, "number")
	}
	return rapid.OneOf(
		rapid.SampledFrom([]string{"20s", "1m30s", "1.5h", ".5s", "3.s", "+1s", "7ms", "PT20S", "P1DT2H3.5S", "P1W", "PT0,5S", "+PT1M",
			"0", "-0", "0s", "-0s", "-20s", "PT0S", "-PT0S", "-PT1S", "P0D", "", "20", "s", "1d", "P", "PT", "P1Y", "20 s", "20s\n",
			"0.1ns", "8760h1ns", "8760.00000000000000000001h", "0.99999999999999999999ms", "999us1us", "8760h8760h", "P52WT24H"}),
		rapid.StringMatching(`[+-]?P?(T?[0-9]{1,5}([.,][0-9])?(W|D|H|M|S|h|m|s|ms)){0,3}`),
		rapid.Map(rapid.SampledFrom([]float64{low, high}), func(bound float64) string {
			unit := rapid.SampledFrom(units).Draw(t, "unit")
			step := rapid.SampledFrom([]float64{0, 1e-9, -1e-9, 1, -1}).Draw(t, "step")
			number := strconv.FormatFloat(bound/unit.seconds+step, 'f', rapid.IntRange(-1, 15).Draw(t, "digits"), 64)
			return unit.before + number + unit.name
		}),
	).Draw(t, "duration")
}

var units = []struct {
	before, name string
	seconds      float64
}{
	{"", "ns", 1e-9}, {"", "µs", 1e-6}, {"", "ms", 1e-3}, {"", "s", 1}, {"", "m", 60}, {"", "h", 3600},
	{"PT", "S", 1}, {"PT", "M", 60}, {"PT", "H", 3600}, {"P", "D", 86400}, {"P", "W", 604800},
}

// rarely is another value instead, now and then.
func rarely(t *rapid.T, usual func() any) any {
	if rapid.IntRange(0, 60).Draw(t, "odd") == 0 {
		return oddValue(t)
	}
	return usual()
}

func oddValue(t *rapid.T) any {
	return rapid.SampledFrom([]any{nil, true, 3, "text", []any{}, []any{1}, object{}, object{"a": 1}}).Draw(t, "odd value")
}

func glob(t *testing.T, pattern string) []string {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no files, %v", pattern, err)
	}
	return paths
}

func read(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
