package resilience_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// client is an interface with a wrapper like those that are generated.
type client interface{ Do(context.Context) error }

type guardedClient struct {
	next client
	do   *resilience.Guard
}

func newGuardedClient(next client, registry *resilience.Registry) (*guardedClient, error) {
	return newGuardedAs("payments.Client", resilience.Guards{Bulkhead: "client"}, next, registry)
}

func newGuardedAs(name string, guards resilience.Guards, next client, registry *resilience.Registry) (*guardedClient, error) {
	wiring, err := resilience.Wire(registry, "example.test/x/payments", name, next)
	if err != nil {
		return nil, err
	}
	w := &guardedClient{next, wiring.Guard("Do", guards)}
	wiring.Probe("client", next.Do)
	return w, wiring.Done()
}

func (w *guardedClient) Do(ctx context.Context) error { return do(ctx, w.do, w.next.Do) }

type clientFunc func(context.Context) error

func (f clientFunc) Do(ctx context.Context) error { return f(ctx) }

// Between a wrapper and what it wraps may stand a client that adds something.
type (
	logging  struct{ client }
	counting struct {
		made int
		next client
	}
	embedding struct{ *guardedClient }
)

// using is a client that uses a client of something else.
type using struct {
	client
	other any
}

// numeral is a client that is no struct.
type numeral int

func (*numeral) Do(context.Context) error { return nil }

func (c *counting) Do(ctx context.Context) error { c.made++; return c.next.Do(ctx) }

var fine = clientFunc(returns(nil))

// mustFail reports an error that lacks one of several words.
func mustFail(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("got %v, which lacks %q", err, word)
		}
	}
}

func TestFieldN02TheSecondConstructorOfOneDefaultNameFails(t *testing.T) {
	registry := newRegistry(t, `{}`)
	wired := func(path, name string, defaults ...string) error {
		wiring, err := resilience.Wire(registry, path, name, client(fine))
		if err != nil {
			t.Fatal(err)
		}
		wiring.Defaults(defaults...)
		wiring.Guard("Do", resilience.Guards{Breaker: "client"})
		return wiring.Done()
	}
	for _, fine := range []error{
		wired("example.test/x/payments", "payments.Client", "breakers.client", "timeouts.client"),
		wired("example.test/x/payments", "payments.Client", "breakers.client"), // once more
		wired("example.test/x/stock", "stock.Client"),                          // written out
		wired("example.test/x/stock", "stock.Client", "bulkheads.client"),      // another kind
	} {
		if fine != nil {
			t.Error(fine)
		}
	}
	want := "stock.Client: example.test/x/stock.Client and example.test/x/payments.Client get breaker client by default, " +
		"and would share it unasked; give one a NAME of its own, such as //resilience:breaker stock-client, " +
		"or write //resilience:breaker client out where sharing is meant"
	if err := wired("example.test/x/stock", "stock.Client", "breakers.client"); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	mustFail(t, wired("example.test/old/payments", "payments.Client", "timeouts.client"), "timeout client")
}

func TestClientsC15AConstructorThatFailedHasNoName(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"client": {}}}`, resilience.Strict())
	wired := func(path, breaker string) error {
		wiring, err := resilience.Wire(registry, path, "p.Client", client(fine))
		if err != nil {
			t.Fatal(err)
		}
		wiring.Defaults("breakers.client")
		wiring.Guard("Do", resilience.Guards{Breaker: breaker})
		return wiring.Done()
	}
	mustFail(t, wired("a", "unknown"), "unknown")
	if err := wired("b", "client"); err != nil {
		t.Error(err)
	}
}

func TestClientsC15RefusalsNamePackageInterfaceAndMethod(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"client": {"maxConcurrentCalls": 1}}}`)
	w, err := newGuardedClient(clientFunc(func(ctx context.Context) error {
		return do(ctx, newGuard(t, registry, resilience.Guards{Bulkhead: "client"}), returns(nil))
	}), registry)
	if err != nil {
		t.Fatal(err)
	}
	w.next = w // so that it refuses its own call
	var refusal *resilience.RefusalError
	if err := w.Do(t.Context()); !errors.As(err, &refusal) || refusal.Method != "payments.Client.Do" {
		t.Errorf("got %v", err)
	}
}

