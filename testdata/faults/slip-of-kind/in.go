// Package in mentions a wrapper that the slip of a directive keeps from being
// written. That is no second fault.
package in

// Payments is a client.
//
//resilience:braker
type Payments interface {
	Charge() error
}

// Kind is no interface, and its doc comment is prose:
// Resilience: breaker/timeout/bulkhead
type Kind string

var _ *ResilientPayments

var _ = NewResilientPayments
