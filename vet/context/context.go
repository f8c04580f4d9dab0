// Package context reports contexts that do not carry what a call needs: a
// guarded call of an entry whose context misses the reservation, and a timeout
// that ends the context of what is read after the call.
package context

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/entries"
	"github.com/resgen-go/resgen/vet/internal/guards"
)

const doc = `report contexts that miss a reservation or end too early

In a method that implements one with //resilience:anticipate, a guarded call
whose context is not derived from the method's misses the permits that were
reserved for it.

A method is known to implement one where its package uses the type as the
interface; var _ Shop = (*service)(nil) is enough. One that may pass on to
another implementation is left alone, because it may stand before the wrapper.

In a package with an annotated interface, a timeout ends the context of a call
when its method returns, and cuts off what is read later from the result: a
stream, rows or the body of an answer.`

// Analyzer reports contexts that miss a reservation or end too early.
var Analyzer = &analysis.Analyzer{
	Name:     "context",
	Doc:      doc,
	Requires: []*analysis.Analyzer{guards.Analyzer, entries.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, e := range entries.Of(pass) {
			reportMisses(pass, e)
		}
		reportCutOffs(pass, guards.Of(pass))
		return nil, nil
	},
}

// reportMisses reports calls whose context surely is not derived from the
// entry's, on bulkheads of which it reserves permits.
func reportMisses(pass *analysis.Pass, e *entries.Entry) {
	for _, call := range calls(e) {
		if call.Context != nil && e.Method.Reserves(call.Method.Bulkhead) && e.Stem(call.Context) == entries.Foreign {
			pass.ReportRangef(call.Context, "call of %s misses the permits of bulkhead %s that %s reserves: "+
				"derive its context from that of %s, if need be with context.WithoutCancel, or attach the reservation to it (resilience.ReservationFrom)",
				call, call.Method.Bulkhead, e, e.Method.Name)
		}
	}
}

// calls lists the guarded calls that are surely made while the entry runs: those
// that outlive it may want another context.
func calls(e *entries.Entry) []guards.Call {
	var calls []guards.Call
	ast.Inspect(e.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return !e.Outlives(n)
		case *ast.FuncLit:
			return e.Joined(n)
		case *ast.CallExpr:
			if call, ok := e.Call(n); ok {
				calls = append(calls, call)
			}
		}
		return true
	})
	return calls
}
