// Package anticipated has an entry method that asks breakers and reserves
// permits before its body runs, and the interfaces that it calls.
package anticipated

import "context"

// Shop is the back-end for the front-end.
type Shop interface {
	//resilience:anticipate check=payments,inventory preload=payments:1,inventory:4 lease=audit:2
	Checkout(ctx context.Context, cart []string) (order string, err error)

	//resilience:breaker shop
	//resilience:bulkhead shop
	//resilience:timeout shop
	//resilience:anticipate check=inventory
	Browse(ctx context.Context, query string) ([]string, error)
}

// Inventory is called by Shop.
//
//resilience:breaker
//resilience:bulkhead
type Inventory interface {
	Reserve(ctx context.Context, item string) error
}