func TestFieldF08AWrapperAroundAWrapperIsAnError(t *testing.T) {
	registry, other := newRegistry(t, `{}`), newRegistry(t, `{}`)
	inner, err := newGuardedClient(fine, registry)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := newGuardedAs("payments.Client", resilience.Guards{Bulkhead: "client"}, inner, other)
	if err != nil {
		t.Fatalf("around a wrapper of another registry: %v", err)
	}
	full := &guardedClient{fine, newWiring(registry, "payments.Full").Guard("Do", resilience.Guards{Breaker: "b", Timeout: "t"})}
	deep := client(inner)
	for range 4 {
		deep = logging{deep}
	}
	for name, c := range map[string]struct {
		next   client
		name   string
		guards resilience.Guards
		fails  bool
	}{
		"deep inside":                 {deep, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"one that uses another":       {using{fine, inner}, "payments.Client", resilience.Guards{Bulkhead: "client"}, false},
		"a breaker in common":         {full, "payments.Client", resilience.Guards{Breaker: "b", Timeout: "u"}, true},
		"a timeout in common":         {full, "payments.Client", resilience.Guards{Breaker: "c", Timeout: "t"}, true},
		"neither in common":           {full, "payments.Client", resilience.Guards{Breaker: "c", Timeout: "u", Bulkhead: "h"}, false},
		"itself":                      {inner, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"behind a log":                {logging{inner}, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"behind a pointer":            {&counting{0, inner}, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"embedded":                    {embedding{inner}, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"behind two":                  {&counting{0, logging{inner}}, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"behind another registry's":   {elsewhere, "payments.Client", resilience.Guards{Bulkhead: "client"}, true},
		"another that shares":         {inner, "payments.Other", resilience.Guards{Bulkhead: "client"}, true},
		"an entry that shares":        {inner, "payments.Other", resilience.Guards{Bulkhead: "client", Check: []resilience.Calls{{Breaker: "b"}}}, true},
		"another that shares nothing": {inner, "payments.Other", resilience.Guards{Bulkhead: "other", Breaker: "client"}, false},
		"an entry that reserves":      {inner, "payments.Other", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "client", N: 1}}}, false},
		"a client":                    {fine, "payments.Other", resilience.Guards{Bulkhead: "client"}, false},
		"a log without a client":      {logging{}, "payments.Other", resilience.Guards{Bulkhead: "client"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			wiring, err := resilience.Wire(registry, "example.test/x/payments", c.name, c.next)
			if err != nil {
				t.Fatal(err)
			}
			wiring.Guard("Do", c.guards)
			if err = wiring.Done(); !c.fails {
				if err != nil {
					t.Error(err)
				}
				return
			}
			mustFail(t, err, "already, or contains one", "pass the client that is inside")
		})
	}
}

func TestFieldF08AWrapperIsToldOnceWhateverItProbes(t *testing.T) {
	registry := newRegistry(t, `{}`)
	inner, err := newGuardedClient(fine, registry)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = newGuardedClient(inner, registry); err == nil || strings.Contains(err.Error(), "probe already") {
		t.Errorf("got %v", err)
	}
}

func TestFieldF09NilIsAnErrorWithASentence(t *testing.T) {
	registry := newRegistry(t, `{}`)
	for name, c := range map[string]struct {
		next     client
		registry *resilience.Registry
		want     string
	}{
		"a client":      {nil, registry, "payments.Client: the client to be guarded is nil"},
		"a registry":    {fine, nil, "payments.Client: the registry is nil or not made by resilience.New"},
		"an unmade one": {fine, new(resilience.Registry), "payments.Client: the registry is nil or not made by resilience.New"},
		"both":          {nil, nil, "payments.Client: the registry is nil"},
		"a wrapper":     {(*guardedClient)(nil), registry, "payments.Client: the client to be guarded is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newGuardedClient(c.next, c.registry)
			mustFail(t, err, c.want)
		})
	}
}

func TestFieldF09ARegistryThatNewDidNotMakeSaysSo(t *testing.T) {
	for _, registry := range []*resilience.Registry{nil, {}} {
		_, ofBreaker := registry.Breaker("b")
		_, ofProbe := registry.ExternalProbe("b")
		for method, err := range map[string]error{
			"Breaker": ofBreaker, "ExternalProbe": ofProbe, "Reload": registry.Reload(), "Close": registry.Close(),
		} {
			t.Run(method, func(t *testing.T) {
				mustFail(t, err, "resilience: the registry is nil or not made by resilience.New; check the error that New returned")
			})
		}
		if snapshot, settings := registry.Snapshot(), registry.Settings(); snapshot.Breakers != nil || settings != nil {
			t.Errorf("got %v and %v of no registry", snapshot, settings)
		}
	}
}

func TestFieldF09ANilOptionIsAnErrorWithASentence(t *testing.T) {
	for want, options := range map[string][]resilience.Option{
		"resilience: option 2 of New is nil": {resilience.ObserveCalls(), nil},
		"resilience: Share got no adapter":   {resilience.Share(nil)},
		"so nothing would be shared":         {resilience.Share(func() resilience.Adapter { return nil })},
	} {
		_, err := resilience.New(options...)
		mustFail(t, err, want)
	}
}

func TestFieldF09NoObserverAndNoLoggerTellNobody(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"b": {}}}`, resilience.Observe(nil), resilience.Observe(resilience.ObserverFunc(nil)),
		resilience.Logger(new(slog.Logger)), resilience.Follow(nil))
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	for range 10 {
		do(t.Context(), guard, returns(errDown))
	}
	if err := registry.Close(); err != nil {
		t.Error(err)
	}
	if told := registry.Snapshot().Events; told != (resilience.EventFigures{}) {
		t.Errorf("got %v of nobody", told)
	}
}

func TestFieldF09ANilContextIsTheBackground(t *testing.T) {
	registry := newRegistry(t, `{"timeouts": {"t": {"duration": "1s"}}}`)
	for name, guards := range map[string]resilience.Guards{
		"breaker":  {Breaker: "b"},
		"bulkhead": {Bulkhead: "h"},
		"timeout":  {Timeout: "t"},
		"gate":     {Check: []resilience.Calls{{Breaker: "b"}}},
		"preload":  {Preload: []resilience.Permits{{Bulkhead: "h", N: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got context.Context
			var none context.Context
			err := do(none, newGuard(t, registry, guards), func(ctx context.Context) error { got = ctx; return nil })
			if err != nil || got == nil {
				t.Errorf("got %v with context %v", err, got)
			}
		})
	}
	var none context.Context
	if _, ok := resilience.ReservationFrom(none); ok {
		t.Error("no context carries a reservation")
	}
}

func TestClientsC18ANilOfAnotherTypeIsItsOwnAffair(t *testing.T) {
	for _, none := range []client{(*counting)(nil), (*numeral)(nil)} {
		if _, err := newGuardedClient(none, newRegistry(t, `{}`)); err != nil {
			t.Error(err)
		}
	}
}

func TestAGuardWithoutGuardsLetsCallsPass(t *testing.T) {
	if err := do(t.Context(), newGuard(t, newRegistry(t, `{}`), resilience.Guards{}), returns(nil)); err != nil {
		t.Error(err)
	}
}

func TestFieldF08AJoinedProbeIsNoMistakeOfItsOwn(t *testing.T) {
	registry := newRegistry(t, `{}`)
	for i, want := range []string{"", "share it unasked"} {
		wiring, err := resilience.Wire(registry, []string{"a", "b"}[i], "p.Client", client(fine))
		if err != nil {
			t.Fatal(err)
		}
		wiring.Defaults("breakers.client")
		wiring.Probe("client", fine)
		if err = wiring.Done(); want == "" && err != nil {
			t.Fatal(err)
		} else if want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "probe already")) {
			t.Errorf("got %v", err)
		}
	}
}
