package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// warned makes a registry whose breakers start OPEN and ask their probes, and
// tells of which doubts it told.
func warned(t *testing.T, told *[]string) *resilience.Registry {
	return newRegistry(t, `{
		"breakers": {"c": {}, "default": {"strategy": "CANARY_RATE_THRESHOLD", "probeInterval": "1s"}},
		"bulkheads": {"default": {"maxConcurrentCalls": 1}},
	}`, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
		if warning, ok := e.(resilience.SettingWarning); ok && strings.Contains(warning.Text, "its probe") {
			*told = append(*told, warning.Text)
		}
	})))
}

// probedClient wires the guards of a method Do, and the probe of a breaker.
func probedClient(t *testing.T, registry *resilience.Registry, name, breaker string, guards resilience.Guards, probe func(context.Context) error) *resilience.Guard {
	t.Helper()
	wiring := newWiring(registry, name)
	guard := wiring.Guard("Do", guards)
	wiring.Probe(breaker, probe)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return guard
}

func TestFieldF11AProbeBehindItsOwnGuardsIsToldOnce(t *testing.T) {
	const end = "; let the probe call the client itself, not one with guards"
	itself := "breaker b: its probe calls p.Client.Do, which the breaker itself refuses: no probe can close it" + end
	full := "breaker b: its probe calls p.Client.Do, which bulkhead h refuses: no probe can close it while calls that hang have the permits" + end
	for name, c := range map[string]struct {
		guards resilience.Guards
		wrap   func(error) error
		want   string
	}{
		"breaker":          {resilience.Guards{Breaker: "b"}, nil, itself},
		"with a bulkhead":  {resilience.Guards{Breaker: "b", Bulkhead: "h"}, nil, itself},
		"gate":             {resilience.Guards{Check: []resilience.Calls{{Breaker: "a"}, {Breaker: "b"}}}, nil, itself},
		"wrapped":          {resilience.Guards{Breaker: "b"}, func(err error) error { return fmt.Errorf("ping: %w", err) }, itself},
		"joined":           {resilience.Guards{Breaker: "b"}, func(err error) error { return errors.Join(errDown, err) }, itself},
		"bulkhead":         {resilience.Guards{Bulkhead: "h"}, nil, full},
		"not there":        {resilience.Guards{Breaker: "other"}, nil, ""},
		"an error as text": {resilience.Guards{Breaker: "b"}, func(err error) error { return errors.New(err.Error()) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				registry := warned(t, &told)
				defer registry.Close()
				var guard *resilience.Guard
				made := make(chan struct{})
				ping := func(ctx context.Context) error {
					<-made
					err := do(ctx, guard, returns(nil))
					if c.wrap != nil && err != nil {
						err = c.wrap(err)
					}
					return err
				}
				guard = probedClient(t, registry, "p.Client", "b", c.guards, func(ctx context.Context) error { return ping(ctx) })
				if c.guards.Bulkhead != "" {
					hangs := make(chan struct{})
					defer close(hangs)
					hung := newWiring(registry, "p.Client").Guard("Hang", resilience.Guards{Bulkhead: "h"})
					go do(context.Background(), hung, func(context.Context) error { <-hangs; return nil })
					synctest.Wait()
				}
				close(made)
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := strings.Join(told, "\n"); got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
			})
		})
	}
}

func TestFieldF11ProbesThatWaitForOneAnotherAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		registry := warned(t, &told)
		defer registry.Close()
		guards := map[string]*resilience.Guard{}
		made := make(chan struct{}) // before, calls serve as probes
		through := func(name string) func(context.Context) error {
			return func(ctx context.Context) error {
				<-made
				return do(ctx, guards[name], returns(nil))
			}
		}
		asks := map[string]string{"a": "b", "b": "c", "c": "a", "d": "a"}
		for name := range asks {
			guards[name] = newWiring(registry, "p.Client").Guard("Do", resilience.Guards{Breaker: name})
		}
		for name, next := range asks { // which begin to probe
			probedClient(t, registry, "p."+name, name, resilience.Guards{}, through(next))
		}
		close(made)
		time.Sleep(time.Minute)
		synctest.Wait()
		var want []string // it may begin anywhere
		for _, names := range [][3]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}} {
			want = append(want, fmt.Sprintf("breaker %s: its probe is refused by breaker %s, whose probe is refused by breaker %s, "+
				"whose probe is refused by breaker %[1]s: no probe can close any of them; let the probe call the client itself, not one with guards",
				names[0], names[1], names[2]))
		}
		if len(told) != 1 || !slices.Contains(want, told[0]) {
			t.Errorf("got %q, want one of %q", told, want)
		}
	})
}

func TestFieldF11AnotherRegistryIsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told, toldElsewhere []string
		registry, elsewhere := warned(t, &told), warned(t, &toldElsewhere)
		defer registry.Close()
		defer elsewhere.Close()
		guard := newGuard(t, elsewhere, resilience.Guards{Breaker: "b"})
		probedClient(t, registry, "p.Client", "b", resilience.Guards{}, func(ctx context.Context) error { return do(ctx, guard, returns(nil)) })
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told)+len(toldElsewhere) > 0 {
			t.Errorf("got %q and %q", told, toldElsewhere)
		}
	})
}

func TestFieldF11TheBulkheadOfAnotherClientIsNoCircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		registry := warned(t, &told)
		defer registry.Close()
		auth := newWiring(registry, "p.Auth").Guard("Do", resilience.Guards{Bulkhead: "auth"})
		probedClient(t, registry, "p.Client", "b", resilience.Guards{Breaker: "b", Bulkhead: "h"}, func(ctx context.Context) error {
			return do(ctx, auth, returns(nil))
		})
		report, err := registry.ExternalProbe("c")
		if err != nil {
			t.Error(err)
			report = func(error) {}
		}
		hangs := make(chan struct{})
		defer close(hangs)
		go do(context.Background(), auth, func(context.Context) error { <-hangs; return nil })
		synctest.Wait()
		report(do(context.Background(), auth, returns(nil)))
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) > 0 {
			t.Errorf("got %q", told)
		}
	})
}

func TestFieldF11AnExternalProbeInACircleIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		registry := warned(t, &told)
		defer registry.Close()
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		report, err := registry.ExternalProbe("b")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			report(do(context.Background(), guard, returns(nil)))
		}
		synctest.Wait()
		if len(told) != 1 {
			t.Errorf("got %q", told)
		}
	})
}

// curious is an error that asks the registry when it is looked into.
type curious struct{ registry *resilience.Registry }

func (c curious) Error() string { return "curious" }
func (c curious) Unwrap() error { c.registry.Snapshot(); return nil }

func TestFieldF13AProbesErrorMayUseTheRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		registry := warned(t, &told)
		defer registry.Close()
		probedClient(t, registry, "p.Client", "b", resilience.Guards{}, func(context.Context) error { return curious{registry} })
		if _, err := registry.ExternalProbe("d"); err == nil {
			t.Error("a breaker that nobody uses has a probe")
		}
		newWiring(registry, "p.Client").Guard("Do", resilience.Guards{Breaker: "d"})
		report, err := registry.ExternalProbe("d")
		if err != nil {
			t.Fatal(err)
		}
		report(curious{registry})
		time.Sleep(time.Minute)
		if got := breakerOf(t, registry, "b").LastProbe.Error; got != "curious" {
			t.Errorf("the last probe says %q", got)
		}
	})
}
