// Package in has probes of other shapes, and two for one breaker.
package in

import "context"

type Store interface {
	//resilience:probe a
	Ping(host string) error

	//resilience:probe b
	Alive(ctx context.Context) (bool, error)

	//resilience:probe c
	Check(ctx context.Context) error

	//resilience:probe c
	Again(ctx context.Context) error
}

type Embedding interface {
	other

	//resilience:probe d
	Check(ctx context.Context) error
}

type other interface {
	//resilience:probe d
	Other(ctx context.Context) error
}
