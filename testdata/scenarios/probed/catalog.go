// Package probed has methods that are health checks: one is guarded itself, one
// is not.
package probed

import "context"

// Catalog has a cheap method.
//
//resilience:breaker
type Catalog interface {
	Find(ctx context.Context, sku string) (string, error)

	// Ping is guarded when it is called through the wrapper.
	//
	//resilience:probe
	Ping(ctx context.Context) error

	// Alive is not.
	//
	//resilience:none
	//resilience:probe images
	Alive(context.Context) error
}
