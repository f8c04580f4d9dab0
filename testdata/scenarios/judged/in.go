// Package judged has breakers that judge all results of a method.
package judged

import (
	"context"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
	_ "github.com/resgen-go/resgen/runtime/resiliencehttp"
)

// Web fetches pages. The judge on the type is made for one of its methods.
//
//resilience:breaker classify=resiliencehttp.Judge
type Web interface {
	Fetch(ctx context.Context, url string) (*http.Response, error)
	Size(ctx context.Context, url string) (int64, error)
	Ping(ctx context.Context) error
}

// Stock has a judge of its own for each method. Parameters that would hide one
// have other names in the wrapper.
//
//resilience:bulkhead
//resilience:timeout
type Stock interface {
	//resilience:breaker stock classify=enough
	Count(ctx context.Context, enough string) (n int, complete bool, err error)

	//resilience:breaker stock classify=resiliencehttp.Judge
	Raw(resiliencehttp, resilience, call, w string) (*http.Response, error)

	//resilience:breaker stock classify=errorsOnly
	//resilience:anticipate check=web
	Order(ctx context.Context) (int, error)
}

func enough(n int, complete bool, err error) resilience.Outcome {
	switch {
	case n < 0:
		panic("a count below zero")
	case err != nil || !complete:
		return resilience.Failure
	case n == 0:
		return resilience.Ignored
	}
	return resilience.Success
}

func errorsOnly(err error) resilience.Outcome {
	if err != nil {
		return resilience.Failure
	}
	return resilience.Success
}
