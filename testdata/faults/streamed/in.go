// Package in has streams whose end nobody can see.
package in

import (
	"context"
	"database/sql"
	"io"
)

// Two has two bodies.
type Two struct{ Head, Body io.ReadCloser }

//resilience:stream
//resilience:timeout
type Store interface {
	//resilience:stream
	Query(ctx context.Context, q string) (*sql.Rows, error)

	//resilience:stream
	Watch(ctx context.Context) (<-chan int, error)

	//resilience:stream
	Both(ctx context.Context) (*Two, error)

	//resilience:stream
	Put(ctx context.Context) error

	//resilience:none
	//resilience:stream
	Open(ctx context.Context) (io.ReadCloser, error)

	//resilience:stream
	//resilience:retry
	Get(ctx context.Context) (io.ReadCloser, error)

	//resilience:stream name
	Read(ctx context.Context) (io.ReadCloser, error)

	//resilience:stream
	Pair(ctx context.Context) (head, tail io.ReadCloser, err error)
}
