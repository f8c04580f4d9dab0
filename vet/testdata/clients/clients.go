package clients // want package:`\[{Inventory Inventory \[{Pick inventory false \[\] \[\]}\]} {ResilientInventory Inventory \[{Pick inventory false \[\] \[\]}\]} {refunds .* {Payments Payments \[{Charge payments false \[\] \[\]} {Refund refunds false \[\] \[\]}\]} {ResilientPayments .* {Store Store \[{Load store false \[\] \[\]}\]} {ResilientStore .*\]`

import "context"

// Inventory is the client of the warehouse.
//
//resilience:bulkhead
type Inventory interface {
	Pick(ctx context.Context, item string) error

	//resilience:none
	Ping(ctx context.Context) error

	Count() int
}

type refunds interface {
	//resilience:bulkhead refunds
	Refund(ctx context.Context, receipt string) error
}

// Payments is the client of the payment service.
//
//resilience:breaker
//resilience:bulkhead
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
