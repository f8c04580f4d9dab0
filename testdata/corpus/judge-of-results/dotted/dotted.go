// Package dotted judges where it is imported with a dot.
package dotted

import resilience "github.com/resgen-go/resgen/runtime"

// Dotted judges.
func Dotted(s string, n int, err error) resilience.Outcome { return resilience.Failure }
