package behaviour_test

import (
	"context"
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/numbered"
)

// counted are what an entry of the scenario holds while its body runs.
type counted struct {
	numbered.Shop
	r    *resilience.Registry
	idle map[string]int
	left int
}

func (c *counted) look() {
	s := c.r.Snapshot()
	c.idle = map[string]int{}
	for _, b := range s.Bulkheads {
		c.idle[b.Name] = b.ReservedIdle
	}
	c.left = s.RateLimits[0].Available
}

func (c *counted) Checkout(context.Context, []string) error { c.look(); return nil }
func (c *counted) Search(context.Context, uint8, int) ([]string, error) {
	c.look()
	return nil, nil
}
func (c *counted) Pick(context.Context, int, map[string]int, string) (error, error) {
	c.look()
	return nil, nil
}
func (c *counted) Count(context.Context, []string, ...int) (int, error) { c.look(); return 0, nil }

func TestEntryE8NumbersComeFromArguments(t *testing.T) {
	r := registry(t, `{
		"bulkheads": {"stock": {"maxConcurrentCalls": 5}, "shards": {"maxConcurrentCalls": 5}, "tills": {"maxConcurrentCalls": 5}},
		"rateLimits": {"maps": {"limit": 1, "period": "1h", "burst": 9}}
	}`)
	client := &counted{r: r}
	w := wrap(t, numbered.NewResilientShop, numbered.Shop(client), r)
	ctx := t.Context()
	for n, want := range map[int]int{0: 0, 1: 1, 5: 5} {
		if err := w.Checkout(ctx, make([]string, n)); err != nil || client.idle["stock"] != want {
			t.Errorf("of %d items: %d permits, %v", n, client.idle["stock"], err)
		}
	}
	if err := w.Checkout(ctx, make([]string, 6)); !errors.Is(err, resilience.ErrTooLarge) {
		t.Errorf("of 6 items: %v", err)
	}
	if _, err := w.Search(ctx, 3, 4); err != nil || client.left != 6 || client.idle["shards"] != 4 || client.idle["stock"] != 2 {
		t.Errorf("%d tokens left, %v, %v", client.left, client.idle, err)
	}
	if _, err := w.Pick(ctx, 2, map[string]int{"a": 1, "b": 2, "c": 3}, ""); err != nil || client.idle["stock"] != 2 || client.idle["tills"] != 3 {
		t.Errorf("%v, %v", client.idle, err)
	}
	if _, err := w.Count(ctx, []string{"a"}, 1, 2); err != nil || client.idle["stock"] != 3 {
		t.Errorf("%v, %v", client.idle, err)
	}
}
