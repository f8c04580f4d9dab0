// Package w is called like a receiver.
package w

// W is called like its package.
type W struct{}
