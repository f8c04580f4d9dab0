package generator

import (
	"fmt"
	"go/token"
	"testing"

	"github.com/resgen-go/resgen/generator/internal/outputs"
)

func TestClientsC3AJudgeOfOtherResultsIsAFaultWithBothTypes(t *testing.T) {
	pkg, err := checkSources(map[string]string{"in.go": fmt.Sprintf(`package random

import (
	"context"

	resilience %q
)

type Shop interface {
	//resilience:breaker classify=judge
	Find(ctx context.Context, sku string) (items []string, err error)
}

func judge(n int, err error) resilience.Outcome { return 0 }
`, runtimePath)})
	if err != nil {
		t.Fatal(err)
	}
	annotated, _ := readDirectives(pkg, new(outputs.Reader))
	c := &checker{pkg: pkg, place: func(token.Pos) string { return "" }}
	c.targets(annotated)
	const want = "in.go:10:32: resilience:breaker: classify: judge is a func(int, error) resilience.Outcome; " +
		"it must be a func(error) resilience.Outcome or a func([]string, error) resilience.Outcome"
	if len(c.faults) != 1 || c.faults[0].String() != want {
		t.Errorf("got  %v\nwant %s", c.faults, want)
	}
}
