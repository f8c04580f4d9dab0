// Package judge is imported for its types and for its classify function.
package judge

import resilience "github.com/resgen-go/resgen/runtime"

// Letter is mail.
type Letter struct{ Text string }

// Everything is a failure.
func Everything(error) resilience.Outcome { return resilience.Failure }

// Nothing is a failure.
func Nothing(error) resilience.Outcome { return resilience.Success }
