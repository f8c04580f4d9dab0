// Package limited has a rate limit on an interface, which one of its methods does
// without and another replaces by its own.
package limited

import "context"

// Maps is a provider that sells so many calls in a second.
//
//resilience:ratelimit
//resilience:breaker
type Maps interface {
	// Route counts.
	Route(ctx context.Context, from, to string) (minutes int, err error)

	// Tile has a limit of its own, and waits for its permit too.
	//
	//resilience:ratelimit tiles
	//resilience:bulkhead
	Tile(ctx context.Context, x, y int) ([]byte, error)

	// Status is free.
	//
	//resilience:none ratelimit
	Status(ctx context.Context) error
}
