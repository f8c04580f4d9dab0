package vet_test

import (
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/resgen-go/resgen/generator"
	_ "github.com/resgen-go/resgen/runtime" // the packages of the cases import it, and Go may not download while they are loaded
	"github.com/resgen-go/resgen/vet"
)

// The packages below testdata are ordinary packages of this module, with wrappers
// that resgen writes. The pattern ./testdata/... would match none of them. Left
// out is ./testdata/cutoff, because resgen warns of what vet is to find there.
//
//go:generate go run ../cmd/resgen ./testdata/aliased ./testdata/answers ./testdata/aliased/wiring ./testdata/clients ./testdata/contexts ./testdata/nested ./testdata/raw ./testdata/streams ./testdata/tagged ./testdata/tickets/shop ./testdata/tokens ./testdata/translated

// packages are the cases, relative to the module's root.
var packages = []string{
	"./vet/testdata/aliased",        // guards before interfaces of another package
	"./vet/testdata/aliased/wiring", // uses these with and without
	"./vet/testdata/answers",        // functions that make the call again for which they answer
	"./vet/testdata/edited",         // wrappers that were changed by hand
	"./vet/testdata/clients",        // what the wrappers of a package wire is told to those that import it
	"./vet/testdata/cutoff",         // timeouts that end before a result is read
	"./vet/testdata/contexts",       // calls that miss the reservation
	"./vet/testdata/tickets",        // more calls on a straight path than tickets
	"./vet/testdata/tickets/shop",   // declares the interface that package tickets implements
	"./vet/testdata/tokens",         // more calls on a straight path than tokens
	"./vet/testdata/nested",         // entries inside entries
	"./vet/testdata/raw",            // clients that are called without their guards
	"./vet/testdata/streams",        // results that are never closed
	"./vet/testdata/tagged",         // a package that another build wires with guards
	"./vet/testdata/translated",     // files that cgo has put its header on
}

func TestFindingsAreThoseThatTheCommentsWant(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, root, asOne(vet.Analyzers()), packages...)
}

// asOne is an analyzer that runs others, after those that they require, so that
// the comments of a package want the findings and facts of all of them.
func asOne(analyzers []*analysis.Analyzer) *analysis.Analyzer {
	one := &analysis.Analyzer{Name: "one", Doc: "run analyzers as one"}
	var order []*analysis.Analyzer
	var add func(*analysis.Analyzer)
	add = func(a *analysis.Analyzer) {
		for _, required := range a.Requires {
			add(required)
		}
		if !slices.Contains(order, a) {
			order = append(order, a)
			one.FactTypes = append(one.FactTypes, a.FactTypes...)
		}
	}
	for _, a := range analyzers {
		add(a)
	}
	one.Run = func(pass *analysis.Pass) (any, error) {
		part := *pass
		part.ResultOf = map[*analysis.Analyzer]any{}
		for _, a := range order {
			var err error
			if part.ResultOf[a], err = a.Run(&part); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	return one
}

func TestAnalyzersAreFitForDrivers(t *testing.T) {
	if err := analysis.Validate(vet.Analyzers()); err != nil {
		t.Error(err)
	}
}

func TestWrappersInTestdataAreCurrent(t *testing.T) {
	result, err := generator.Generate(generator.Options{Dir: "..", Patterns: packages})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range result.Outdated() {
		t.Errorf("%s is not current: go generate ./vet", file.Shown)
	}
}
