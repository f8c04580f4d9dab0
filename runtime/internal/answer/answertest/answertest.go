// Package answertest makes the errors of guards that services have to answer.
package answertest

import (
	"context"
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// The breakers outer and inner stay OPEN for 90.5 and for 600 seconds.
const settings = `{
	"breakers": {"outer": {"testDelay": "90500ms"}, "inner": {"testDelay": "10m"}},
	"bulkheads": {"pool": {"maxConcurrentCalls": 1}, "waiting": {"maxConcurrentCalls": 1, "maxWaitDuration": "1h"}},
	"timeouts": {"short": {"duration": "1ms"}},
}`

// Secret are words that no answer to a caller may have: they are names and errors
// of the inside.
var Secret = []string{"outer", "inner", "pool", "short", "Client", "secret", "resilience"}

// Guards are those of some clients.
type Guards struct {
	t        *testing.T
	registry *resilience.Registry
}

// New makes guards that end with the test.
func New(t *testing.T) Guards {
	t.Helper()
	registry, err := resilience.New(resilience.Settings("settings", []byte(settings)), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return Guards{t, registry}
}

// client is what the guards stand before.
type client func(context.Context) error

// call makes a call through guards, as a generated wrapper does.
func (g Guards) call(ctx context.Context, by resilience.Guards, next client) error {
	g.t.Helper()
	wiring, err := resilience.Wire(g.registry, "example.org/answertest", "answertest.Client", next)
	if err != nil {
		g.t.Fatal(err)
	}
	guard := wiring.Guard("Do", by)
	if err := wiring.Done(); err != nil {
		g.t.Fatal(err)
	}
	var call resilience.Call
	defer call.Release()
	if err := call.Begin(ctx, guard); err != nil {
		return err
	}
	return call.Finish(next(call.Context()))
}

func nothing(context.Context) error { return nil }

// Open is the refusal of a breaker that is OPEN, outer or inner.
func (g Guards) Open(name string) error {
	by := resilience.Guards{Breaker: name}
	if err := g.call(g.t.Context(), by, nothing); err != nil {
		return err
	}
	breaker, err := g.registry.Breaker(name)
	if err != nil {
		g.t.Fatal(err)
	}
	breaker.Trip("a test")
	return g.call(g.t.Context(), by, nothing)
}

// Full is the refusal of a bulkhead without room.
func (g Guards) Full() error {
	by := resilience.Guards{Bulkhead: "pool"}
	return g.call(g.t.Context(), by, func(ctx context.Context) error { return g.call(ctx, by, nothing) })
}

// Late is the error of a call that outlived its timeout.
func (g Guards) Late() error {
	return g.call(g.t.Context(), resilience.Guards{Timeout: "short"}, func(ctx context.Context) error {
		<-ctx.Done()
		return errors.New("secret.internal: connection reset")
	})
}

// Done is the error of a call that did not begin, because ctx was done.
func (g Guards) Done(ctx context.Context) error {
	return g.call(ctx, resilience.Guards{Bulkhead: "waiting"}, nothing)
}

// Nested is what a guard makes of the error of one further in.
func (g Guards) Nested(err error) error {
	return g.call(g.t.Context(), resilience.Guards{Bulkhead: "waiting"}, func(context.Context) error { return err })
}
