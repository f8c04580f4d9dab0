package nested // want package:`.*`

import (
	"context"
	"sync"
	"time"

	"github.com/resgen-go/resgen/vet/testdata/tickets/shop"
)

// The bulkheads of which the entries reserve permits.
type (
	//resilience:bulkhead a
	first interface {
		Do(ctx context.Context) error
	}

	//resilience:bulkhead b
	second interface {
		Do(ctx context.Context) error
	}

	//resilience:bulkhead c
	third interface {
		Do(ctx context.Context) error
	}
)

// Front is what the front-end serves: entries that others are called in.
type Front interface {
	//resilience:anticipate preload=b:2
	Checkout(ctx context.Context) error
}

// Cart has the entries that are called inside.
type Cart interface {
	//resilience:anticipate preload=a:1
	Fill(item string, ctx context.Context) error

	//resilience:anticipate lease=b:3
	Empty(ctx context.Context) error

	//resilience:anticipate preload=c:4
	Ship(ctx context.Context) error

	//resilience:bulkhead a
	Look(ctx context.Context) error
}

// base has what the shops need.
type base struct {
	cart    Cart
	wrapped *ResilientCart
	deep    struct {
		Cart
		cart Cart
	}
	plain interface {
		Fill(item string, ctx context.Context) error
	}
}

type (
	hooks struct {
		before func()
		carts  struct{ Cart }
	}
	till    struct{ hooks }
	pointer *till
)

var (
	named  pointer
	global Cart
)

// Implementations of Front.
type (
	direct    struct{ base }
	ways      struct{ base }
	otherCtx  struct{ base }
	derived   struct{ base }
	handed    struct{ base }
	waited    struct{ base }
	unwaited  struct{ base }
	aliased   struct{ base }
	byHand    struct{ next Front }
	embedding struct {
		base
		whole
	}
	itself  = *aliased
	unused  struct{ base }
	changed struct{ base }
)

var _ = []Front{
	direct{}, ways{}, otherCtx{}, derived{}, handed{}, waited{}, unwaited{}, &aliased{}, byHand{}, changed{},
}

func (s direct) Checkout(ctx context.Context) error {
	s.cart.Fill("", ctx) // want `^Front.Checkout holds permits of bulkhead b and calls Cart.Fill, which reserves from a: against the order of names it does not wait for them; reserve from both in Front.Checkout$`
	s.cart.Empty(ctx)    // want `^Front.Checkout holds 2 permits of bulkhead b and calls Cart.Empty, which reserves 3: when all permits are with entries that wait for more, one of them is refused; reserve the sum of 5 in Front.Checkout$`
	s.cart.Look(ctx)
	s.plain.Fill("", ctx)
	return s.cart.Ship(ctx)
}

// ways are those in which the type of what is called is seen.
func (s ways) Checkout(ctx context.Context) error {
	in := s.cart
	in.Fill("", ctx) // want `Cart.Fill`
	in = global
	in.Fill("", (ctx))          // want `Cart.Fill`
	s.wrapped.Fill("", ctx)     // want `Cart.Fill`
	s.deep.cart.Fill("", ctx)   // want `Cart.Fill`
	s.deep.Fill("", ctx)        // want `Cart.Fill`
	global.Fill("", ctx)        // want `Cart.Fill`
	named.carts.Fill("", ctx)   // want `Cart.Fill`
	Cart(s.cart).Fill("", ctx)  // want `Cart.Fill`
	carts()["eu"].Fill("", ctx) // want `Cart.Fill`
	if in, ok := any(s.plain).(Cart); ok {
		return in.Fill("", ctx) // want `Cart.Fill`
	}
	{
		s := struct{ cart first }{}
		return s.cart.Do(ctx)
	}
}

func carts() map[string]Cart { return nil }

// otherCtx carries no reservation into what it calls.
func (s otherCtx) Checkout(ctx context.Context) error {
	s.cart.Fill("", context.TODO())
	func() { ctx := context.TODO(); s.cart.Fill("", ctx) }()
	func(ctx context.Context) { s.cart.Fill("", ctx) }(context.TODO())
	for _, ctx := range []context.Context{} {
		s.cart.Fill("", ctx)
	}
	var ctx2 context.Context
	return s.cart.Fill("", ctx2)
}

func (s changed) Checkout(ctx context.Context) error {
	replace(&ctx)
	return s.cart.Fill("", ctx)
}

func replace(*context.Context) {}

func (s derived) Checkout(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return s.cart.Fill("", context.WithoutCancel(ctx)) // want `Cart.Fill`
}

// handed gives the call away; if it is made, it is made inside.
func (s handed) Checkout(ctx context.Context) error {
	return transaction(func() error {
		return s.cart.Fill("", ctx) // want `Cart.Fill`
	})
}

func transaction(do func() error) error { return do() }

func (s waited) Checkout(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() { s.cart.Fill("", ctx) }) // want `Cart.Fill`
	group.Add(1)
	go func() {
		defer group.Done()
		s.cart.Empty(ctx) // want `Cart.Empty`
	}()
	group.Wait()
	return nil
}

// unwaited may have returned before the calls are made.
func (s unwaited) Checkout(ctx context.Context) error {
	go s.cart.Fill("", ctx)
	go func() { s.cart.Fill("", ctx) }()
	return nil
}

func (s itself) Checkout(ctx context.Context) error {
	return s.cart.Fill("", ctx) // want `Cart.Fill`
}

// byHand may stand before the wrapper.
func (s byHand) Checkout(ctx context.Context) error { return s.next.Checkout(ctx) }

// unused is no Front as far as the package says.
func (s unused) Checkout(ctx context.Context) error { return s.cart.Fill("", ctx) }

// whole has entries that may call each other.
type whole interface {
	//resilience:anticipate preload=b:1
	Open(ctx context.Context) error

	//resilience:anticipate preload=a:1
	Close(ctx context.Context) error
}

var _ whole = embedding{}

// Open goes on to what may stand before the wrapper, too.
func (s embedding) Open(ctx context.Context) error {
	s.cart.Fill("", ctx) // want `whole.Open holds permits of bulkhead b and calls Cart.Fill`
	return s.Close(ctx)
}

// Shop calls an entry of another package, whose interface has the same name.
type Shop interface {
	//resilience:anticipate preload=payments:1
	Pay(ctx context.Context) error
}

type desk struct{ shop shop.Shop }

var _ Shop = desk{}

func (d desk) Pay(ctx context.Context) error {
	return d.shop.Checkout(ctx) // want `Shop.Pay holds permits of bulkhead payments and calls Shop.Checkout, which reserves from inventory`
}
