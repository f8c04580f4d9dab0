package resilience_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// toTry are settings of every strategy, to be tried.
func toTry() map[string]string {
	all := map[string]string{"SLOW": `"strategy": "CANARY_RATE_THRESHOLD", "initialState": "OPEN", "probeInterval": "1s", "minimumNumberOfCalls": 4,
		"slowCallDurationThreshold": "400ms", "slowCallRateThreshold": 50`}
	for name, settings := range five {
		all[name] = settings
	}
	all["STATIC"] += `, "strategy": "STATIC_THRESHOLD"`
	return all
}

// A shadow is what a breaker with its settings is in a dry run, whatever calls come.
func TestShadowsJudgeAsBreakersInADryRun(t *testing.T) {
	for name, settings := range toTry() {
		opened, refused := uint64(0), uint64(0)
		for seed := range uint64(60) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 21))
				inShadow := newRegistry(t, fmt.Sprintf(`{"breakers": {"p": {"strategy": "NONE", "shadow": {%s}}}, "timeouts": {"p": {"duration": "700ms"}}}`, settings))
				inDry := newRegistry(t, fmt.Sprintf(`{"breakers": {"p": {%s, "enforce": false}}, "timeouts": {"p": {"duration": "700ms"}}}`, settings))
				guards := resilience.Guards{Breaker: "p"}
				if seed%3 == 0 {
					guards.Timeout = "p"
				}
				shadowed, dry := newGuard(t, inShadow, guards), newGuard(t, inDry, guards)
				type running struct{ shadowed, dry *resilience.Call }
				var calls []running
				failing := random.Float64()
				for range 300 {
					time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
					if random.IntN(40) == 0 {
						failing = random.Float64()
					}
					if n := len(calls); n > 4 || n > 0 && random.IntN(2) == 0 {
						one := random.IntN(n)
						outcome := error(nil)
						if random.Float64() < failing {
							outcome = errDown
						}
						for _, c := range []*resilience.Call{calls[one].shadowed, calls[one].dry} {
							if random := seed % 5; random == 1 && one == 1 {
								c.Release() // as after a panic
							} else {
								c.Finish(outcome)
							}
						}
						calls = append(calls[:one], calls[one+1:]...)
					} else {
						c := running{new(resilience.Call), new(resilience.Call)}
						if c.shadowed.Begin(t.Context(), shadowed) != nil || c.dry.Begin(t.Context(), dry) != nil {
							t.Fatal("a call was refused")
						}
						calls = append(calls, c)
					}
					s, d := breakerOf(t, inShadow, "p").Shadow, breakerOf(t, inDry, "p")
					if s.State != d.State || s.Figures != d.Figures || s.WouldRefuse != d.WouldRefuse || s.Reason != d.Reason || s.Strategy != d.Strategy || !s.Since.Equal(d.Since) {
						t.Fatalf("%s, seed %d:\nthe shadow      %+v\nin the dry run %+v", name, seed, s, d)
					}
				}
				s := breakerOf(t, inShadow, "p")
				opened, refused = opened+s.Shadow.Opened, refused+s.Shadow.WouldRefuse
				if s.State != resilience.Closed || s.RefusedTotal+s.WouldRefuse > 0 {
					t.Errorf("the breaker itself is %+v", s)
				}
				for _, c := range calls {
					c.shadowed.Finish(nil)
					c.dry.Finish(nil)
				}
			})
		}
		if (opened == 0 || refused == 0) != (name == "NONE") {
			t.Errorf("%s opened %d times, and would have refused %d calls", name, opened, refused)
		}
	}
}

func TestShadowsAreToldAndRefuseNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var heard []string
		registry, err := resilience.New(resilience.Settings("r.json", []byte(`{"breakers": {"payments": {
			"failureThreshold": 3, "testDelay": "20s", "shadow": {"failureThreshold": 1, "successThreshold": 1}
		}}}`)), resilience.Logger(slog.New(slog.NewTextHandler(&log, nil))), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if e, is := e.(resilience.ShadowTransition); is {
				heard = append(heard, fmt.Sprint(e.Breaker, " ", e.From, " ", e.To))
			}
		})))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
		do(t.Context(), guard, returns(errDown))
		do(t.Context(), guard, returns(errDown))
		for range 3 {
			if err := do(t.Context(), guard, returns(nil)); err != nil {
				t.Error(err)
			}
		}
		got := breakerOf(t, registry, "payments")
		if s := got.Shadow; got.State != resilience.Closed || got.Failures != 2 || s.State != resilience.Open || s.Opened != 1 || s.WouldRefuse != 4 || s.WouldRefuseFailed != 1 {
			t.Errorf("%+v, and the shadow %+v", got, s)
		}
		time.Sleep(20 * time.Second) // which the shadow has from the object
		do(t.Context(), guard, returns(nil))
		synctest.Wait()
		if s := breakerOf(t, registry, "payments").Shadow; s.State != resilience.Closed {
			t.Errorf("after a good trial: %+v", s)
		}
		if got, want := strings.Join(heard, ", "), "payments CLOSED OPEN, payments OPEN HALF_OPEN, payments HALF_OPEN CLOSED"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		if text := log.String(); !strings.Contains(text, `msg="breaker would have changed state by the settings of its shadow" breaker=payments from=CLOSED to=OPEN`) ||
			strings.Contains(text, "breaker changed state") {
			t.Errorf("the log has\n%s", text)
		}
	})
}

func TestShadowsComeAndGoByReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := func(shadow string) string {
			return `{"breakers": {"p": {"failureThreshold": 5, "failureThresholdCapacity": 20` + shadow + `}}, "bulkheads": {"p": {}}}`
		}
		source, registry := newSource(t, file(""))
		guards := []*resilience.Guard{
			newGuard(t, registry, resilience.Guards{Breaker: "p"}), newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"}),
		}
		fail := func() {
			for _, guard := range guards {
				do(t.Context(), guard, returns(errDown))
			}
		}
		do(t.Context(), guards[0], returns(errDown))
		if got := breakerOf(t, registry, "p"); got.Shadow != nil {
			t.Errorf("%+v", got.Shadow)
		}
		reload(t, source, registry, file(`, "shadow": {"failureThreshold": 4}`))
		fail()
		if s := breakerOf(t, registry, "p").Shadow; s.State != resilience.Closed || s.Failures != 2 {
			t.Errorf("%+v", s)
		}
		reload(t, source, registry, file(`, "shadow": {"failureThreshold": 3}`))
		do(t.Context(), guards[1], returns(errDown))
		if got := breakerOf(t, registry, "p"); got.Shadow.State != resilience.Open || got.Shadow.Failures != 3 || got.State != resilience.Closed || got.Failures != 4 {
			t.Errorf("%+v, and the shadow %+v", got, got.Shadow)
		}
		hangs := hold(t, t.Context(), guards[0]) // with the shadow that goes
		reload(t, source, registry, file(""))
		hangs(errDown)
		if got := breakerOf(t, registry, "p"); got.Shadow != nil || got.State != resilience.Open {
			t.Errorf("%+v", got)
		}
	})
}

// The trials of entries count in a shadow as any call does, and none is lost.
func TestShadowsOfBreakersWithTrialsThatEntriesHold(t *testing.T) {
	for name, settings := range five {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, fmt.Sprintf(`{
				"breakers": {"p": {%s, "shadow": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1, "successThreshold": 100, "testDelay": "1ns"}}},
				"bulkheads": {"p": {"maxConcurrentCalls": 100}}
			}`, settings))
			entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
			do(t.Context(), call, returns(errDown)) // from now on each call is a trial of the shadow
			handle(t, registry, "p").Trip("")
			time.Sleep(3 * time.Second)
			do(t.Context(), call, returns(nil)) // a canary, perhaps
			time.Sleep(3 * time.Second)
			before := breakerOf(t, registry, "p").Shadow
			if err := do(t.Context(), entry, func(ctx context.Context) error { return buy(ctx, call, 4) }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if after := breakerOf(t, registry, "p").Shadow; after.State != resilience.HalfOpen || after.Calls != before.Calls+4 || after.WouldRefuse != 0 {
				t.Errorf("%s: %+v, before the entry %+v", name, after, before)
			}
		})
	}
}

