// Package instances calls many dependencies by one interface.
package instances

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// Tenant is a string type whose name is a parameter's, too.
type Tenant string

// Solver is a pool of servers: each wrapper is one of them.
//
//resilience:breaker
//resilience:bulkhead
type Solver interface {
	Solve(ctx context.Context, n int) (int, error)
}

// Tenants serves many.
//
//resilience:breaker tenants by=Tenant
//resilience:bulkhead tenants by=Tenant
type Tenants interface {
	Find(ctx context.Context, Tenant Tenant) (string, error)

	// List has a key that a function makes, and parameters that hide names of the output.
	//
	//resilience:breaker tenants by=firstOf
	//resilience:none bulkhead
	List(resilience context.Context, w string, guard ...string) ([]string, error)

	// Open lasts until its body is closed.
	//
	//resilience:stream
	Open(ctx context.Context, Tenant Tenant) (io.ReadCloser, error)

	// All has the guards of the base name.
	All(ctx context.Context) error
}

// Store has keys of a type that its users choose.
//
//resilience:breaker tenants by=key
type Store[K ~string, V any] interface {
	Get(ctx context.Context, key K) (V, error)
}

// Transport has its key in the request.
type Transport interface {
	//resilience:breaker hosts by=hostOf
	RoundTrip(*http.Request) (*http.Response, error)
}

func firstOf(_ context.Context, w string, _ ...string) string { return strings.ToLower(w) }

func hostOf(r *http.Request) string { return r.URL.Host }
