package generator

import (
	"go/types"
	"slices"

	"github.com/resgen-go/resgen/directives"
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
func (c *checker) closing(targets []*target) Faults {
	var faults Faults
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

// refusedByType reports whether a directive of the type puts a guard before a
// method that refuses calls. One of the method itself is meant.
func (m *method) refusedByType() bool {
	if m.guard == nil {
		return false
	}
	return slices.ContainsFunc(m.guard.kinds(), func(kind string) bool {
		_, own := m.own.Get(kind)
		return kind != directives.Timeout && !own
	})
}

func (t *target) closingWarning(c *checker, refused []*method) Fault {
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
	guards := slices.DeleteFunc(refused[0].guard.kinds(), func(kind string) bool { return kind == directives.Timeout })
	return warning(directives.Position(c.pkg.Fset, at), directive, "the %s of %s may refuse %s, and what that would free is kept for ever; %s //%s:%s on %s",
		joined(guards), t.name, fewNames(refused), put, directives.Tool, directives.None, it)
}
