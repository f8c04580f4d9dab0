// Package in has functions that judge other results than their methods have.
package in

import (
	"context"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
)

type Web interface {
	//resilience:breaker a classify=judge
	Size(ctx context.Context) (int64, error)

	//resilience:breaker a classify=judge
	Swapped(ctx context.Context) (error, *http.Response, error)

	//resilience:breaker a classify=jugde
	Misspelt(ctx context.Context) (*http.Response, error)

	//resilience:breaker a classify=variadic
	Variadic(ctx context.Context) (int, error)

	//resilience:breaker a classify=nothing
	Nothing(ctx context.Context) (*http.Response, error)

	//resilience:breaker a classify=judge
	Ping(ctx context.Context) error
}

// Store has no method that the judge of the type is for.
//
//resilience:breaker b classify=judge
type Store interface {
	Size(ctx context.Context) (int64, error)

	//resilience:breaker c
	Fetch(ctx context.Context) (*http.Response, error)
}

// Table is no place for what judges nothing.
//
//resilience:breaker d classify=other
type Table interface {
	Size(ctx context.Context) (int64, error)
	Fetch(ctx context.Context) (*http.Response, error)
}

func judge(*http.Response, error) resilience.Outcome { return resilience.Success }

func variadic(int, ...error) resilience.Outcome { return resilience.Success }

func nothing() resilience.Outcome { return resilience.Success }

func other(int64, error) bool { return false }
