// Package worstcase gives everything the name of something else.
package worstcase

import (
	"context"
	"io"

	fake "github.com/resgen-go/resgen/testdata/scenarios/worstcase/context"
	"github.com/resgen-go/resgen/testdata/scenarios/worstcase/w"
)

// What the package declares itself.
type (
	resilience struct{}
	registry   struct{ next, wiring resilience }
	call       int
	wiring     func() error
	err        string
	key        struct{}
	T          float64
)

var next = registry{}

func classify(*call) (wiring, err) { _ = next; return nil, "" }

var _, _ = classify(nil)

// Worst has parameters with the names of whatever the wrapper uses.
//
//resilience:breaker b
type Worst interface {
	Receiver(w w.W, wrapper, call, guarded string) (err string, failure error)
	Import(context string, io, fake, resilience int) (registry, error)
	Own(ctx context.Context, w *w.W, err error, call call, next registry) (wiring wiring, _ resilience, _ error)
	Background(string string, error error, nil any, true, false bool) (len int, cap, make error)
	Types(call call, err err, T T, io io.Reader) (io.Writer, error)
	Fake(context fake.Context, ctx fake.Context) error
	Keywords(Func, Type, Select, Interface) (Return, error)

	// Fields of the wrapper could be called like these.
	Next() error
	next() error
	Go() error
	NextGuard() error
}

// Types whose names are keywords in lower case.
type (
	Func      struct{}
	Type      struct{}
	Select    struct{}
	Interface struct{}
	Return    struct{}
)

// Params has type parameters with the names of whatever the wrapper uses.
//
//resilience:breaker b
type Params[w any, next comparable, T any, string ~[]w, context, call any, _ any, error any] interface {
	typed
	io.StringWriter
	Get(w w, next next, call call) (T, context, error)
	Fill(T T, string string) (n int, err error)
	io.Closer
}

// typed mentions a T that is not the type parameter.
type typed interface {
	Typed(T) error
}
