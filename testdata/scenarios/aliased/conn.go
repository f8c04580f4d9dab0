// Package aliased wraps interfaces of other packages under names of its own, and
// spells types as the interface does.
package aliased

import (
	"net"
	"os"
)

// Conn is another name for net.Conn.
//
//resilience:breaker conn
type Conn = net.Conn

// Listener is a type of its own with the methods of net.Listener.
//
//resilience:breaker conn
type Listener net.Listener

type (
	// Key is an alias.
	Key = string
	// Set is a generic alias.
	Set[T comparable] = map[T]struct{}
)

// Files mentions aliases at every depth.
//
//resilience:breaker files
type Files interface {
	Stat(path Key, mode os.FileMode) (os.FileInfo, error)
	Find(in Set[Key], raw map[string]struct{}, keep func(os.DirEntry) bool) ([]os.DirEntry, Set[int], error)
}
