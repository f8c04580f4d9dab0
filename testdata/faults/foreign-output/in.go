// Package in has a file of its own where the output belongs.
package in

//resilience:breaker store
type Store interface{ Get() error }
