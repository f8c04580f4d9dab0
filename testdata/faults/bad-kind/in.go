// Package in opts out of guards that there are not, or not here.
package in

import "context"

//resilience:breaker
//resilience:timeout
type Files interface {
	//resilience:none timout
	A(ctx context.Context) error

	//resilience:none retry
	B(ctx context.Context) error

	//resilience:none timeout
	//resilience:timeout slow
	C(ctx context.Context) error

	//resilience:none timeout, breaker
	D(ctx context.Context) error

	//resilience:none timeout
	//resilience:none breaker
	E(ctx context.Context) error
}

type first interface {
	//resilience:none timeout
	Do(ctx context.Context) error
}

type second interface {
	//resilience:none breaker
	Do(ctx context.Context) error
}

//resilience:breaker
type Both interface {
	first
	second
}
