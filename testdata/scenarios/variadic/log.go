// Package variadic passes variable numbers of arguments on.
package variadic

import "context"

// Log writes lines.
//
//resilience:breaker log
type Log interface {
	Print(ctx context.Context, args ...any) (int, error)
	Join(parts [][]byte, separators ...[]byte) ([]byte, error)
	Each(visit func(format string, args ...any), names ...string)
}
