// Package vet finds code that defeats the guards which resgen generates. It has
// an analyzer for each question:
//
//   - vet/context: does a context carry what a call needs, for as long as it is
//     needed?
//   - vet/reservation: does what an entry reserves fit the calls under it?
//   - vet/unwrapped: is a client called without its wrapper?
//   - vet/stream: is what a stream returns never closed?
//   - vet/fallback: does a function answer for a call by making it again?
//
// They share what stands before each interface (vet/internal/guards) and what is
// certain of the body of an entry (vet/internal/entries).
//
// It owns what can be seen in the code of one package, with what the wrappers of
// the packages it imports wire. It reports only what is certain: what depends
// on branches, on values at run time or on code elsewhere passes in silence.
// Tests and generated files are not checked. Faults in the directives themselves
// are left to the generator. Package vet/reach is no analyzer: it prints a table of
// all that may be reached, across packages.
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/context"
	"github.com/resgen-go/resgen/vet/fallback"
	"github.com/resgen-go/resgen/vet/reservation"
	"github.com/resgen-go/resgen/vet/stream"
	"github.com/resgen-go/resgen/vet/unwrapped"
)

// Analyzers are those of all questions. None has flags of its own.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{context.Analyzer, reservation.Analyzer, unwrapped.Analyzer, fallback.Analyzer, stream.Analyzer}
}
