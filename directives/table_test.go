package directives_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/directives"
)

func TestTheTableBecomesDocumentation(t *testing.T) {
	for file, got := range map[string]string{
		"testdata/help.golden":     directives.Help(),
		"testdata/markdown.golden": directives.Markdown(),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", file, diff)
		}
	}
}

func TestUsage(t *testing.T) {
	want := map[string]string{
		directives.Breaker:    "//resilience:breaker [NAME] [classify=FUNC] [by=KEY]",
		"fallback":            "//resilience:fallback [NAME] with=FUNC",
		"ratelimit":           "//resilience:ratelimit [NAME]",
		"retry":               "//resilience:retry [NAME] [when=FUNC]",
		"stream":              "//resilience:stream",
		directives.Bulkhead:   "//resilience:bulkhead [NAME] [by=KEY]",
		directives.Timeout:    "//resilience:timeout [NAME] [by=KEY]",
		directives.Anticipate: "//resilience:anticipate [check=A,B:n,…] [rate=A:n,…] [preload=A:n,…] [lease=A:n,…]",
		directives.Probe:      "//resilience:probe [NAME]",
		directives.None:       "//resilience:none [KIND…]",
		directives.Wrapper:    "//resilience:wrapper NAME",
	}
	got := map[string]string{}
	for _, row := range directives.Table {
		got[row.Name] = row.Usage()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage differs (-want +got):\n%s", diff)
	}
}

func TestNoneOptsOutOfWhatATypeCanHave(t *testing.T) {
	var kinds []string
	for _, row := range directives.Table {
		if row.Guards() && row.On&directives.OnType != 0 {
			kinds = append(kinds, row.Name)
		}
	}
	none := "opts the method out of the type's directives, or only of these: " + strings.Join(kinds, ", ")
	if !strings.Contains(directives.Help(), none) {
		t.Errorf("the help does not say: %s", none)
	}
}
