// Package unnamed has parameters and results without names.
package unnamed

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Range is a part of a blob.
type Range struct{ From, To int64 }

// Blobs keeps blobs.
//
//resilience:breaker
type Blobs interface {
	Fetch(context.Context, string, Range) ([]byte, http.Header, error)
	Store(context.Context, string, io.Reader, time.Duration, ...func(*int)) error
	Copy(string, string, bool) (int64, int64, error)
	List(_ context.Context, _ *http.Request) (_ []Range, _ map[string]bool, _ error)
	Watch(func(error)) (<-chan Range, any, struct{}, error)
}
