// Package in has directives on constraints.
package in

import "cmp"

//resilience:breaker number
type Number interface {
	~int | ~float64
}

//resilience:breaker key
type Key interface {
	comparable
	//resilience:bulkhead key
	Hash() error
}

//resilience:breaker ordered
type Ordered cmp.Ordered

//resilience:breaker anything
type Anything interface{}
