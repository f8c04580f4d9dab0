// Package asking asks itself, and does not compile.
package asking

//resilience:breaker asking
type Asking interface{ Ask(missing) error }
