package raw // want package:`.*`

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	resilience "github.com/resgen-go/resgen/runtime"

	"github.com/resgen-go/resgen/vet/testdata/clients"
)

// Payments is the client of the payment service.
//
//resilience:breaker payments
type Payments interface {
	Charge(ctx context.Context, cents int) error

	//resilience:none
	Ping(ctx context.Context) error
}

// Shop is what the front-end serves.
type Shop interface {
	//resilience:anticipate check=payments
	Checkout(ctx context.Context) error
}

// client is a bare Payments.
type client struct {
	base string
	http *http.Client
}

func (c client) Charge(ctx context.Context, cents int) error { return c.post("/charge") }

func (c client) post(path string) error {
	response, err := c.http.Post(c.base+path, "", nil)
	if err != nil {
		return fmt.Errorf("post: %w", err)
	}
	return response.Body.Close()
}

func (client) Ping(ctx context.Context) error { return nil }

var _ Payments = client{}

// shop calls what it is given.
type shop struct{ payments Payments }

func (s *shop) Checkout(ctx context.Context) error { return s.payments.Charge(ctx, 1) }

func wireByLiteral() Shop {
	return &shop{payments: &client{base: "a"}} // want `\*client is called as Payments without a guard: give it to NewResilientPayments and use what that returns`
}

func wireByPosition() Shop {
	return &shop{client{base: "b"}} // want `client is called as Payments without a guard`
}

func newShop(payments Payments) *shop {
	payments.Ping(context.Background())
	return &shop{payments}
}

func wireByArgument() Shop {
	bare := client{base: "c"}
	return newShop(bare) // want `client is called as Payments without a guard`
}

func wireByVariable() Shop {
	var payments Payments = client{base: "d"} // want `client is called as Payments without a guard`
	return newShop(payments)
}

func wireByAssignment() Shop {
	s := new(shop)
	s.payments = Payments(client{base: "e"}) // want `client is called as Payments without a guard`
	return s
}

func local(ctx context.Context) error {
	payments := Payments(client{}) // want `client is called as Payments without a guard`
	return payments.Charge(ctx, 2)
}

func entry(ctx context.Context) error {
	var s Shop = newShop(nil) // want `\*shop is called as Shop without a guard: give it to NewResilientShop and use what that returns`
	return s.Checkout(ctx)
}

// What is wrapped, or may be.

type wrappedLater struct{ payments Payments }

func wireWrappedLater(registry *resilience.Registry) (s wrappedLater, err error) {
	s = wrappedLater{client{}}
	s.payments, err = NewResilientPayments(s.payments, registry)
	return s, err
}

func (s wrappedLater) charge(ctx context.Context) error { return s.payments.Charge(ctx, 1) }

type settings struct{ payments Payments }

func wireBySettings(s settings, registry *resilience.Registry) error {
	payments, err := NewResilientPayments(s.payments, registry)
	if err != nil {
		return err
	}
	return payments.Charge(context.Background(), 1)
}

func wireSettings() error { return wireBySettings(settings{client{}}, nil) }

type guardedShop struct{ payments Payments }

func (s guardedShop) charge(ctx context.Context) error { return s.payments.Charge(ctx, 1) }

func wireGuarded(off bool, registry *resilience.Registry) (guardedShop, error) {
	if off {
		return guardedShop{client{}}, nil // a choice
	}
	payments, err := NewResilientPayments(client{}, registry)
	return guardedShop{payments}, err
}

// Clients made of clients.

type retrying struct{ next Payments }

func (r retrying) Charge(ctx context.Context, cents int) error { return r.next.Charge(ctx, cents) }

func (r retrying) Ping(ctx context.Context) error { return r.next.Ping(ctx) }

type charger interface {
	Charge(ctx context.Context, cents int) error
}

type narrow struct {
	client
	inner []charger
}

func (n narrow) Charge(ctx context.Context, cents int) error { return n.inner[0].Charge(ctx, cents) }

type adapter struct {
	client
	charge func(context.Context, int) error
}

func (a adapter) Charge(ctx context.Context, cents int) error { return a.charge(ctx, cents) }

type decorated struct{ retrying, narrow, adapter, wrapper Payments }

func wireDecorated(guarded *ResilientPayments) error {
	d := decorated{
		retrying: retrying{client{}},
		narrow:   &narrow{},
		adapter:  adapter{},
		wrapper:  guarded,
	}
	ctx := context.Background()
	d.retrying.Charge(ctx, 1)
	d.narrow.Charge(ctx, 1)
	d.adapter.Charge(ctx, 1)
	return d.wrapper.Charge(ctx, 1)
}

// Clients that get hold of a guarded one in other ways.

type base struct{ client }

type byFunction struct {
	base
	do func(cents int) error
}

func (f byFunction) Charge(ctx context.Context, cents int) error { return f.try(cents) }

func (f byFunction) try(cents int) error { return f.do(cents) }

type lazy struct {
	base
	once sync.Once
	box  any
}

func (l *lazy) Charge(ctx context.Context, cents int) error {
	return l.box.(*ResilientPayments).Charge(ctx, cents)
}

type swapped struct {
	base
	current atomic.Pointer[ResilientPayments]
}

func (s *swapped) Charge(ctx context.Context, cents int) error {
	return s.current.Load().Charge(ctx, cents)
}

type boxed struct {
	base
	box atomic.Value
}

func (b *boxed) Charge(ctx context.Context, cents int) error {
	return b.box.Load().(interface {
		Charge(context.Context, int) error
	}).Charge(ctx, cents)
}

type switched struct {
	base
	box atomic.Value
}

func (s *switched) Charge(ctx context.Context, cents int) error {
	switch do := s.box.Load().(type) {
	case func(int) error:
		return do(cents)
	}
	return s.base.Charge(ctx, cents)
}

