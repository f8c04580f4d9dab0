package generator_test

import "testing"

// A reservation is of the base name, and calls by key take their permits elsewhere.
func TestAReservationThatCallsByKeyDoNotUseIsWorthAWarning(t *testing.T) {
	const source = `
-- shop.go --
package shop

import "context"

type Tenants interface {
	//resilience:bulkhead pool by=tenant
	Find(ctx context.Context, tenant string) error

	//resilience:bulkhead other
	Count(ctx context.Context) error
}

type Shop interface {
	//resilience:anticipate preload=pool:2,other:1
	Buy(ctx context.Context) error
}
`
	const want = "shop.go:14:34: warning: resilience:anticipate: bulkhead pool guards Tenants.Find (by tenant): " +
		"the permits of a key are its own, so its calls use none of this reservation"
	if got := warnings(t, module(t, goMod+source)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
