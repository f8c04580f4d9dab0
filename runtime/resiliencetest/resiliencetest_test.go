package resiliencetest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/resiliencetest"
)

// payments is the wrapper of a client, as resgen would write it.
type payments struct {
	guard  *resilience.Guard
	client *resiliencetest.Client
}

func newPayments(t testing.TB, registry *resilience.Registry, client *resiliencetest.Client, guards resilience.Guards) payments {
	wiring, err := resilience.Wire(registry, "example.test/shop", "shop.Payments", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	p := payments{wiring.Guard("Charge", guards), client}
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p payments) Charge(ctx context.Context) error {
	var call resilience.Call
	defer call.Release()
	if err := call.Begin(ctx, p.guard); err != nil {
		return err
	}
	return call.Finish(p.client.Call(call.Context()))
}

// recording is a test that fails on its own.
type recording struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recording) Helper()              {}
func (r *recording) Name() string         { return "recording" }
func (r *recording) Cleanup(clean func()) { r.cleanups = append(r.cleanups, clean) }
func (r *recording) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recording) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recording) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}
func (r *recording) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// end ends the test, as package testing does.
func (r *recording) end() {
	for len(r.cleanups) > 0 {
		last := len(r.cleanups) - 1
		clean := r.cleanups[last]
		r.cleanups = r.cleanups[:last]
		clean()
	}
}

// failing is what a test says that fails.
func failing(test func(t testing.TB)) (said string) {
	r := new(recording)
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		test(r)
	}()
	r.end()
	return strings.Join(r.errors, "\n")
}

func TestRehearsalT1T3AScriptedOutagePassesInNoTime(t *testing.T) {
	start := time.Now()
	synctest.Test(t, func(t *testing.T) {
		registry := resiliencetest.New(t, `{"breakers": {"payments": {}}}`)
		client := resiliencetest.Script("F F F S")
		p := newPayments(t, registry, client, resilience.Guards{Breaker: "payments"})
		for range 3 {
			if err := p.Charge(t.Context()); !errors.Is(err, resiliencetest.ErrScripted) {
				t.Error(err)
			}
		}
		resiliencetest.Expect(t, registry, "payments: OPEN 3/3, refused 0")
		if err := p.Charge(t.Context()); !errors.Is(err, resilience.ErrOpen) {
			t.Error(err)
		}
		resiliencetest.Expect(t, registry, "payments: OPEN 3/3, refused 1")
		time.Sleep(20 * time.Second)
		if err := p.Charge(t.Context()); err != nil || client.Calls() != 4 {
			t.Errorf("%v after %d calls", err, client.Calls())
		}
	})
	t.Logf("20 s took %v", time.Since(start))
}

func TestRehearsalT2APermitInUseFailsTheTest(t *testing.T) {
	for want, leave := range map[string]func(t testing.TB, registry *resilience.Registry){
		"inventory: in use 1 at the end of the test": func(t testing.TB, registry *resilience.Registry) {
			call := new(resilience.Call)
			if err := call.Begin(context.Background(), newPayments(t, registry, nil, resilience.Guards{Bulkhead: "inventory"}).guard); err != nil {
				t.Fatal(err)
			}
		},
		"inventory: reserved 2 at the end of the test": func(t testing.TB, registry *resilience.Registry) {
			preload := resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "inventory", N: 2}}}
			if err := new(resilience.Call).Begin(context.Background(), newPayments(t, registry, nil, preload).guard); err != nil {
				t.Fatal(err)
			}
		},
		"": func(t testing.TB, registry *resilience.Registry) { resiliencetest.Fill(t, registry, "inventory", 2) },
	} {
		if said := failing(func(t testing.TB) { leave(t, resiliencetest.New(t, `{"bulkheads": {"inventory": {}}}`)) }); said != want {
			t.Errorf("the test says %q, want %q", said, want)
		}
	}
}

func TestRehearsalT4AnExpectationThatDoesNotHoldShowsTheRealLine(t *testing.T) {
	const settings = `{"breakers": {"payments": {}}, "bulkheads": {"inventory": {"maxConcurrentCalls": 3}}, "rateLimits": {"maps": {"limit": 5, "burst": 4}}}`
	for lines, want := range map[string]string{
		"payments: OPEN 2/2, refused 1": "expected payments: OPEN 2/2, refused 1\n     got payments: CLOSED 1/1, refused 0",
		"payments: CLOSED":              "",
		"payments: CLOSED 1/1, trials 0; inventory: in use 2, available 1\n maps: left 4": "",
		"inventory: in use 0, waiting 0": "expected inventory: in use 0, waiting 0\n     got inventory: in use 2, waiting 0",
		"payment: CLOSED":                `resiliencetest.Expect: "payment: CLOSED": there is no guard "payment"; there are inventory, maps, payments`,
		"inventory: OPEN":                `resiliencetest.Expect: "inventory: OPEN": "OPEN" is neither a state nor a figure; there are available, full, in use, reserved, waiting`,
		"inventory: busy 2":              `resiliencetest.Expect: "inventory: busy 2": nothing is "busy"; there are available, full, in use, reserved, waiting`,
		"inventory":                      `resiliencetest.Expect: "inventory": a line is such as "payments: OPEN 3/3, refused 2"`,
	} {
		said := failing(func(t testing.TB) {
			registry := resiliencetest.New(t, settings)
			newPayments(t, registry, resiliencetest.Script("F"), resilience.Guards{Breaker: "payments", RateLimit: "maps"}).Charge(context.Background())
			resiliencetest.Fill(t, registry, "inventory", 2)
			time.Sleep(time.Millisecond)
			resiliencetest.Expect(t, registry, strings.Replace(lines, "left 4", "left "+left(registry), 1))
		})
		if said != want {
			t.Errorf("%q says\n%s\nwant\n%s", lines, said, want)
		}
	}
}

