// Package in has keys that are none.
package in

import (
	"context"
	"strings"
)

type Tenants interface {
	//resilience:breaker by=tenant
	Number(ctx context.Context, tenant int64) error

	//resilience:breaker by=tennant
	Slip(ctx context.Context, tenant string) error

	//resilience:breaker by=length
	Length(ctx context.Context, tenant string) error

	//resilience:breaker by=swapped
	Swapped(ctx context.Context, tenant string) error

	//resilience:breaker by=strings.ToUpper
	Upper(ctx context.Context, tenant string) error

	//resilience:breaker by=strings.toLower
	Lower(ctx context.Context, tenant string) error

	//resilience:breaker by=value
	Value(ctx context.Context, tenant string) error

	//resilience:breaker by=tenant
	//resilience:bulkhead by=region
	Both(ctx context.Context, tenant, region string) error

	//resilience:breaker by=tenant
	//resilience:anticipate preload=stock:2
	Enter(ctx context.Context, tenant string) error

	//resilience:breaker by=
	Empty(ctx context.Context, tenant string) error

	//resilience:breaker by=a-b
	Odd(ctx context.Context, tenant string) error

	//resilience:ratelimit by=tenant
	Limit(ctx context.Context, tenant string) error
}

//resilience:breaker shops by=shop
//resilience:bulkhead shops by=length
type Shops interface {
	Open(ctx context.Context, name string) error
	Close(ctx context.Context) error
}

// Values has for its key the name of a variable.
//
//resilience:breaker shops by=value
type Values interface {
	Get(ctx context.Context) error
}

func length(context.Context, string) int { return 0 }

func swapped(string, context.Context) string { return "" }

var value = strings.ToLower
