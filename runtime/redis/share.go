package redis

import (
	"context"
	"fmt"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/redis/internal/door"
)

// Share makes breakers with "shared": true in the settings one for all
// processes that meet at the same server under the same service or keyPrefix.
// The section sharedState of the settings says where that is; if breakers are
// shared and it does not, that is an error of [resilience.New]. The server may be
// away, then and at any time: calls go on.
func Share() resilience.Option {
	return resilience.Share(func() resilience.Adapter { return fleet.New(backend) })
}

var backend = fleet.Backend{
	Complete: func(s *sharedstate.Settings) error {
		_, err := (&settings{*s}).option()
		return err
	},
	Connect: func(ctx context.Context, s *sharedstate.Settings) (fleet.Store, error) { return open(ctx, s) },
	Place:   func(s *sharedstate.Settings) string { return (&settings{*s}).place() },
}

func open(ctx context.Context, s *sharedstate.Settings) (door.Store, error) {
	own := &settings{*s}
	c, err := connect(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("can't connect: %w", err)
	}
	return newStore(c, own.Prefix()), nil
}

func init() { door.Connect = open }
