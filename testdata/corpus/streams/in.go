// Package streams hands out what calls last for.
package streams

import (
	"context"
	"io"
	"iter"
	"net/http"
)

// Rows are read one by one.
type Rows interface {
	Next() bool
	Scan(to ...any) error
	Err() error
	Close() error
}

// Messages come in.
type Messages[T any] interface {
	Recv() (T, error)
	Context() context.Context
}

// Wrapped says itself what it is around.
type Wrapped interface {
	io.Closer
	Unwrap() error
}

// Store hands out everything.
//
//resilience:breaker store
//resilience:bulkhead store
type Store[T any] interface {
	//resilience:stream
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	//resilience:stream
	Query(ctx context.Context, q string, args ...any) (rows Rows, err error)

	//resilience:stream
	Watch(ctx context.Context) (Messages[T], error)

	//resilience:stream
	All(ctx context.Context) (iter.Seq[T], error)

	//resilience:stream
	Pairs(ctx context.Context) (iter.Seq2[T, error], int, error)

	//resilience:stream
	Wrap(ctx context.Context) (Wrapped, error)

	//resilience:stream
	StreamOpen(ctx context.Context) (Rows, error)
}

// StoreStream has a type in the output that would have the name of one of Store.
//
//resilience:bulkhead store
type StoreStream interface {
	//resilience:stream
	Open(ctx context.Context) (Rows, error)
}

//resilience:breaker store
//resilience:bulkhead store
type doer interface {
	//resilience:stream
	Do(*http.Request) (*http.Response, error)
}

// stream is named as the field beside it.
type stream interface{ Close() error }

//resilience:bulkhead store
type hidden[s, value any] interface {
	//resilience:stream
	Open(s s) (stream, value, error)

	//resilience:stream
	Watch(value value) (Messages[s], error)
}

type resilientStoreQuery struct{}
