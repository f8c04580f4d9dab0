package contexts // want package:`\[{Shop Shop \[{Checkout  true \[{inventory 4} {store 1}\] \[{payments 1}\]} {Merge  true \[{inventory 2}\] \[\]}\]} .*\]`

import (
	"context"
	"sync"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"

	"github.com/resgen-go/resgen/vet/testdata/clients"
)

// Shop is what the front-end serves.
type Shop interface {
	//resilience:anticipate preload=inventory:4,store:1 lease=payments:1
	Checkout(cart string, ctx context.Context) error

	//resilience:anticipate preload=inventory:2
	Merge(ctx, other context.Context) error

	Close() error
}

type key struct{}

var background = context.Background()

// shop is checked.
type shop struct {
	clients.Inventory
	payments *clients.ResilientPayments
	names    clients.Store[string]
	audit    audit
	ctx      context.Context
	started  sync.WaitGroup
}

type audit interface {
	Record(ctx context.Context, event string) error
}

func (s *shop) Close() error { return nil }

func (s *shop) Merge(ctx, other context.Context) error {
	s.Pick(other, "") // may be derived from that of another entry
	other = context.Background()
	return s.Pick(other, "")
}

func (s *shop) Checkout(cart string, ctx context.Context) error {
	// What surely is another context.
	s.Pick(context.Background(), cart)                                 // want `call of Inventory.Pick misses the permits of bulkhead inventory that Shop.Checkout reserves: derive its context from that of Checkout, if need be with context.WithoutCancel, or attach the reservation to it \(resilience.ReservationFrom\)`
	s.Inventory.Pick(context.TODO(), cart)                             // want `call of Inventory.Pick misses`
	s.Pick(context.WithValue(context.Background(), key{}, cart), cart) // want `call of Inventory.Pick misses`
	s.Pick(s.ctx, cart)                                                // want `call of Inventory.Pick misses`
	s.Pick(background, cart)                                           // want `call of Inventory.Pick misses`
	s.payments.Charge(1, context.Background())                         // want `call of Payments.Charge misses the permits of bulkhead payments`
	clients.Payments(s.payments).Charge(1, (context.Background()))     // want `call of Payments.Charge misses`
	s.names.Load(context.Context(context.Background()), cart)          // want `call of Store.Load misses`
	deadline, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.Pick(deadline, cart) // want `call of Inventory.Pick misses`
	var other context.Context
	if cart == "" {
		other = deadline
	} else {
		other = context.WithValue(other, key{}, cart)
	}
	s.Pick(other, cart) // want `call of Inventory.Pick misses`

	// Goroutines that the entry waits for.
	var group sync.WaitGroup
	group.Go(func() {
		s.Pick(context.Background(), cart) // want `call of Inventory.Pick misses`
	})
	group.Add(1)
	go func() {
		defer group.Done()
		s.Pick(context.Background(), cart) // want `call of Inventory.Pick misses`
	}()
	group.Wait()
	defer func() {
		s.Pick(context.Background(), cart) // want `call of Inventory.Pick misses`
	}()
	return s.quiet(cart, ctx)
}

// quiet is no entry method.
func (s *shop) quiet(cart string, ctx context.Context) error {
	return s.Pick(context.Background(), cart)
}

// careful gives no reason to complain.
type careful struct {
	*shop
	job struct{ ctx context.Context }
}

func (s *careful) Checkout(cart string, ctx context.Context) error {
	// Derived contexts.
	s.Pick(ctx, cart)
	s.Pick(context.WithoutCancel(ctx), cart)
	deadline, cancel := context.WithTimeout(context.WithValue(ctx, key{}, cart), time.Second)
	defer cancel()
	s.Pick(deadline, cart)
	s.Pick(traced(ctx), cart)
	ctx, end := traced(ctx), func() {}
	defer end()
	s.Pick(ctx, cart)
	if reservation, ok := resilience.ReservationFrom(ctx); ok {
		s.Pick(reservation.Attach(context.Background()), cart)
		own := reservation.Attach(background)
		s.Pick(own, cart)
	}

	// Contexts of which too little is known.
	s.Pick(traced(background), cart)
	s.Pick(nil, cart)
	s.job.ctx = ctx
	s.Pick(s.job.ctx, cart)
	either := context.Background()
	if cart == "" {
		either = ctx
	}
	s.Pick(either, cart)
	pointed := context.Background()
	point(&pointed, ctx)
	s.Pick(pointed, cart)
	each(ctx, func(ctx context.Context) { s.Pick(ctx, cart) })
	func(ctx context.Context) {
		s.Pick(ctx, cart)
		ctx = context.Background()
	}(ctx)
	contexts := []context.Context{ctx}
	s.Pick(contexts[0], cart)
	ranged := context.Background()
	for _, ranged = range contexts {
		s.Pick(ranged, cart)
	}
	ctx = context.Background()
	s.Pick(ctx, cart)

	// Calls that need no permit of the entry's.
	s.Ping(context.Background())
	s.payments.Refund(context.Background(), cart)
	s.audit.Record(context.Background(), cart)

	// Work that outlives the entry, or may.
	go s.Pick(context.Background(), cart)
	go func() { s.Pick(context.Background(), cart) }()
	s.started.Go(func() { s.Pick(context.Background(), cart) })
	time.AfterFunc(time.Second, func() { s.Pick(context.Background(), cart) })
	var own pool
	own.Go(func() { s.Pick(context.Background(), cart) })
	later := func() { s.Pick(context.Background(), cart) }
	time.AfterFunc(time.Second, later)
	return nil
}

// restless puts a context into its field itself.
type restless struct{ *shop }

func (s restless) Checkout(cart string, ctx context.Context) error {
	s.ctx = ctx
	s.Pick(s.ctx, cart)
	return nil
}

// logging may stand before the wrapper.
type logging struct {
	Shop
	inventory clients.Inventory
}

func (l logging) Checkout(cart string, ctx context.Context) error {
	l.inventory.Pick(context.Background(), cart)
	return l.Shop.Checkout(cart, ctx)
}

// Two reservations for one method: who knows which one holds?
type (
	reader interface {
		//resilience:anticipate preload=inventory:1
		Read(ctx context.Context) error
	}
	batchReader interface {
		//resilience:anticipate preload=inventory:2
		Read(ctx context.Context) error
	}
)

type twofold struct{ inventory clients.Inventory }

func (t twofold) Read(ctx context.Context) error {
	return t.inventory.Pick(context.Background(), "")
}

// other has such a method, but does not implement Shop.
type other struct{ inventory clients.Inventory }

func (o other) Checkout(cart string, ctx context.Context) error {
	return o.inventory.Pick(context.Background(), cart)
}

// unnamed cannot derive anything.
type unnamed struct{ *shop }

func (s unnamed) Checkout(string, context.Context) error {
	return s.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
}

func traced(ctx context.Context) context.Context { return ctx }

func point(to *context.Context, ctx context.Context) { *to = ctx }

func each(ctx context.Context, f func(context.Context)) { f(ctx) }

// pool runs functions some time.
type pool struct{ queue []func() }

func (p *pool) Go(f func()) { p.queue = append(p.queue, f) }
