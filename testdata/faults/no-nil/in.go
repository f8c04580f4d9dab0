// Package in has a nil of its own.
package in

const nil = 0

//resilience:breaker store
type Store interface{ Get() error }
