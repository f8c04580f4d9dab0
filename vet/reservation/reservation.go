// Package reservation reports entries whose reservation does not fit what they
// do: more calls than permits.
package reservation

import (
	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/entries"
)

const doc = `report reservations that do not fit the calls under them

In a method that implements one with //resilience:anticipate it reports more
guarded calls on one straight path than permits are preloaded.

A method is known to implement one where its package uses the type as the
interface; var _ Shop = (*service)(nil) is enough. One that may pass on to
another implementation is left alone, because it may stand before the wrapper.`

// Analyzer reports reservations that do not fit the calls under them.
var Analyzer = &analysis.Analyzer{
	Name:     "reservation",
	Doc:      doc,
	Requires: []*analysis.Analyzer{entries.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, e := range entries.Of(pass) {
			reportTickets(pass, e)
		}
		return nil, nil
	},
}
