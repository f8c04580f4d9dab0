// Package numbered has entries that reserve as much as their calls know.
package numbered

import (
	"context"

	_ "github.com/resgen-go/resgen/testdata/scenarios/numbered/stock"
)

// Shop reserves by its arguments.
type Shop interface {
	//resilience:anticipate check=stock preload=stock:len(items)
	Checkout(ctx context.Context, items []string) error

	//resilience:anticipate rate=maps:n lease=shards:parallel preload=stock:2
	Search(ctx context.Context, n uint8, parallel int) (found []string, err error)

	//resilience:anticipate preload=stock:picks,tills:len(w)
	Pick(ctx context.Context, len int, w map[string]int, call string) (int error, err error)

	//resilience:breaker shop
	//resilience:anticipate preload=stock:stock.Count
	Count(ctx context.Context, items []string, more ...int) (int, error)
}

func picks(_ context.Context, n int, _ map[string]int, _ string) int { return n }
