// Package judge judges.
package judge

import resilience "github.com/resgen-go/resgen/runtime"

// Call judges.
func Call(n int, err error) resilience.Outcome {
	if n > 0 || err != nil {
		return resilience.Failure
	}
	return resilience.Success
}
