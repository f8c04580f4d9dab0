// Package in reserves from one bulkhead in two ways.
package in

import "context"

type Store interface {
	//resilience:anticipate preload=a:1,a:2
	Twice(ctx context.Context) error

	//resilience:anticipate preload=a:1 lease=a:2
	Both(ctx context.Context) error

	//resilience:bulkhead a
	//resilience:anticipate preload=a:1
	Own(ctx context.Context) error
}

// Embedding brings together what stands in two interfaces.
//
//resilience:bulkhead b
type Embedding interface {
	embedded
}

type embedded interface {
	//resilience:anticipate preload=b:1
	Get(ctx context.Context) error
}
