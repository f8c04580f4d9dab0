package fault_test

import (
	"errors"
	"fmt"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/internal/fault"
)

func at(file string, line, column int) token.Position {
	return token.Position{Filename: file, Line: line, Column: column}
}

func probe(file string, line, column int, message string) fault.Fault {
	return fault.New(at(file, line, column), "resilience:probe", "%s", message)
}

func TestSortedOrdersByPositionAndDropsRepetitions(t *testing.T) {
	faults := fault.List{
		probe("b.go", 1, 1, "x"),
		probe("a.go", 10, 1, "x"),
		probe("a.go", 9, 12, "y"),
		probe("a.go", 9, 12, "x"),
		{Position: at("a.go", 9, 12), Message: "z"},
		probe("a.go", 9, 2, "x"),
		probe("a.go", 9, 12, "x"),
	}
	want := fault.List{
		probe("a.go", 9, 2, "x"),
		{Position: at("a.go", 9, 12), Message: "z"},
		probe("a.go", 9, 12, "x"),
		probe("a.go", 9, 12, "y"),
		probe("a.go", 10, 1, "x"),
		probe("b.go", 1, 1, "x"),
	}
	if diff := cmp.Diff(want, faults.Sorted()); diff != "" {
		t.Errorf("sorted wrongly (-want +got):\n%s", diff)
	}
	if faults[0].Position.Filename != "b.go" {
		t.Error("Sorted changed what it was given")
	}
}

func TestFaultsAreAnErrorWithOneLineEach(t *testing.T) {
	var err error = fault.List{probe("a.go", 1, 2, "x"), {Position: at("a.go", 0, 0), Message: "y"}, {Message: "z"}}
	const want = "a.go:1:2: resilience:probe: x\na.go: y\nz"
	if got := err.Error(); got != want {
		t.Errorf("error is %q; want %q", got, want)
	}
	var faults fault.List
	if !errors.As(fmt.Errorf("generate: %w", err), &faults) || len(faults) != 3 {
		t.Error("the faults are not found in an error that wraps them")
	}
}
