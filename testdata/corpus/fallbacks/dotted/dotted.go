// Package dotted is imported without a name.
package dotted

import "context"

// Dotted answers.
func Dotted(_ context.Context, n int, _ error) (int, error) { return n + 1, nil }
