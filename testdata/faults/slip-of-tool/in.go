// Package in has no directive but a slip of one.
package in

//resgen:breaker
type Payments interface {
	Charge() error
}
