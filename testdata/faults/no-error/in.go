// Package in has directives on methods that cannot return a refusal.
package in

import "context"

type Store interface {
	//resilience:breaker store
	Len() int

	//resilience:bulkhead store
	Reset()

	//resilience:breaker store
	First() (error, int)

	//resilience:timeout store
	Find(ctx context.Context) *Fault

	//resilience:anticipate check=store
	Load(ctx context.Context) bool
}

// Fault implements error, but is another type.
type Fault struct{}

func (*Fault) Error() string { return "" }
