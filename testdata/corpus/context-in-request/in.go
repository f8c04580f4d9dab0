// Package requests has contexts in parameters of all kinds.
package requests

import (
	"context"
	"net/http"
	"testing"
)

// Carrier is a constraint, too.
type Carrier[T any] interface {
	Context() context.Context
	WithContext(context.Context) T
}

type value struct{ ctx context.Context }

func (v value) Context() context.Context              { return v.ctx }
func (v value) WithContext(ctx context.Context) value { return value{ctx} }

type embedding struct{ *http.Request }

type alias = *http.Request

//resilience:breaker clients
//resilience:timeout clients
type Client[T Carrier[T]] interface {
	Parameter(T) error
	Value(value) error
	Alias(alias) (*http.Response, error)
	Embedding(embedding) error // WithContext gives something else
	Second(call string, request, other *http.Request) error
	Test(err *testing.T) error
	Unnamed(*http.Request, ...*http.Request) error
	ByValue(http.Request) error
	Both(*http.Request, context.Context) error
	Slice([]*http.Request) error
}
