package tickets

import (
	"context"
	"errors"
	"sync"

	"github.com/resgen-go/resgen/vet/testdata/clients"
	"github.com/resgen-go/resgen/vet/testdata/tickets/shop"
)

// base has what the shops need.
type base struct {
	inventory clients.Inventory
	payments  clients.Payments
	tenants   clients.Tenants
	other     context.Context
}

func (base) Open(context.Context) error { return nil }

// Implementations of an interface of another package, each with a Checkout of
// its own.
type (
	onePath      struct{ base }
	enough       struct{ base }
	counted      struct{ base }
	parallel     struct{ base }
	branches     struct{ base }
	fallback     struct{ base }
	untilDone    struct{ base }
	ifCanceled   struct{ base }
	elseStays    struct{ base }
	elseLeaves   struct{ base }
	retry        struct{ base }
	retryFailure struct{ base }
	uncounted    struct{ base }
	later        struct{ base }
	guardClause  struct{ base }
	elsewhere    struct{ base }
	leased       struct{ base }
	brokenOff    struct{ base }
	byKey        struct{ base }
)

var (
	_ shop.Shop = onePath{}

	_ = []shop.Shop{
		enough{}, counted{}, parallel{}, branches{}, fallback{}, untilDone{}, ifCanceled{}, elseStays{}, elseLeaves{},
		retry{}, retryFailure{}, uncounted{}, later{}, guardClause{}, elsewhere{}, leased{}, brokenOff{}, byKey{},
	}
)

