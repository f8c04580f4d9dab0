package reservation

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/vet/internal/entries"
	"github.com/resgen-go/resgen/vet/internal/guards"
)

// reportNested reports calls of other entries that want permits beside those
// that the entry holds. A context derived from the entry's carries its
// reservation, also into a function that is handed to others: what runs after
// the entry's return finds the reservation closed, and nothing held.
func reportNested(pass *analysis.Pass, e *entries.Entry) {
	ast.Inspect(e.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return !e.Outlives(n)
		case *ast.CallExpr:
			call, ok := e.Call(n)
			if !ok || isSame(e, call) || call.Context == nil || e.Stem(call.Context) != entries.Derived {
				return true
			}
			for _, conflict := range conflicts(holder{e.String(), e.Method}, holder{call.String(), call.Method}) {
				pass.ReportRangef(call, "%s", conflict)
			}
		}
		return true
	})
}

// isSame reports whether a call goes through the interface of the entry itself:
// a type that embeds it may stand before the wrapper.
func isSame(e *entries.Entry, call guards.Call) bool {
	return call.On.Pkg() == e.Of.Pkg() && call.Interface == e.Known[e.Of].Interface
}

// holder is an entry, by the name of its interface and method.
type holder struct {
	name string
	guards.Method
}

// conflicts tells which permits of an entry inside another are not waited for,
// or not for long, because the entries would wait for each other otherwise. The
// permits that the outer entry has reserved are lent to the inner one; the permit
// of its own call is not.
func conflicts(outer, inner holder) []string {
	held, lent, wanted := outer.Held(), outer.Reserved(), inner.Held()
	if len(held) == 0 {
		return nil
	}
	last := slices.Max(slices.Collect(maps.Keys(held)))
	var found []string
	for _, bulkhead := range slices.Sorted(maps.Keys(wanted)) {
		if last >= bulkhead && wanted[bulkhead] > lent[bulkhead] {
			found = append(found, conflict(outer, inner, bulkhead, last))
		}
	}
	return found
}

// conflict tells of the permits of one bulkhead. The last one that the outer
// entry holds by the order of names is either that bulkhead or one after it.
func conflict(outer, inner holder, bulkhead, last string) string {
	lent, wanted := outer.Reserved()[bulkhead], inner.Held()[bulkhead]
	switch {
	case bulkhead == last:
		return fmt.Sprintf("%s holds %s of bulkhead %s and calls %s, which reserves %d: when all permits are with entries that wait for more, one of them is refused; reserve the sum of %d in %[1]s",
			outer.name, words.Count(outer.Held()[bulkhead], "permit"), bulkhead, inner.name, wanted, lent+wanted)
	case lent > 0:
		return fmt.Sprintf("%s holds permits of bulkhead %s and calls %s, which reserves %d from %s and can borrow %d: against the order of names it does not wait for the others; reserve them in %[1]s",
			outer.name, last, inner.name, wanted, bulkhead, lent)
	}
	return fmt.Sprintf("%s holds permits of bulkhead %s and calls %s, which reserves from %s: against the order of names it does not wait for them; reserve from both in %[1]s",
		outer.name, last, inner.name, bulkhead)
}
