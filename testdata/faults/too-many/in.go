// Package in reserves permits of bulkheads that have 25.
package in

import "context"

type Store interface {
	//resilience:anticipate preload=a:25,b:26
	Preload(ctx context.Context) error

	//resilience:anticipate "lease=a:1000000"
	Lease(ctx context.Context) error
}

// Chain embeds Store: what is wrong there is told once.
//
//resilience:bulkhead c
type Chain interface {
	Store
	Close(ctx context.Context) error
}
