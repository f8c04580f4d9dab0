// Package in has one directive twice on one method.
package in

type Store interface {
	//resilience:breaker a
	//resilience:breaker b
	Get() error
}
