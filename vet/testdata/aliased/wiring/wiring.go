// want package:`.*`

// Package wiring uses what package aliased guards, and what it may not.
package wiring

import (
	"context"

	"github.com/resgen-go/resgen/vet/testdata/aliased"
	"github.com/resgen-go/resgen/vet/testdata/aliased/ports"
	"github.com/resgen-go/resgen/vet/testdata/clients"
)

// Depot has other guards here than in its own package.
//
//resilience:bulkhead stock
type Depot = clients.Depot

// Shop is what the front-end serves.
type Shop interface {
	//resilience:anticipate preload=payments:1,stock:1
	Checkout(ctx context.Context) error
}

type shop struct {
	client   ports.Client
	payments *aliased.ResilientPayments
	depot    Depot
}

var _ Shop = shop{}

func (s shop) Checkout(ctx context.Context) error {
	s.client.Charge(context.Background())
	s.depot.Pick(context.Background(), "tea")      // want `call of Depot.Pick misses the permits of bulkhead stock`
	return s.payments.Charge(context.Background()) // want `call of Payments.Charge misses`
}
