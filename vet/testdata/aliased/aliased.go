// want package:`.*`

// Package aliased guards interfaces of another package.
package aliased

import (
	"context"
	"net/http"

	"github.com/resgen-go/resgen/vet/testdata/aliased/ports"
)

type (
	//resilience:bulkhead
	Payments = ports.Client

	//resilience:bulkhead store
	Store[T any] = ports.Store[T]
)

// Names that say too little: what stands before the interface, or before this
// instance of it, is seen in the wrappers only.
type (
	//resilience:bulkhead
	Audit = ports.Journal

	//resilience:bulkhead
	Trail = ports.Journal

	//resilience:bulkhead cache
	Texts = ports.Cache[string]
)

// Shop is what the front-end serves.
type Shop interface {
	//resilience:anticipate preload=payments:1,store:1,audit:1,trail:1,cache:1
	Checkout(ctx context.Context) error
}

type shop struct {
	payments Payments
	client   ports.Client
	store    Store[int]
	audit    Audit
	trail    *ResilientTrail
	numbers  ports.Cache[int]
	texts    *ResilientTexts
}

var _ Shop = (*shop)(nil)

func (s *shop) Checkout(ctx context.Context) error {
	s.payments.Charge(context.Background()) // want `call of Payments.Charge misses the permits of bulkhead payments that Shop.Checkout reserves`
	s.client.Charge(context.Background())   // want `call of Payments.Charge misses`
	s.store.Load(context.Background())      // want `call of Store.Load misses`
	s.audit.Record(context.Background())
	s.trail.Record(context.Background()) // want `call of Trail.Record misses`
	s.numbers.Get(context.Background())
	s.texts.Get(context.Background()) // want `call of Texts.Get misses`
	s.payments.Charge(ctx)
	return s.payments.Charge(ctx) // want `2 calls on bulkhead payments`
}

type client struct{}

func (*client) Charge(ctx context.Context) error {
	_, err := http.Get("")
	return err
}

func charge(ctx context.Context) error {
	var payments Payments = &client{} // want `\*client is called as Payments without a guard: give it to NewResilientPayments`
	return payments.Charge(ctx)
}
