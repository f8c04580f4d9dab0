package tested

import "context"

// double is an interface that only the tests have.
//
//resilience:breaker
type double interface {
	Do(ctx context.Context, value Value) error
}
