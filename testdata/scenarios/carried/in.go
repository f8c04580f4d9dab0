// Package carried has methods whose context is in a parameter.
package carried

import (
	"context"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
	_ "github.com/resgen-go/resgen/runtime/resiliencehttp"
)

// Transport can be put into an http.Client.
//
//resilience:breaker web classify=resiliencehttp.Judge
//resilience:bulkhead web
//resilience:timeout web
type Transport interface {
	http.RoundTripper
}

// Plain has a breaker alone: what it passes on is the caller's own request.
//
//resilience:breaker plain classify=resiliencehttp.Judge
type Plain interface {
	Do(*http.Request) (*http.Response, error)
}

// Page is the entry of a page that makes calls.
type Page interface {
	//resilience:anticipate preload=web:1
	Render(w http.ResponseWriter, r *http.Request) error
}

// Stream is a call that lasts. Its context cannot be replaced.
type Stream interface {
	Context() context.Context
	Send(text string) error
}

// Job is a value of its own that carries a context.
type Job[T any] interface {
	Context() context.Context
	WithContext(context.Context) Job[T]
}

// Chat has a stream, and parameters that are called like what its methods use.
//
//resilience:bulkhead
//resilience:timeout
type Chat[T any] interface {
	Talk(call Stream) error
	Work(resilience Job[T]) (w T, err error)
	Both(job Job[T], ctx context.Context) error
	Each(jobs ...Job[T]) error
}

var _ resilience.Outcome