var shared *ResilientPayments

type global struct{ base }

func (global) Charge(ctx context.Context, cents int) error { return shared.Charge(ctx, cents) }

type billing interface{ Bill(cents int) error }

type viaBilling struct {
	base
	billing
}

func (v viaBilling) Charge(ctx context.Context, cents int) error { return v.Bill(cents) }

type queued struct {
	base
	jobs chan func()
}

func (q queued) Charge(ctx context.Context, cents int) error {
	done := make(chan struct{})
	q.jobs <- func() { close(done) }
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// nop and disabled do nothing that needs a guard.
type (
	nop      struct{}
	disabled struct{}
)

func (nop) Charge(ctx context.Context, cents int) error { return nil }

func (nop) Ping(ctx context.Context) error { return nil }

func (disabled) Charge(ctx context.Context, cents int) error { return errors.New("disabled") }

func (disabled) Ping(ctx context.Context) error { return unavailable("ping") }

func unavailable(what string) error { return fmt.Errorf("%s is disabled", what) }

func callOthers(ctx context.Context, do func(int) error, b billing) {
	var function Payments = byFunction{do: do}
	function.Charge(ctx, 1)
	var late Payments = &lazy{}
	late.Charge(ctx, 1)
	var exchanged Payments = &swapped{}
	exchanged.Charge(ctx, 1)
	var stored Payments = &boxed{}
	stored.Charge(ctx, 1)
	var either Payments = &switched{}
	either.Charge(ctx, 1)
	var everywhere Payments = global{}
	everywhere.Charge(ctx, 1)
	var billed Payments = viaBilling{billing: b}
	billed.Charge(ctx, 1)
	var worker Payments = queued{}
	worker.Charge(ctx, 1)
	var null Payments = nop{}
	null.Charge(ctx, 1)
	var off Payments = disabled{}
	off.Charge(ctx, 1)
	var nothing Payments = clients.Nop{}
	nothing.Charge(ctx, 1)
	var functions Payments = &clients.Functions{}
	functions.Charge(ctx, 1)
	var kept Payments = &memory{}
	kept.Charge(ctx, 1)
	var keptElsewhere Payments = &clients.Memory{}
	keptElsewhere.Charge(ctx, 1)
	var plain Payments = base{} // want `base is called as Payments without a guard`
	plain.Charge(ctx, 1)
	var gateway Payments = &clients.Gateway{} // want `clients.Gateway is called as Payments without a guard`
	gateway.Charge(ctx, 1)
}

// memory asks nobody.
type memory struct {
	mu      sync.Mutex
	charged []string
	calls   atomic.Int64
}

func (m *memory) Charge(ctx context.Context, cents int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.calls.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.charged = append(m.charged, strconv.Itoa(cents))
	return nil
}

func (m *memory) Ping(context.Context) error { return nil }

// writer is fulfilled by types of other packages.
//
//resilience:breaker
type writer interface {
	WriteString(s string) (int, error)
}

func write() (string, error) {
	var text strings.Builder
	var w writer = &text
	if _, err := w.WriteString("tea"); err != nil {
		return "", err
	}
	return text.String(), nil
}

// backend is guarded as a whole.
//
//resilience:breaker
type backend interface {
	run(ctx context.Context) error
}

type facade struct{ payments Payments }

func (f facade) run(ctx context.Context) error { return f.payments.Charge(ctx, 1) }

func wireFacade(registry *resilience.Registry) (*resilientBackend, error) {
	return newResilientBackend(facade{client{}}, registry)
}

// warmUp calls by intent before there is a guard.
func warmUp(ctx context.Context, registry *resilience.Registry) (*resilientBackend, error) {
	var bare backend = facade{}
	if err := bare.run(ctx); err != nil {
		return nil, err
	}
	return newResilientBackend(bare, registry)
}

// loud may stand behind the wrapper of Shop.
type loud struct{ next Shop }

func (l loud) Checkout(ctx context.Context) error { return l.next.Checkout(ctx) }

func wireLoud() loud { return loud{&shop{}} }

// What comes from elsewhere.

func fromList(ctx context.Context, list []Payments) error {
	var payments Payments = client{}
	for _, payments = range list {
		break
	}
	return payments.Charge(ctx, 1)
}

// What others can reach.

// Exposed may be filled elsewhere.
type Exposed struct{ Payments Payments }

func (e Exposed) charge(ctx context.Context) error { return e.Payments.Charge(ctx, 1) }

// NewExposed may be called elsewhere.
func NewExposed(payments Payments) *shopOfOthers { return &shopOfOthers{payments} }

type shopOfOthers struct{ payments Payments }

func (s *shopOfOthers) charge(ctx context.Context) error { return s.payments.Charge(ctx, 1) }

func wireExposed() (Exposed, *shopOfOthers) { return Exposed{client{}}, NewExposed(client{}) }

// Default may be replaced.
var Default Payments = client{}

func chargeDefault(ctx context.Context) error { return Default.Charge(ctx, 1) }

type provided struct{ payments Payments }

func newProvided(payments Payments) provided { return provided{payments} }

func (p provided) charge(ctx context.Context) error { return p.payments.Charge(ctx, 1) }

func provide() any {
	newProvided(client{})
	return newProvided // to be called by reflection
}

type pointed struct{ payments Payments }

func newPointed() *Payments {
	p := pointed{client{}}
	p.payments.Charge(context.Background(), 1)
	return &p.payments
}

// What is not guarded anyway.

type pinger struct{ payments Payments }

func (p pinger) ping(ctx context.Context) error { return p.payments.Ping(ctx) }

func newPinger() pinger { return pinger{client{}} }

func bare(ctx context.Context) error { return client{}.Charge(ctx, 1) }