func TestShadowsAreCheckedLikeTheirObjects(t *testing.T) {
	for file, want := range map[string]string{
		`{"breakers": {"p": {"shadow": {"failureThreshold": 20}}}}`:                    `breakers.p.shadow.failureThreshold: failureThresholdCapacity 10 is below failureThreshold (20)`,
		`{"breakers": {"p": {"shadow": {"strategy": "CANARY"}}}}`:                      `breakers.p.shadow.strategy: "CANARY" is no strategy; allowed are `,
		`{"breakers": {"p": {"shadow": {"failureTreshold": 2}}}}`:                      `breakers.p.shadow.failureTreshold: no such setting; did you mean failureThreshold?`,
		`{"breakers": {"p": {"shadow": {"enforce": false}}}}`:                          `breakers.p.shadow.enforce: means nothing in a shadow; allowed are strategy, failureThreshold, failureThresholdCapacity, successThreshold, successThresholdCapacity, testDelay, maxHalfOpenDuration`,
		`{"breakers": {"p": {"shadow": {"shadow": {}}}}}`:                              `breakers.p.shadow.shadow: no such setting`,
		`{"breakers": {"default": {"shadow": {}}}}`:                                    `breakers.default.shadow: no such setting`,
		`{"breakers": {"p": {"shadow": 3}}}`:                                           `breakers.p.shadow: 3 is not an object`,
		`{"bulkheads": {"p": {"shadow": {"maxWaitDuration": "1s"}}}}`:                  `bulkheads.p.shadow.maxWaitDuration: means nothing in a shadow; allowed are maxConcurrentCalls`,
		`{"bulkheads": {"p": {"shadow": {"limit": "ADAPTIVE"}}}}`:                      `bulkheads.p.shadow.limit: means nothing in a shadow; allowed are maxConcurrentCalls`,
		`{"timeouts": {"p": {"shadow": {"duration": "1s"}}}}`:                          `timeouts.p.shadow: no such setting`,
		`{"breakers": {"p": {"strategy": "NONE", "shadow": {"failureThreshold": 1}}}}`: `breakers.p.shadow.failureThreshold: belongs to STATIC_THRESHOLD and CONSECUTIVE_FAILURES; the strategy here is NONE`,
	} {
		_, err := resilience.New(resilience.Settings("r.json", []byte(file)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", file, err, want)
		}
	}
}

func TestASizeThatIsTriedRefusesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const file = `{"bulkheads": {"inventory": {"maxConcurrentCalls": 6%s}}}`
		source, registry := newSource(t, fmt.Sprintf(file, `, "shadow": {"maxConcurrentCalls": 2}`))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory"})
		entry := newGuard(t, registry, resilience.Guards{Preload: permits("inventory", 3)})
		var ends []func(error)
		for range 5 {
			ends = append(ends, hold(t, t.Context(), guard))
		}
		if got := bulkheadOf(t, registry, "inventory"); got.Shadow.WouldRefuse != 3 || got.Shadow.MaxConcurrentCalls != 2 || got.WouldRefuse != 0 || got.InUse != 5 {
			t.Errorf("%+v, %+v", got, got.Shadow)
		}
		for _, end := range ends {
			end(nil)
		}
		do(t.Context(), entry, func(ctx context.Context) error { return do(ctx, guard, returns(nil)) })
		if got := bulkheadOf(t, registry, "inventory"); got.Shadow.WouldRefuse != 4 || got.UsedFromReservation != 1 || got.Available != 6 {
			t.Errorf("%+v, %+v", got, got.Shadow)
		}
		reload(t, source, registry, fmt.Sprintf(file, ""))
		for range 5 {
			hold(t, t.Context(), guard)
		}
		if got := bulkheadOf(t, registry, "inventory"); got.Shadow != nil {
			t.Errorf("%+v", got.Shadow)
		}
	})
}

// A call that a shadow judges allocates nothing, unless the shadow asks for durations.
func TestShadowsAllocateNothing(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"p": {"shadow": {"failureThreshold": 1}}}, "bulkheads": {"p": {"shadow": {"maxConcurrentCalls": 1}}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	call := func() {
		var call resilience.Call
		defer call.Release()
		if call.Begin(t.Context(), guard) == nil {
			call.Finish(nil)
		}
	}
	if got := testing.AllocsPerRun(1000, call); got > 0 && !raceEnabled {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkShadow(b *testing.B) {
	for name, shadow := range map[string]string{"without": "", "with": `"shadow": {"strategy": "CONSECUTIVE_FAILURES"}`} {
		b.Run(name, func(b *testing.B) {
			registry := newRegistry(b, `{"breakers": {"p": {`+shadow+`}}}`)
			guard := newGuard(b, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
			b.ReportAllocs()
			for b.Loop() {
				var call resilience.Call
				if call.Begin(b.Context(), guard) == nil {
					call.Finish(nil)
				}
				call.Release()
			}
		})
	}
}