func (s onePath) Checkout(ctx context.Context) error {
	if err := s.inventory.Pick(ctx, "tea"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.inventory.Pick(ctx, "jam")
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	{
		return s.inventory.Pick(ctx, "bread") // want `3 calls on bulkhead inventory on this path, but Shop.Checkout preloads 2: write preload=inventory:3, or lease=inventory:n, whose permits serve call after call`
	}
}

func (s enough) Checkout(ctx context.Context) error {
	if err := s.inventory.Pick(ctx, "tea"); err != nil {
		return s.inventory.Pick(ctx, "jam")
	}
	s.inventory.Ping(ctx)
	return s.inventory.Pick(ctx, "bread")
}

func (s counted) Checkout(ctx context.Context) error {
	for range 1 {
		for i := 1; i <= 2; i++ {
			s.inventory.Pick(ctx, "tea")
		}
	}
	for range [2]int{} {
		for _, item := range []string{"jam", "bread"} {
			if err := s.inventory.Pick(ctx, item); err != nil { // want `6 calls on bulkhead inventory`
				return err
			}
		}
	}
	return nil
}

func (s parallel) Checkout(ctx context.Context) error {
	var picks sync.WaitGroup
	for range 2 {
		picks.Go(func() {
			s.inventory.Pick(ctx, "tea")
			func() { s.inventory.Pick(ctx, "jam") }() // want `5 calls on bulkhead inventory`
		})
	}
	picks.Add(1)
	go func() {
		defer picks.Done()
		s.inventory.Pick(ctx, "bread")
	}()
	picks.Wait()
	return nil
}

func (s branches) Checkout(ctx context.Context) error {
	s.inventory.Pick(ctx, "tea")
	if s.other != nil {
		s.inventory.Pick(ctx, "jam")
	} else {
		s.inventory.Pick(ctx, "bread")
	}
	switch {
	case s.other != nil:
		s.inventory.Pick(ctx, "jam")
	}
	_ = s.other == nil || s.inventory.Pick(ctx, "bread") == nil
	return s.inventory.Pick(ctx, "jam")
}

func (s fallback) Checkout(ctx context.Context) error {
	for _, item := range []string{"tea", "jam"} {
		if err := s.inventory.Ping(ctx); err == nil {
			return s.inventory.Pick(ctx, item)
		}
	}
	if err := s.inventory.Pick(ctx, "tea"); err == nil {
		return nil
	}
	if err := s.inventory.Pick(ctx, "jam"); err == nil {
		return nil
	}
	return s.inventory.Pick(ctx, "bread")
}

func (s untilDone) Checkout(ctx context.Context) error {
	err := s.inventory.Pick(ctx, "tea")
	if err == nil {
		return nil
	}
	err = s.inventory.Pick(ctx, "jam")
	if err == nil {
		return nil
	}
	return s.inventory.Pick(ctx, "bread")
}

func (s ifCanceled) Checkout(ctx context.Context) error {
	err := s.inventory.Pick(ctx, "tea")
	if !errors.Is(err, context.Canceled) {
		return err
	}
	s.inventory.Pick(ctx, "jam")
	return s.inventory.Pick(ctx, "bread")
}

func (s elseStays) Checkout(ctx context.Context) error {
	items := 0
	if err := s.inventory.Pick(ctx, "tea"); err != nil {
		return err
	} else {
		items++
	}
	s.inventory.Pick(ctx, "jam")
	return s.inventory.Pick(ctx, "bread") // want `3 calls on bulkhead inventory`
}

func (s elseLeaves) Checkout(ctx context.Context) error {
	if err := s.inventory.Pick(ctx, "tea"); err != nil {
		s.inventory.Ping(ctx)
	} else {
		return nil
	}
	s.inventory.Pick(ctx, "jam")
	return s.inventory.Pick(ctx, "bread")
}

func (s retry) Checkout(ctx context.Context) (err error) {
	for range 3 {
		if err = s.inventory.Pick(ctx, "tea"); err == nil {
			break
		}
	}
	return err
}

func (s retryFailure) Checkout(ctx context.Context) (err error) {
	for range 3 {
		if err = s.inventory.Pick(ctx, "tea"); err != nil {
			continue
		}
		return nil
	}
	return err
}

func (s uncounted) Checkout(ctx context.Context) error {
	var items []string
	for _, item := range items {
		s.inventory.Pick(ctx, item)
	}
	for range len(items) {
		s.inventory.Pick(ctx, "tea")
	}
	for i := 0; i < 3; i++ {
		s.inventory.Pick(ctx, "tea")
		i++
	}
	for range 0 {
		s.inventory.Pick(ctx, "tea")
	}
	for range "tea" {
		s.inventory.Pick(ctx, "tea")
	}
	for {
		s.inventory.Pick(ctx, "tea")
	}
}

func (s later) Checkout(ctx context.Context) error {
	defer s.inventory.Pick(ctx, "tea")
	go s.inventory.Pick(ctx, "tea")
	go func() {
		s.inventory.Pick(ctx, "tea")
		s.inventory.Pick(ctx, "jam")
		s.inventory.Pick(ctx, "bread")
	}()
	do := func() { s.inventory.Pick(ctx, "tea") }
	do()
	return nil
}

func (s guardClause) Checkout(ctx context.Context) error {
	if s.other == nil {
		return nil
	}
	s.inventory.Pick(ctx, "tea")
	s.inventory.Pick(ctx, "jam")
	s.inventory.Pick(ctx, "bread") // want `4 calls on bulkhead inventory`
	s.inventory.Pick(ctx, "bread")
	goto end // the path ends here; whoever counts on may count too much
end:
	return s.inventory.Pick(ctx, "bread")
}

func (s elsewhere) Checkout(ctx context.Context) error {
	s.inventory.Pick(ctx, "tea")
	s.inventory.Pick(s.other, "tea")              // want `misses`
	s.inventory.Pick(context.Background(), "tea") // want `misses`
	return s.inventory.Pick(ctx, "bread")
}

func (s leased) Checkout(ctx context.Context) error {
	s.payments.Charge(1, ctx)
	s.payments.Charge(2, ctx)
	s.payments.Charge(3, ctx)
	return nil
}

func (s brokenOff) Checkout(ctx context.Context) error {
	for range 3 {
		if s.other == nil {
			break
		}
		s.inventory.Pick(ctx, "tea")
	}
	return nil
}

// Calls by key use nothing of the reservation.
func (s byKey) Checkout(ctx context.Context) error {
	for _, tenant := range []string{"a", "b", "c"} {
		if err := s.tenants.Pick(ctx, tenant); err != nil {
			return err
		}
	}
	return s.tenants.Pick(s.other, "d")
}
