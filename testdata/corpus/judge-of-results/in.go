// Package results has judges with names that are in the way.
package results

import (
	"context"

	resilience "github.com/resgen-go/resgen/runtime"
	. "github.com/resgen-go/resgen/testdata/corpus/judge-of-results/dotted"
	"github.com/resgen-go/resgen/testdata/corpus/judge-of-results/judge"
)

func call(n int, err error) resilience.Outcome { return judge.Call(n, err) }

func w(n int, err error) resilience.Outcome { return judge.Call(n, err) }

func err(n int, failure error) resilience.Outcome { return judge.Call(n, failure) }

func next(n int, err error) resilience.Outcome { return judge.Call(n, err) }

// Names are all in the way.
type Names[T any] interface {
	//resilience:breaker names classify=call
	Call(ctx context.Context) (int, error)

	//resilience:breaker names classify=w
	W(call string) (w int, err error)

	//resilience:breaker names classify=err
	Err(err string) (n int, failure error)

	//resilience:breaker names classify=next
	Next(next T) (int, error)

	//resilience:breaker names classify=judge.Call
	Judge(judge int, names ...T) (resilience int, _ error)

	//resilience:breaker names classify=Dotted
	Dotted(Dotted T) (string, int, error)
}

// Types has a type parameter that is called like the judge.
//
//resilience:breaker types classify=call
type Types[call any] interface {
	Get(c call) (int, error)
	Other(c call) (call, error)
}

var _ = Dotted
