// Package reservation reports entries whose reservation does not fit what they
// do: more calls than permits, and entries inside them that want permits which
// may not be had.
package reservation

import (
	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/entries"
)

const doc = `report reservations that do not fit the calls under them

In a method that implements one with //resilience:anticipate it reports

- more guarded calls on one straight path than permits are preloaded, or tokens of
  a rate limit taken;
- a call of another entry, with a context derived from the method's, that wants
  more of a bulkhead whose name is not after those of which the method holds
  permits. Against the order of names it does not wait for them; on the same
  bulkhead the two may wait for each other. The finding names what to reserve.

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
			reportNested(pass, e)
		}
		return nil, nil
	},
}
