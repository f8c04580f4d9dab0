// Package std has another name for what may be hidden.
package std

// Error is Go's error.
type Error = error
