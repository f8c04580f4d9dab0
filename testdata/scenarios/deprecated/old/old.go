// Package old has an interface of which one method is deprecated.
package old

import "context"

// Reader reads.
type Reader interface {
	Read(ctx context.Context, key string) (string, error)

	// ReadAll reads all.
	//
	// Deprecated: read what you need with Read.
	ReadAll(ctx context.Context) ([]string, error)
}
