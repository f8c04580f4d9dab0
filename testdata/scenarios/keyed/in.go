// Package keyed has methods that are guarded by keys of their calls.
package keyed

import (
	"context"
	"net/http"
	"strings"
)

// Region is a string type of its own.
type Region string

// Tenants serves many, each with guards of its own.
//
//resilience:breaker by=tenant
//resilience:bulkhead pool by=tenant
type Tenants interface {
	// Find has the key as its parameter.
	Find(ctx context.Context, tenant, query string) (found int, err error)

	// Move has a key of another string type, and a timeout for all keys.
	//
	//resilience:breaker regions by=to
	//resilience:timeout
	//resilience:none bulkhead
	Move(ctx context.Context, tenant string, to Region) error

	// Sum has a key that a function makes.
	//
	//resilience:breaker by=first
	//resilience:bulkhead pool by=first
	//resilience:timeout slow by=first
	//resilience:retry
	Sum(ctx context.Context, guard string, more ...string) (string, error)

	// Count lacks the parameter, so all its calls have the guards of the base names.
	Count(ctx context.Context) (int, error)

	// Try may be called more than once.
	//
	//resilience:retry
	Try(ctx context.Context, _ int, tenant string) error

	// Peek returns no error.
	//
	//resilience:fallback with=unknown
	Peek(tenant string) (n int)
}

// Transport has a key in its request.
type Transport interface {
	//resilience:breaker hosts by=host
	//resilience:bulkhead hosts by=host
	RoundTrip(r *http.Request) (*http.Response, error)
}

// Store has keys of a type that its users choose.
type Store[K ~string, V any] interface {
	// Get hides what is called string.
	//
	//resilience:breaker store by=key
	Get(ctx context.Context, string V, key K) (V, error)
}

func first(_ context.Context, _ string, more ...string) string {
	return strings.Join(more[:min(1, len(more))], "")
}

func unknown(string) int { return -1 }

func host(r *http.Request) Region { return Region(r.URL.Host) }
