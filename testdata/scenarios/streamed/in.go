// Package streamed has methods whose results are read after they have returned.
package streamed

import (
	"context"
	"io"
	"iter"
	"net/http"

	_ "github.com/resgen-go/resgen/runtime/resiliencehttp"
)

// Files hands out what is read later.
//
//resilience:breaker
//resilience:bulkhead
//resilience:timeout
type Files interface {
	//resilience:stream
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	//resilience:breaker files classify=resiliencehttp.Judge
	//resilience:stream
	RoundTrip(*http.Request) (*http.Response, error)

	//resilience:stream
	Get(ctx context.Context, stream string) (w *Object, err error)

	//resilience:stream
	Watch(ctx context.Context, name string) (Changes, error)

	//resilience:stream
	Receive(ctx context.Context) (Receiver[string], error)

	//resilience:stream
	Names(ctx context.Context) (iter.Seq[string], error)

	//resilience:stream
	Lines(ctx context.Context, name string) (iter.Seq2[string, error], error)

	//resilience:stream
	//resilience:fallback with=empty
	Find(ctx context.Context, name string) (found io.ReadCloser, err error)

	// Size is read at once.
	Size(ctx context.Context, name string) (int64, error)
}

// Object is a file with its metadata.
type Object struct {
	Length int64
	Body   io.ReadCloser
}

// Changes tells of the changes of a file.
type Changes interface {
	Next() bool
	Change() string
	Err() error
	Close() error
}

// Receiver is the client's end of a stream.
type Receiver[T any] interface {
	Recv() (T, error)
	RecvMsg(m any) error
	CloseSend() error
}

func empty(context.Context, string, error) (io.ReadCloser, error) { return http.NoBody, nil }
