// Package door lets the command fleet use what package redis does not show its
// users.
package door

import (
	"context"

	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// Store is a server with what only tools ask.
type Store interface {
	fleet.Store
	Breakers(context.Context) ([]string, error)
	History(ctx context.Context, breaker string) ([]rule.Event, error)
}

// Connect is set by package redis.
var Connect func(context.Context, *sharedstate.Settings) (Store, error)
