package cutoff // want package:`.*`

import (
	"context"
	"io"
	"net/http"
)

// Object is read by its Body.
type Object struct {
	Body io.ReadCloser
	Last *http.Response
}

// Bucket is a store.
//
//resilience:breaker bucket
//resilience:timeout bucket
type Bucket interface { // want `the timeouts of Bucket.Get and 1 more cut off what is read from their results after the call, as from \*Object.Body; mark them //resilience:none timeout, or read inside`
	Get(ctx context.Context, key string) (*Object, error)
	Put(ctx context.Context, key string, data io.Reader) error
	List(ctx context.Context) (<-chan string, error)

	//resilience:none timeout
	Open(ctx context.Context, key string) (*Object, error)
}

// Feed is a feed.
type Feed[T any] interface { // want `the timeout of Feed.Follow cuts off what is read from its <-chan T after the call; mark it //resilience:none timeout, or read inside`
	//resilience:timeout feed
	Follow(ctx context.Context) (<-chan T, error)
}

// Plain reads inside.
//
//resilience:timeout plain
type Plain interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// Unbounded has no timeout.
//
//resilience:bulkhead unbounded
type Unbounded interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
}
