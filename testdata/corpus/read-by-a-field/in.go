package bucket

import (
	"context"
	"io"
	"iter"
	"net/http"
)

// Output is the answer of a store.
type Output struct {
	Length   *int64
	Body     io.ReadCloser
	Metadata map[string]string
}

type promoted struct{ Snapshot io.ReadCloser }

// Raw has an answer that has been read.
type Raw struct {
	*http.Response
	Rate int
}

// Watch hands its values out by a channel.
type Watch interface {
	Stop()
	ResultChan() <-chan Event
}

// Event is a value of a watch.
type Event struct{ Key string }

// Bucket has results that are read after the call, and others.
//
//resilience:timeout bucket
type Bucket interface {
	GetObject(ctx context.Context, key string) (*Output, error)
	GetObjects(ctx context.Context, keys ...string) (outputs []Output, err error)
	Snapshot(ctx context.Context) (struct{ promoted }, error)
	Watch(context.Context) (Watch, error)
	Scan(_ context.Context, prefix string) (interface {
		All() iter.Seq2[Event, error]
	}, error)
	Parts(ctx context.Context) (map[string]io.Reader, error)
	Rate(ctx context.Context) (*Raw, error)
}

// Logs is what a container says, by value.
//
//resilience:timeout logs
type Logs[T any] interface {
	//resilience:none timeout
	//resilience:breaker logs
	Follow(ctx context.Context) (Output, error)
	Tail(ctx context.Context, n int) (T, error)
}
