package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	resilience "github.com/resgen-go/resgen/runtime"
)

//go:generate go tool resgen

// client is what every path implements: the call that is measured.
type client interface {
	Do(ctx context.Context, n int) (int, error)
}

// The same call behind guards that differ.
type (
	//resilience:breaker a
	breakerClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker a by=tenant
	keyClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:bulkhead a
	bulkheadClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:ratelimit a
	rateClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker a
	//resilience:bulkhead a
	bothClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker a
	//resilience:bulkhead a
	//resilience:timeout a
	timeoutClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker b
	//resilience:bulkhead b
	otherClient interface {
		Do(ctx context.Context, n int) (int, error)
	}

	retryClient interface {
		//resilience:breaker a
		//resilience:bulkhead a
		//resilience:retry a
		Do(ctx context.Context, n int) (int, error)
	}

	fallbackClient interface {
		//resilience:breaker a
		//resilience:bulkhead a
		//resilience:fallback a with=instead
		Do(ctx context.Context, n int) (int, error)
	}

	judgedClient interface {
		//resilience:breaker a classify=judged
		Do(ctx context.Context, n int) (int, error)
	}

	streamClient interface {
		//resilience:breaker a
		//resilience:bulkhead a
		//resilience:stream
		Open(ctx context.Context) (io.ReadCloser, error)
	}

	entryClient interface {
		//resilience:anticipate check=a,b preload=a:2,b:2
		Do(ctx context.Context, n int) (int, error)
	}
)

// tenants are keys of calls.
var tenants = func() (keys [512]string) {
	for i := range keys {
		keys[i] = fmt.Sprint("tenant-", i)
	}
	return keys
}()

func tenant(_ context.Context, n int) string { return tenants[uint(n)%uint(len(tenants))] }

// judged is a judge of all results.
func judged(_ int, err error) resilience.Outcome {
	if err != nil {
		return resilience.Failure
	}
	return resilience.Success
}

// opened is a body that is always there.
var opened = io.NopCloser(struct{ io.Reader }{strings.NewReader("")})

// bodies is the dependency of a streamClient.
type bodies struct{}

func (bodies) Open(context.Context) (io.ReadCloser, error) { return opened, nil }

// reading opens a stream and closes it.
type reading struct{ streamClient }

func (r reading) Do(ctx context.Context, n int) (int, error) {
	body, err := r.Open(ctx)
	if err != nil {
		return 0, err
	}
	return n, body.Close()
}

// instead is a fallback.
func instead(_ context.Context, n int, _ error) (int, error) { return n, nil }

// tenClient has more methods than the one that is measured.
//
//resilience:breaker a
//resilience:bulkhead a
type tenClient interface {
	Do(ctx context.Context, n int) (int, error)
	Do2(ctx context.Context, n int) (int, error)
	Do3(ctx context.Context, n int) (int, error)
	Do4(ctx context.Context, n int) (int, error)
	Do5(ctx context.Context, n int) (int, error)
	Do6(ctx context.Context, n int) (int, error)
	Do7(ctx context.Context, n int) (int, error)
	Do8(ctx context.Context, n int) (int, error)
	Do9(ctx context.Context, n int) (int, error)
	Do10(ctx context.Context, n int) (int, error)
}

// work is the dependency: it does nothing, well.
type work struct{}

//go:noinline
func (work) Do(_ context.Context, n int) (int, error) { return n, nil }

// The others make it a tenClient.
func (w work) Do2(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do3(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do4(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do5(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do6(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do7(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do8(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do9(ctx context.Context, n int) (int, error)  { return w.Do(ctx, n) }
func (w work) Do10(ctx context.Context, n int) (int, error) { return w.Do(ctx, n) }

// pair makes one call of each of two clients.
type pair struct{ a, b client }

func (p pair) Do(ctx context.Context, n int) (int, error) {
	n, err := p.a.Do(ctx, n)
	if err != nil {
		return n, err
	}
	return p.b.Do(ctx, n)
}

var errFailed = errors.New("failed")

// halfFailing is a dependency of which every other call fails.
type halfFailing struct{}

//go:noinline
func (halfFailing) Do(_ context.Context, n int) (int, error) {
	if n%2 == 0 {
		return n, errFailed
	}
	return n, nil
}

// rarelyFailing is a dependency of which one call in a hundred fails.
type rarelyFailing struct{}

//go:noinline
func (rarelyFailing) Do(_ context.Context, n int) (int, error) {
	if n%100 == 0 {
		return n, errFailed
	}
	return n, nil
}

// failed is a dependency of which all calls fail.
type failed struct{}

func (failed) Do(context.Context, int) (int, error) { return 0, errFailed }
