package files

import (
	"context"
	"io"
)

// Opener opens what it is asked for.
type Opener interface {
	//resilience:none timeout
	Open(ctx context.Context, path string) (*File, error)
}

// Files embeds a method that opts out.
//
//resilience:breaker files
//resilience:bulkhead files
//resilience:timeout files
type Files interface {
	Opener
	Get(ctx context.Context, path string) (*File, error)

	//resilience:none breaker bulkhead
	Ping(ctx context.Context) error
}

// Tables is generic.
//
//resilience:timeout files
type Tables[R any] interface {
	//resilience:none timeout
	Rows(ctx context.Context) (<-chan R, error)
	Count(ctx context.Context) (int, error)
}

// File is read after the call.
type File struct{ Body io.Reader }
