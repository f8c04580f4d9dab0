package generator

import (
	"go/types"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// closers are the names of methods that give back what a client holds. Where a
// guard refuses such a call, it is held for ever.
var closers = []string{
	"Close", "CloseNow", "CloseSend", "CloseWithError", "CloseAll", "CloseIdleConnections", "Shutdown", "Stop", "GracefulStop", "Terminate",
	"Disconnect", "Logout", "Quit", "Release", "Unlock", "RUnlock", "Free", "Dispose", "Destroy", "Cleanup", "Teardown", "TearDown",
	"Unsubscribe", "Deregister", "Rollback", "Abort", "Cancel",
}

// closing warns of methods that free something and may be refused, because a
// directive of the type guards them too. There is one line for an interface.
func (c *checker) closing(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		var refused []*method
		for _, m := range t.methods {
			if m.frees() && m.refusedByType() && !m.foreign {
				refused = append(refused, m)
			}
		}
		if len(refused) > 0 {
			faults = append(faults, t.closingWarning(c, refused))
		}
	}
	return faults
}

// frees reports whether a method gives something back by its name, and by its
// parameters: one that takes an account or an order does business.
func (m *method) frees() bool {
	if !slices.Contains(closers, m.Name()) || m.Signature().Results().Len() != 1 {
		return false
	}
	for v := range m.Signature().Params().Variables() {
		if !isContext(v.Type()) && !isError(v.Type()) && !isDuration(v.Type()) {
			return false
		}
	}
	return true
}

func isDuration(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && isNamed(named.Obj(), "time", "Duration")
}

// refusing are the guards of a method itself that refuse calls.
func (m *method) refusing() (rows []*directives.Row) {
	for _, item := range m.guard.own() {
		if item.Row.Refuses {
			rows = append(rows, item.Row)
		}
	}
	return rows
}

// refusedByType reports whether a directive of the type puts a guard before a
// method that refuses calls. One of the method itself is meant.
func (m *method) refusedByType() bool {
	return slices.ContainsFunc(m.refusing(), func(row *directives.Row) bool {
		_, own := m.own.Get(row.Name)
		return !own
	})
}

func (t *target) closingWarning(c *checker, refused []*method) fault.Fault {
	at, directive := anchor(t.annotated, nil)
	var elsewhere []*method
	for _, m := range slices.Backward(refused) {
		if t.has(m) {
			at = m.Pos()
		} else {
			elsewhere = append(elsewhere, m)
		}
	}
	slices.Reverse(elsewhere)
	put, it := "put", "it"
	if len(elsewhere) > 0 {
		put = "declare " + fewNames(elsewhere) + " in " + t.name + " once more, and put"
	}
	if len(refused) > 1 {
		it = "them"
	}
	var guards []string
	for _, row := range refused[0].refusing() {
		guards = append(guards, row.Noun())
	}
	return c.warning(at, directive, "the %s of %s may refuse %s, and what that would free is kept for ever; %s //%s:%s on %s",
		joined(guards), t.name, fewNames(refused), put, directives.Tool, directives.None, it)
}
