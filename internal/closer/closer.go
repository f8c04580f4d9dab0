// Package closer finds methods that give back what a client holds. Where a guard
// refuses such a call, it is held for ever.
package closer

import (
	"go/types"
	"slices"
)

var names = []string{
	"Close", "CloseNow", "CloseSend", "CloseWithError", "CloseAll", "CloseIdleConnections", "Shutdown", "Stop", "GracefulStop", "Terminate",
	"Disconnect", "Logout", "Quit", "Release", "Unlock", "RUnlock", "Free", "Dispose", "Destroy", "Cleanup", "Teardown", "TearDown",
	"Unsubscribe", "Deregister", "Rollback", "Abort", "Cancel",
}

// Is reports whether a method with one result gives something back by its name,
// and by its parameters: one that takes an account or an order does business.
func Is(method *types.Func) bool {
	if !slices.Contains(names, method.Name()) || method.Signature().Results().Len() != 1 {
		return false
	}
	for v := range method.Signature().Params().Variables() {
		if !isOf(v.Type(), "context", "Context") && !isOf(v.Type(), "time", "Duration") &&
			!types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
			return false
		}
	}
	return true
}

func isOf(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}
