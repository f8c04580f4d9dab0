package nearest_test

import (
	"testing"

	"github.com/resgen-go/resgen/internal/nearest"
)

var directives = []string{"breaker", "bulkhead", "timeout", "anticipate", "probe", "none", "wrapper"}

func TestName(t *testing.T) {
	for _, test := range []struct {
		name  string
		got   string
		valid []string
		want  string // empty: no suggestion
	}{
		{"a letter left out", "braker", directives, "breaker"},
		{"a letter too many", "timeoutt", directives, "timeout"},
		{"a wrong letter", "bulkheat", directives, "bulkhead"},
		{"two letters swapped count as one slip", "nnoe", directives, "none"},
		{"a plural", "breakers", directives, "breaker"},
		{"another case is no slip", "BREAKER", directives, "breaker"},
		{"camel case finds upper case", "countBased", []string{"COUNT_BASED", "TIME_BASED"}, "COUNT_BASED"},
		{"an ending cut off", "anticip", directives, "anticipate"},
		{"half a name is too little", "antic", directives, ""},
		{"two slips in a long name", "antizipatte", directives, "anticipate"},
		{"something else altogether", "retry", directives, ""},
		{"nothing is written", "", directives, ""},
		{"nothing is valid", "breaker", nil, ""},
		{"the valid name itself", "probe", directives, "probe"},
		{"the nearest wins, not the first", "preloaf", []string{"prelude", "preload"}, "preload"},
		{"the first of equally near names wins", "cat", []string{"bat", "rat"}, "bat"},
		{"two slips in four letters are too many", "code", directives, ""},
		{"a short name is not similar to every short name", "ab", []string{"xy"}, ""},
		{"a single letter suggests nothing but itself", "a", []string{"b", "A"}, "A"},
		{"a long wrong name does not reach a short one", "failures", []string{"fail"}, ""},
		{"letters are counted, not bytes", "grösse", []string{"grüsse"}, "grüsse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := nearest.Name(test.got, test.valid)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("Name(%q) = %q, %v; want %q", test.got, got, ok, test.want)
			}
		})
	}
}

func FuzzName(f *testing.F) {
	f.Add("braker", "breaker")
	f.Add("", "a")
	f.Add("\xff", "ÿ")
	f.Fuzz(func(t *testing.T, got, valid string) {
		forth, near := nearest.Name(got, []string{valid})
		if near && forth != valid {
			t.Errorf("Name(%q) invented %q", got, forth)
		}
		if _, back := nearest.Name(valid, []string{got}); back != near {
			t.Errorf("%q is near %q in one direction only", got, valid)
		}
		if itself, ok := nearest.Name(got, []string{got}); !ok || itself != got {
			t.Errorf("Name(%q) does not find itself: %q, %v", got, itself, ok)
		}
	})
}
