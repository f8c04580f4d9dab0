// Package in has C types in a signature.
package in

// typedef int level;
// #define SIZE 16
import "C"

const size = C.SIZE

//resilience:breaker valve
type Valve interface {
	Set(l C.level) error
	Get() *C.level
	Fill(buffer [C.SIZE]byte) error
	Size(buffer [size]byte) error
}
