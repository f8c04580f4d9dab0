// One goroutine plays the model, so the race detector could find nothing and would
// take ten times as long.

//go:build !race

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"

	"github.com/resgen-go/resgen/internal/overload"
	resilience "github.com/resgen-go/resgen/runtime"
)

// library is failsafe-go's limiter in the model: calls that time out are recorded.
type library struct {
	limiter adaptivelimiter.AdaptiveLimiter[any]
}

func newLibrary() overload.Limiter {
	return &library{limiter: adaptivelimiter.NewBuilder[any]().WithLimits(1, most, initial).Build()}
}

func (l *library) Admit(time.Duration) overload.Call {
	permit, ok := l.limiter.TryAcquirePermit()
	if !ok {
		return nil
	}
	return func(_, _ time.Duration, _ bool) { permit.Record() }
}

// product is the runtime itself in the model: the wrapper's calls, with a client
// that does nothing, because the model knows how long a call takes.
type product struct{ guard *resilience.Guard }

func newProduct(t *testing.T) func() overload.Limiter {
	return func() overload.Limiter {
		registry, err := resilience.New(resilience.Logger(nil), resilience.Settings("settings", []byte(
			`{"bulkheads": {"a": {"limit": "ADAPTIVE", "maxConcurrentCalls": 200}}, "timeouts": {"a": {"duration": "500ms"}}}`)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { registry.Close() })
		wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int))
		if err != nil {
			t.Fatal(err)
		}
		guard := wiring.Guard("Do", resilience.Guards{Bulkhead: "a", Timeout: "a"})
		if err := wiring.Done(); err != nil {
			t.Fatal(err)
		}
		return &product{guard}
	}
}

var errLate = errors.New("late")

func (p *product) Admit(time.Duration) overload.Call {
	call := new(resilience.Call)
	if call.Begin(context.Background(), p.guard) != nil {
		return nil
	}
	return func(_, _ time.Duration, late bool) {
		if late {
			call.Finish(errLate)
		} else {
			call.Finish(nil)
		}
	}
}

// rules are those of the model with what they keep, in percent of the possible good
// answers, of the phases that tell them apart.
var rules = []struct {
	name string
	make func(*testing.T) func() overload.Limiter
	good map[string][2]float64 // at least and at most
}{
	{"resgen", newProduct, map[string][2]float64{
		"200 % load": {95, 105}, "70 % again": {98, 102}, "a quarter of the servers": {95, 105},
		"all are back": {98, 102}, "answers 3 × slower": {95, 105}, "15 % slow by nature": {95, 105},
	}},
	{"failsafe-go", always(newLibrary), map[string][2]float64{"200 % load": {0, 5}, "a quarter of the servers": {0, 5}}},
	{"fixed 25", always(func() overload.Limiter { return newFixed(25) }), map[string][2]float64{"200 % load": {0, 5}, "all are back": {0, 5}}},
	{"AIMD", always(newAIMD), map[string][2]float64{"200 % load": {30, 80}, "a quarter of the servers": {20, 70}}},
	{"Vegas", always(newVegas), map[string][2]float64{"a quarter of the servers": {40, 90}}},
	{"Gradient2", always(newGradient2), map[string][2]float64{"a quarter of the servers": {0, 5}, "all are back": {0, 50}}},
}

func always(make func() overload.Limiter) func(*testing.T) func() overload.Limiter {
	return func(*testing.T) func() overload.Limiter { return make }
}

// Every rule is played against the same calls in virtual time, ours and failsafe-go's
// as the libraries that they are, the others from their published formulas.
func TestAdaptiveL18BesideTheRulesOfOthers(t *testing.T) {
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := overload.World{Clients: clients, Timeout: timeout, Seed: 1, Wait: time.Sleep}
				var line strings.Builder
				for _, f := range world.Run(overload.Phases(1), rule.make(t)) {
					percent := 100 * f.Share()
					fmt.Fprintf(&line, "%s %.0f %%, %d ms; ", f.Phase.Name, percent, f.Percentile(.99).Milliseconds())
					if want, judged := rule.good[f.Phase.Name]; judged && (percent < want[0] || percent > want[1]) {
						t.Errorf("%s: %.0f %%, want %v", f.Phase.Name, percent, want)
					}
				}
				t.Log(line.String())
			})
		})
	}
}
