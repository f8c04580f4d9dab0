// Package in has C types in a signature.
package in

// typedef int level;
import "C"

//resilience:breaker valve
type Valve interface {
	Set(l C.level) error
	Get() *C.level
}
