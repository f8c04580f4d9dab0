package config

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// sections are those that a file may have, as faults list them.
var sections = strings.Join(standard.names(), ", ")

var update = flag.Bool("update", false, "rewrite the expected files under testdata")

// The files under testdata/shape are refused by the schema too; those under
// testdata/beyond have faults that no schema sees.
func TestEveryFaultIsReportedAtItsPlace(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			input, want := &archive.Files[0], &archive.Files[1]
			got := "none\n"
			if _, err := Inspect(input.Name, input.Data); err != nil {
				got = err.Error() + "\n"
			}
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryFaultOfSyntaxIsReportedAtItsPlace(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"nothing", "", `1:1: found the end of the file, expected an object such as {"breakers": {}}`},
		{"comments only", "// none\n", `2:1: found the end of the file, expected an object such as {"breakers": {}}`},
		{"a lone closing bracket", "]", `1:1: found ']', expected an object such as {"breakers": {}}`},
		{"a number", "3", `1:1: the value is not an object such as {"breakers": {}}`},
		{"cut after a bracket", "{\n", `2:1: found the end of the file, expected '}' to close the '{' at 1:1`},
		{"cut after a name", "{\n  \"breakers\"", `2:13: found the end of the file, expected '}' to close the '{' at 1:1`},
		{"cut in a word", `{"breakers": nul`, `1:17: found the end of the file, expected '}' to close the '{' at 1:1`},
		{"cut in a text", `{"breakers": {"pay`, "1:15: the text that begins here does not end on its line"},
		{"cut in an inner object", "{\"breakers\": {\"a\": {}\n", `2:1: found the end of the file, expected '}' to close the '{' at 1:14`},
		{"cut in a comment", `{ /* note`, "1:3: the comment that begins here does not end"},
		{"a text over two lines", "{\"a\": \"x\ny\"}", "1:7: the text that begins here does not end on its line"},
		{"a bad escape", `{"a": "\x"}`, "1:7: bad text: invalid character 'x' in string escape code"},
		{"a tab in a text", "{\"a\": \"\t\"}", `1:7: bad text: invalid character '\t' in string literal`},
		{"brackets that don't match", `{"breakers": [}`, `1:15: found '}', expected ']' to close the '[' at 1:14`},
		{"garbage at the end", `{} x`, "1:4: found a word or number, expected the end of the file"},
		{"two values", `{} {}`, "1:4: found '{', expected the end of the file"},
		{"a bracket too many", `{}}`, "1:3: found '}', expected the end of the file"},
		{"a name without quotes", `{breakers: {}}`, "1:2: found breakers, expected a name in double quotes or '}'"},
		{"a name in single quotes", `{'breakers': {}}`, `1:2: found '\'', expected a name in double quotes or '}'`},
		{"a number as a name", `{"a": 1, 2: 3}`, "1:10: found 2, expected a name in double quotes or '}'"},
		{"an object as a name", `{{}: 3}`, "1:2: found '{', expected a name in double quotes or '}'"},
		{"two commas", `{"a": 1,, "b": 2}`, "1:9: found ',', expected a name in double quotes or '}'"},
		{"no colon", `{"a" 1}`, "1:6: found a word or number, expected ':'"},
		{"no value", `{"a": }`, "1:7: found '}', expected a value"},
		{"no comma between members", "{\"a\": 1\n \"b\": 2}", `2:2: found '"', expected ',' or '}'`},
		{"no comma between elements", `{"a": [1 2]}`, "1:10: found a word or number, expected ',' or ']'"},
		{"a lone slash", `{"a": 1 / 2}`, "1:9: found '/', expected ',' or '}'"},
		{"a control character", "{\x01}", `1:2: found '\x01', expected a name in double quotes or '}'`},
		{"a NUL byte", "{\"a\": \x00}", "1:7: found a NUL byte; this is no text file"},
		{"a binary file", "\x7fELF\x02\x01\x01\x00\x00", "1:8: found a NUL byte; this is no text file"},
		{"a byte that is not UTF-8", "{\"größe\": 1, \"gr\xf6\xdfe\": 1}", "1:17: byte 0xf6 is not UTF-8; save the file as UTF-8"},
		{"UTF-16 with a mark", "\xff\xfe{\x00}\x00", "1:1: the file is UTF-16 or UTF-32; save it as UTF-8"},
		{"blocks of zeros, as after a crash", "\x00\x00\x00", "1:1: found a NUL byte; this is no text file"},
		{"UTF-16 without a mark", "{\x00}\x00", "1:1: the file is UTF-16 or UTF-32; save it as UTF-8"},
		{"places count characters, not bytes", "\xEF\xBB\xBF{\"größe\": x y}", "1:13: found a word or number, expected ',' or '}'"},
		{"NaN in place of a section", `{"breakers": NaN}`, "1:14: breakers: NaN is no JSON value, expected an object"},
		{"values that are no JSON, each at its place",
			`{"breakers": {"a": {"failureThreshold": NaN, "testDelay": -Infinity, "successThreshold": 007, "failureThresholdCapacity": 0x10}}}`,
			"1:41: breakers.a.failureThreshold: NaN is no JSON value, expected a whole number in [1, 1000000]\n" +
				`resilience.json:1:59: breakers.a.testDelay: -Infinity is no JSON value, expected a duration in [0s, 8760h]; write "20s", "1m30s", "PT20S" or a number of seconds` + "\n" +
				"resilience.json:1:90: breakers.a.successThreshold: 007 is no JSON value, expected a whole number in [1, 1000000]\n" +
				"resilience.json:1:123: breakers.a.failureThresholdCapacity: 0x10 is no JSON value, expected a whole number in [1, 10000]"},
		{"values that are no JSON where nobody reads",
			`{"y": {"a": nan, "b": [True, {"c": 007}], "d": 7}, "x": undefined, "breakers": {"a": {"testDelay": [NaN]}}}`,
			"1:2: y: no such section; allowed are " + sections + "\n" +
				"resilience.json:1:13: y.a: is no JSON value; a text stands in double quotes\n" +
				"resilience.json:1:24: y.b[0]: is no JSON value; a text stands in double quotes\n" +
				"resilience.json:1:36: y.b[1].c: is no JSON value; a text stands in double quotes\n" +
				"resilience.json:1:52: x: no such section; allowed are " + sections + "\n" +
				"resilience.json:1:57: x: is no JSON value; a text stands in double quotes\n" +
				`resilience.json:1:100: breakers.a.testDelay: an array is not a duration in [0s, 8760h]; write "20s", "1m30s", "PT20S" or a number of seconds` + "\n" +
				"resilience.json:1:101: breakers.a.testDelay[0]: is no JSON value; a text stands in double quotes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Inspect("resilience.json", []byte(test.data))
			if err == nil {
				t.Fatal("no fault")
			}
			if diff := cmp.Diff("resilience.json:"+test.want, err.Error()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// hostile are files that could cost a parser its stack, its memory or hours.
var hostile = []struct {
	name    string
	data    func(size int) string
	largest int
	want    string
}{
	{"too large", func(int) string { return strings.Repeat(" ", MaxSize-1) + "{}" }, 0, "resilience.json:1:1: the file is larger than 1 MiB"},
	{"deep", filled("", "[", ""), MaxSize, "resilience.json:1:33: brackets nest too deeply here"},
	{"deep objects", filled("", `{"a":`, ""), MaxSize, "resilience.json:1:161: brackets nest too deeply here"},
	{"values that are no JSON without end", filled("[", "NaN,", "]"), MaxSize, "resilience.json:1:82: found a word or number, expected a value"},
	{"a name without end", filled(`{"`, "a", `":1}`), MaxSize, "resilience.json:1:2: " + strings.Repeat("a", 60) + "…: no such section; allowed are " + sections},
	{"one name again and again in one line", filled("{", `"a":1,`, "}"), MaxSize / 6, "resilience.json:1:2: a: no such section; allowed are " + sections},
	{"names of another tool without end", filled(`{"circuitBreakers":{`, `"a":{"b":{}},`, "}}"), MaxSize / 6, `resilience.json:1:2: circuitBreakers: no such section; write breakers.a.…`},
	{"comments without end", filled("", "/**/", ""), MaxSize, "resilience.json:1:1048577: found the end of the file, expected an object such as {\"breakers\": {}}"},
}

// filled makes files of a size by repetition.
func filled(begin, again, end string) func(size int) string {
	return func(size int) string {
		return begin + strings.Repeat(again, (size-len(begin)-len(end))/len(again)) + end
	}
}

// Small files come first, as a parser that begins anew at each fault would
// never come to the end of a large one. What it does without memory shows in
// BenchmarkHostileFile only.
func TestHostileFilesAreRefusedInBoundedMemory(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			for _, size := range []int{4 << 10, 64 << 10} {
				once, twice := allocated(test.data(size)), allocated(test.data(2*size))
				if twice > 3*once+64<<10 { // the rest is the runtime's
					t.Fatalf("a file of %d bytes takes %d bytes of memory, and one of twice the size %d", size, once, twice)
				}
			}
			_, err := Inspect("resilience.json", []byte(test.data(test.largest)))
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("the error is %v, want faults", err)
			}
			if got := faults[0].String(); got != test.want {
				t.Errorf("first fault %q, want %q", got, test.want)
			}
		})
	}
}

// allocated is how many bytes the reading of a file takes in all, freed ones
// too.
func allocated(file string) uint64 {
	data := []byte(file)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = Inspect("resilience.json", data)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkHostileFile has the same speed at every size.
func BenchmarkHostileFile(b *testing.B) {
	for _, test := range hostile[1:] { // the first has one size
		for _, size := range []int{32 << 10, 128 << 10} {
			b.Run(fmt.Sprintf("%s/%dKiB", test.name, size>>10), func(b *testing.B) {
				data := []byte(test.data(size))
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					_, _ = Inspect("resilience.json", data)
				}
			})
		}
	}
}
