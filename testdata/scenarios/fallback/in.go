// Package fallback has methods that fall back: on functions, on other methods, and
// without an error to return.
package fallback

import (
	"context"
	"io"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
	_ "github.com/resgen-go/resgen/runtime/resiliencehttp"
	"github.com/resgen-go/resgen/testdata/scenarios/fallback/backup"
)

// Offers falls back in every way in which a method with an error can.
//
//resilience:breaker
//resilience:bulkhead
//resilience:timeout
type Offers interface {
	// Price falls back on a function of another package, which gets the error.
	//
	//resilience:fallback with=backup.Price
	Price(ctx context.Context, sku string) (cents int, err error)

	// List falls back on another method, which has guards of its own and falls back
	// itself.
	//
	//resilience:fallback lists with=Cached
	List(ctx context.Context, skus ...string) ([]int, error)

	// Cached falls back on a function that gets the values as a slice.
	//
	//resilience:breaker cache
	//resilience:fallback cached with=none
	Cached(ctx context.Context, skus ...string) ([]int, error)

	// Ping has no result but an error, whose name is taken.
	//
	//resilience:fallback with=err
	Ping(ctx context.Context) error

	// Again is tried again before it falls back.
	//
	//resilience:retry
	//resilience:fallback with=backup.Price
	Again(ctx context.Context, sku string) (cents int, err error)
}

func none(_ context.Context, skus []string, _ error) ([]int, error) {
	return make([]int, len(skus)), nil
}

func err(_ context.Context, err error) error { return err }

// Pages is judged by its answers, which are closed where nobody gets them.
//
//resilience:breaker classify=resiliencehttp.Judge
type Pages interface {
	//resilience:fallback with=page
	RoundTrip(*http.Request) (*http.Response, error)

	// Fetch closes the answers of attempts that failed, too.
	//
	//resilience:breaker pages classify=resiliencehttp.Judge
	//resilience:retry
	//resilience:fallback fetch with=fetched
	Fetch(ctx context.Context, url string) (*http.Response, error)

	// Stream holds its permit until its body is closed, and none while it falls back.
	//
	//resilience:bulkhead
	//resilience:stream
	//resilience:fallback with=page
	Stream(request *http.Request) (*http.Response, error)

	//resilience:breaker pages classify=judgeFile
	//resilience:fallback with=noFile
	Open(name string) (io.ReadCloser, error)
}

func fetched(context.Context, string, error) (*http.Response, error) { return nil, io.EOF }

func page(*http.Request, error) (*http.Response, error) { return nil, io.EOF }

func judgeFile(file io.ReadCloser, err error) resilience.Outcome {
	if file == nil || err != nil {
		return resilience.Failure
	}
	return resilience.Success
}

func noFile(_ string, err error) (io.ReadCloser, error) { return nil, err }

// Cache returns no errors.
//
//resilience:breaker
//resilience:bulkhead
type Cache interface {
	//resilience:breaker cache classify=judgeAnswer
	//resilience:fallback with=noAnswer
	Get(ctx context.Context, key string) *Answer

	//resilience:retry
	//resilience:fallback with=noAnswer
	Find(ctx context.Context, key string) *Answer

	//resilience:fallback with=unsaid
	Has(ctx context.Context, call string, w error) bool

	// Size has no error to return and no fallback, so it passes through.
	Size() int
}

// Answer has its error inside.
type Answer struct {
	Text string
	Err  error
}

func judgeAnswer(a *Answer) resilience.Outcome {
	if a.Err != nil {
		return resilience.Failure
	}
	return resilience.Success
}

func noAnswer(_ context.Context, _ string, err error) *Answer { return &Answer{Err: err} }

func unsaid(context.Context, string, error, error) bool { return false }

// Handler serves requests, and says so where it can't.
type Handler interface {
	//resilience:anticipate check=offers preload=offers:2
	//resilience:fallback handler with=resiliencehttp.Answer
	ServeHTTP(w http.ResponseWriter, r *http.Request)
}

// Shelf falls back on functions with its type parameters.
//
//resilience:breaker
type Shelf[K comparable, V any] interface {
	//resilience:fallback with=zero
	Load(key K) (value V, err error)
}

func zero[K comparable, V any](K, error) (value V, err error) { return value, nil }

var _ = backup.Price