func left(registry *resilience.Registry) string {
	return fmt.Sprint(registry.Snapshot().RateLimits[0].Available)
}

func TestScriptsDoAsTheySay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := resiliencetest.Script("S20ms F30ms hang panic S")
		start := time.Now()
		within := func(ctx context.Context, want error, at time.Duration) {
			t.Helper()
			if err := client.Call(ctx); !errors.Is(err, want) || time.Since(start) != at {
				t.Errorf("%v at %v, want %v at %v", err, time.Since(start), want, at)
			}
		}
		within(t.Context(), nil, 20*time.Millisecond)
		within(t.Context(), resiliencetest.ErrScripted, 50*time.Millisecond)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		within(short, context.DeadlineExceeded, 1050*time.Millisecond)
		func() {
			defer func() {
				if p := recover(); p != resiliencetest.ErrPanic {
					t.Errorf("panicked with %v", p)
				}
			}()
			client.Call(t.Context())
		}()
		for range 2 {
			within(t.Context(), nil, 1050*time.Millisecond)
		}
		within(short, nil, 1050*time.Millisecond)
	})
	for _, bad := range []string{"", "X", "S20", "F-1s", "S S s"} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "resiliencetest.Script") {
					t.Errorf("%q: %s", bad, text)
				}
			}()
			resiliencetest.Script(bad)
		}()
	}
}

func TestEventsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := resiliencetest.New(t, `{"breakers": {"payments": {}}}`)
		p := newPayments(t, registry, resiliencetest.Script("S"), resilience.Guards{Breaker: "payments"})
		events := resiliencetest.Events(t, registry)
		resiliencetest.Open(t, registry, "payments")
		p.Charge(t.Context())
		if got := events.Wait("Transition", 1)[0].(resilience.Transition); got.To != resilience.Open {
			t.Errorf("%+v", got)
		}
		if got := events.Wait("Refused", 1)[0].(resilience.Refused); got.Error.Kind != resilience.KindOpen {
			t.Errorf("%+v", got)
		}
		if len(events.All()) != 2 {
			t.Errorf("%+v", events.All())
		}
		said := failing(func(t testing.TB) {
			resiliencetest.Events(t, resiliencetest.New(t, `{}`)).Wait("Refused", 1)
		})
		if said != "resiliencetest: 0 events Refused in 10s, want 1" {
			t.Error(said)
		}
	})
	said := failing(func(t testing.TB) { resiliencetest.Events(t, new(resilience.Registry)) })
	if !strings.Contains(said, "not made by resiliencetest.New") {
		t.Error(said)
	}
}

func TestRefusalsAreMadeByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, want := range map[resilience.Kind]error{
			resilience.KindOpen: resilience.ErrOpen, resilience.KindForcedOpen: resilience.ErrOpen,
			resilience.KindFull: resilience.ErrFull, resilience.KindRate: resilience.ErrRate,
		} {
			refusal := resiliencetest.Refusal(t, kind, "p", 7*time.Second)
			after, known := refusal.RetryAfter()
			if !errors.Is(refusal, want) || refusal.Kind != kind || refusal.Name != "p" || kind == resilience.KindOpen && (!known || after != 7*time.Second) {
				t.Errorf("%v: %v, again in %v, %t", kind, refusal, after, known)
			}
		}
	})
	said := failing(func(t testing.TB) { resiliencetest.Refusal(t, resilience.KindDone, "p", 0) })
	if !strings.Contains(said, "no refusal of kind") {
		t.Error(said)
	}
}

func TestSettingsOfATestAreStrict(t *testing.T) {
	said := failing(func(t testing.TB) {
		registry := resiliencetest.New(t, `{"breakers": {"payments": {}}}`)
		newPayments(t, registry, nil, resilience.Guards{Breaker: "payment"})
	})
	if !strings.Contains(said, `has no "payment", the nearest unused is "payments"`) {
		t.Error(said)
	}
	if said := failing(func(t testing.TB) { resiliencetest.New(t, `{"breakers": {"payments": {"failureTreshold": 3}}}`) }); !strings.Contains(said, "did you mean failureThreshold") {
		t.Error(said)
	}
}
