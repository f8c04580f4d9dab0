// Package in has names that are none.
package in

type Store interface {
	//resilience:breaker -store
	Get() error

	//resilience:bulkhead ""
	Put() error
}
