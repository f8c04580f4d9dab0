package directives_test

import (
	"errors"
	"fmt"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/directives"
)

func fault(file string, line, column int, message string) directives.Fault {
	return directives.Fault{
		Position:  token.Position{Filename: file, Line: line, Column: column},
		Directive: directives.Probe,
		Message:   message,
	}
}

func TestSortedOrdersByPositionAndDropsRepetitions(t *testing.T) {
	faults := directives.Faults{
		fault("b.go", 1, 1, "x"),
		fault("a.go", 10, 1, "x"),
		fault("a.go", 9, 12, "y"),
		fault("a.go", 9, 12, "x"),
		fault("a.go", 9, 2, "x"),
		fault("a.go", 9, 12, "x"),
	}
	want := directives.Faults{
		fault("a.go", 9, 2, "x"),
		fault("a.go", 9, 12, "x"),
		fault("a.go", 9, 12, "y"),
		fault("a.go", 10, 1, "x"),
		fault("b.go", 1, 1, "x"),
	}
	if diff := cmp.Diff(want, faults.Sorted()); diff != "" {
		t.Errorf("sorted wrongly (-want +got):\n%s", diff)
	}
	if faults[0].Position.Filename != "b.go" {
		t.Error("Sorted changed what it was given")
	}
}

func TestFaultsAreAnErrorWithOneLineEach(t *testing.T) {
	var err error = directives.Faults{fault("a.go", 1, 2, "x"), fault("a.go", 3, 4, "y")}
	const want = "a.go:1:2: resilience:probe: x\na.go:3:4: resilience:probe: y"
	if got := err.Error(); got != want {
		t.Errorf("error is %q; want %q", got, want)
	}
	var faults directives.Faults
	if !errors.As(fmt.Errorf("generate: %w", err), &faults) || len(faults) != 2 {
		t.Error("the faults are not found in an error that wraps them")
	}
}
