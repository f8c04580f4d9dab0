package clients // want package:`\[{Depot Depot \[{Pick depot false false \[\] \[\]  \[\]  \[\]}\]} {Inventory Inventory \[{Pick inventory false false \[\] \[\]  \[\]  \[\]}\]} {Payments Payments \[{Charge payments false false \[\] \[\]  \[\] payments \[\]} {Refund refunds false false \[\] \[\]  \[\] payments \[\]}\]} {ResilientDepot Depot .* {ResilientInventory Inventory \[{Pick inventory false false \[\] \[\]  \[\]  \[\]}\]} {ResilientPayments Payments .* {Store Store \[{Load store false false \[\] \[\]  \[\]  \[\]}\]} {Tenants Tenants \[{Pick inventory by tenant .* {refunds refunds .*\]`

import (
	"context"
	"net/http"
	"sync"
)

// Inventory is the client of the warehouse.
//
//resilience:bulkhead inventory
type Inventory interface {
	Pick(ctx context.Context, item string) error

	//resilience:none
	Ping(ctx context.Context) error

	Count() int
}

// Depot is the client of a warehouse far away.
//
//resilience:bulkhead
type Depot interface {
	Pick(ctx context.Context, item string) error
}

// Tenants is the client of a warehouse with a room for each tenant.
//
//resilience:bulkhead inventory by=tenant
type Tenants interface {
	Pick(ctx context.Context, tenant string) error
}

type refunds interface {
	//resilience:bulkhead refunds
	Refund(ctx context.Context, receipt string) error
}

// Payments is the client of the payment service.
//
//resilience:breaker payments
//resilience:bulkhead payments
type Payments interface {
	Charge(cents int, ctx context.Context) (receipt string, err error)
	refunds
}

// Store keeps values.
//
//resilience:bulkhead store
type Store[T any] interface {
	Load(ctx context.Context, key string) (T, error)
}

// Gateway is a client of payments that package raw guards.
type Gateway struct{ http *http.Client }

func (g Gateway) Charge(ctx context.Context, cents int) error { return nil }

func (g Gateway) Ping(ctx context.Context) error { return nil }

// Functions may be anything that package raw makes of it.
type Functions struct {
	http  *http.Client
	hooks struct{ charge func(cents int) error }
}

func (f Functions) Charge(ctx context.Context, cents int) error { return f.hooks.charge(cents) }

func (f Functions) Ping(ctx context.Context) error { return nil }

// Nop holds nothing, so it may do nothing.
type Nop struct{}

func (Nop) Charge(ctx context.Context, cents int) error { return nil }

func (Nop) Ping(ctx context.Context) error { return nil }

// Memory keeps charges, and the last of them.
type Memory struct {
	callers sync.Map
	mu      sync.Mutex
	charges map[string][]charge
	last    *charge
	err     error
}

type charge struct {
	cents    int
	previous *charge
}

func (m *Memory) Charge(ctx context.Context, cents int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = &charge{cents, m.last}
	m.charges["all"] = append(m.charges["all"], *m.last)
	return m.err
}

func (m *Memory) Ping(ctx context.Context) error { return m.err }
