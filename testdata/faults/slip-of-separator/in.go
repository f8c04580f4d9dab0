// Package in has no directive but a slip of one.
package in

// resilience;breaker
type Payments interface {
	Charge() error
}
