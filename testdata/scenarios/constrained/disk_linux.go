//go:build amd64 || arm64

// Package constrained has a file that only some builds have.
package constrained

// Disk is there on some systems only.
//
//resilience:breaker
type Disk interface {
	Sync() error
}
