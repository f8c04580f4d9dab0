package contexts // want package:`\[.* {Shop Shop \[{Checkout  true false \[{inventory 4} {store 1}\] \[{payments 1}\]  \[\]  \[\]} {Merge  true false \[{inventory 2}\] \[\]  \[\]  \[\]}\]} .*\]`

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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

var _ = []Shop{&shop{}, &careful{}, restless{}, logging{}, unnamed{}}

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
type restless struct {
	*shop
	ctx context.Context
}

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

var (
	_ reader      = twofold{}
	_ batchReader = twofold{}
)

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

// report serves the cases below.
type report interface {
	//resilience:anticipate preload=inventory:1
	Run(ctx context.Context) error
}

// titledReport is a report and more.
type titledReport interface {
	report
	Title() string
}

type titled struct{ inventory clients.Inventory }

func (titled) Title() string { return "" }

// What the package uses as a report, in whatever way.
type (
	wrapped     struct{ titled }
	returned    struct{ titled }
	assigned    struct{ titled }
	whole       struct{ titled }
	promoted    struct{ titled }
	sweeper     struct{ titled }
	usedInTests struct{ titled }
)

func wire(registry *resilience.Registry) (report, error) {
	var slot struct{ first report }
	slot.first = assigned{}
	_ = titledReport(whole{})
	_ = map[string]report{"": struct{ *promoted }{}}
	(&sweeper{}).Run(context.Background())
	if _, err := newResilientReport(&wrapped{}, registry); err != nil {
		return nil, err
	}
	return returned{}, nil
}

func (r *wrapped) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
}

func (r returned) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
}

func (r assigned) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
}

func (r whole) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses the permits of bulkhead inventory that report.Run reserves`
}

// promoted is used as a report by what embeds it, which has no name.
func (r promoted) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "")
}

// sweeper runs, but not as a report.
func (r *sweeper) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "")
}

func (r usedInTests) Run(ctx context.Context) error {
	return r.inventory.Pick(context.Background(), "")
}

// Decorators, which may stand before the wrapper.
type (
	ofWhole struct {
		titled
		next titledReport
	}
	ofFunction struct {
		titled
		run func(context.Context) error
	}
	ofFunctions struct {
		titled
		steps []func(context.Context) error
	}
	ofOther struct {
		titled
		next interface{ Run(context.Context) error }
	}
	ofShared struct{ titled }
	byHelper struct {
		titled
		next report
	}
	byArgument byHelper
)

var (
	_ = []report{ofWhole{}, ofFunction{}, ofFunctions{}, ofOther{}, ofShared{}, byHelper{}, byArgument{}}

	guardedReport *resilientReport
)

func (r ofWhole) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	return r.next.Run(ctx)
}

func (r ofFunction) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	return r.run(ctx)
}

func (r ofFunctions) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	return r.steps[0](ctx)
}

func (r ofOther) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	return r.next.Run(ctx)
}

func (r ofShared) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	run := guardedReport.Run
	return run(ctx)
}

func (r byHelper) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	return r.proceed(ctx)
}

func (r byHelper) proceed(ctx context.Context) error { return r.next.Run(ctx) }

func (r byArgument) Run(ctx context.Context) error {
	r.inventory.Pick(context.Background(), "")
	return run(ctx, r.next)
}

func run(ctx context.Context, r report) error { return r.Run(ctx) }

// plain is no decorator for its functions and methods, though they look alike.
type plain struct{ titled }

var _ report = plain{}

func (r plain) Run(ctx context.Context) error {
	again := func(ctx context.Context) error { return r.inventory.Ping(ctx) }
	if err := again(ctx); err != nil {
		return r.Run(ctx)
	}
	r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
	return flush(ctx)
}

func flush(ctx context.Context) error { return nil }

// Contexts that are put into the receiver while it runs.
type (
	session struct {
		titled
		ctx context.Context
	}
	begun   struct{ session }
	renewed struct {
		titled
		*session
	}
	overwritten struct {
		titled
		job struct{ ctx context.Context }
		own
	}
	own  struct{ context.Context }
	kept struct {
		titled
		ctx context.Context
	}
)

var _ = []report{begun{}, renewed{}, &overwritten{}, newKept()}

func newKept() kept { return kept{ctx: context.Background()} }

func (s *session) begin(ctx context.Context) { s.ctx = ctx }

func (s begun) Run(ctx context.Context) error {
	s.begin(ctx)
	return s.inventory.Pick(s.ctx, "")
}

func (s renewed) Run(ctx context.Context) error {
	s.renew(ctx)
	return s.titled.inventory.Pick(s.ctx, "")
}

func (s *renewed) renew(ctx context.Context) { s.session = &session{ctx: ctx} }

func (s *overwritten) Run(ctx context.Context) error {
	s.begin(ctx)
	return s.inventory.Pick(s.Context, "")
}

func (s *overwritten) begin(ctx context.Context) { *s = overwritten{own: own{ctx}} }

func (s kept) Run(ctx context.Context) error {
	s.begin(ctx)
	return s.inventory.Pick(s.ctx, "") // want `call of Inventory.Pick misses`
}

func (s *kept) begin(context.Context) {}

// Groups that the entry may not wait for.
type (
	unwaited struct {
		titled
		groups chan *sync.WaitGroup
	}
	handedOn  struct{ unwaited }
	sometimes struct{ unwaited }
	waited    struct{ unwaited }
)

var _ = []report{unwaited{}, handedOn{}, sometimes{}, waited{}}

func (r unwaited) Run(ctx context.Context) error {
	group := new(errgroup.Group)
	group.Go(func() error { return r.inventory.Pick(context.Background(), "") })
	go func() { _ = group.Wait() }()
	return nil
}

func (r handedOn) Run(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() { r.inventory.Pick(context.Background(), "") })
	group.Add(1)
	go func() {
		defer group.Done()
		r.inventory.Pick(context.Background(), "")
	}()
	r.groups <- &group
	return nil
}

func (r sometimes) Run(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() { r.inventory.Pick(context.Background(), "") })
	if r.groups == nil {
		group.Wait()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		group.Wait()
	}
	return nil
}

func (r waited) Run(ctx context.Context) error {
	for range 2 {
		var group errgroup.Group
		group.Go(func() error {
			return r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
		})
		if err := group.Wait(); err != nil {
			return err
		}
	}
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		r.inventory.Pick(context.Background(), "") // want `call of Inventory.Pick misses`
	})
	return nil
}

func traced(ctx context.Context) context.Context { return ctx }

func point(to *context.Context, ctx context.Context) { *to = ctx }

func each(ctx context.Context, f func(context.Context)) { f(ctx) }

// pool runs functions some time.
type pool struct{ queue []func() }

func (p *pool) Go(f func()) { p.queue = append(p.queue, f) }
