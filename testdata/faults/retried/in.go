// Package in has methods that cannot be called more than once.
package in

import (
	"context"
	"io"
	"iter"
	"net/http"
	"os"
)

//resilience:retry store
type Store interface {
	//resilience:retry store
	Put(ctx context.Context, body io.Reader) error

	//resilience:retry store
	Upload(ctx context.Context, f *os.File, rest <-chan string) error

	//resilience:retry store
	All(ctx context.Context, _ iter.Seq[string]) error

	//resilience:retry store
	RoundTrip(r *http.Request) (*http.Response, error)

	//resilience:retry store
	Forget(ctx context.Context)

	//resilience:retry store when=sometimes
	Get(ctx context.Context) error

	//resilience:retry store when=never
	Find(ctx context.Context) error

	//resilience:retry store
	//resilience:anticipate check=store
	Buy(ctx context.Context) error

	//resilience:retry store
	//resilience:probe store
	Ping(ctx context.Context) error

	//resilience:retry store retries=3
	Count(ctx context.Context) error
}

func sometimes(error) int { return 0 }
