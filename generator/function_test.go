package generator_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/generator"
)

func listOf(t *testing.T, dir string) string {
	t.Helper()
	result, err := generator.Generate(generator.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	if err := result.List(&list); err != nil {
		t.Fatal(err)
	}
	return list.String()
}

func TestClientsC02ListTellsWhichMethodsAJudgeFits(t *testing.T) {
	const want = `    Fetch  breaker web classify=runtimeresiliencehttp.Judge
    Size   breaker web; no classify=resiliencehttp.Judge: it returns (int64,
           error)
    Ping   breaker web; no classify=resiliencehttp.Judge: it returns (error)
`
	if got := listOf(t, "../testdata/scenarios/judged"); !strings.Contains(got, want) {
		t.Error(got)
	}
}

func TestClientsC01AnswersThatNothingJudgesAreWorthAWarning(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import "net/http"

//resilience:breaker
//resilience:bulkhead
type Web interface {
	Get(url string) (*http.Response, error)
	Size(url string) (int64, error)
	Head(url string) (*http.Response, error)
	//resilience:none breaker
	Raw(url string) (*http.Response, error)
}
`)
	const want = "shop.go:8:2: warning: resilience:breaker: the errors of Get and Head alone are judged, so a 503 counts as a success; " +
		"classify=resiliencehttp.Judge, of runtime/resiliencehttp, judges answers, as does any func(*http.Response, error) resilience.Outcome"
	if diff := cmp.Diff(want, warnings(t, dir)); diff != "" {
		t.Error(diff)
	}
	if got := listOf(t, dir); strings.Count(got, "no judge of answers") != 2 {
		t.Error(got)
	}
}
