package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
)

// strategies are all that have trials.
var strategies = []string{"STATIC_THRESHOLD", "CONSECUTIVE_FAILURES", "CANARY_RATE_THRESHOLD", "PACED_RATE_THRESHOLD", "NONE"}

// eachStrategy runs a test in fake time for a breaker b of every strategy.
func eachStrategy(t *testing.T, test func(*testing.T, *text, *resilience.Registry)) {
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source, registry := newSource(t, fmt.Sprintf(`{"breakers": {"b": {"strategy": %q}}}`, strategy))
				handle(t, registry, "b") // make it
				test(t, source, registry)
			})
		})
	}
}

// takes is a client whose calls take their time and are good.
func takes(d time.Duration) func(context.Context) error {
	return func(context.Context) error { time.Sleep(d); return nil }
}

// stays counts how often a breaker becomes HALF_OPEN.
func stays(registry *resilience.Registry, guard *resilience.Guard, callers int, took, until time.Duration) (n int) {
	b, _ := registry.Breaker("b")
	began, last := time.Now(), resilience.Closed
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for time.Since(began) < until && b.State() != resilience.Closed {
				if do(context.Background(), guard, takes(took)) != nil {
					time.Sleep(time.Second)
				}
			}
		})
	}
	for time.Since(began) < until {
		now := b.State()
		if now == resilience.HalfOpen && last != now {
			n++
		}
		last = now
		time.Sleep(100 * time.Millisecond)
	}
	all.Wait()
	return n
}

func TestFieldF01EntryE12CallsLongerThanMaxHalfOpenDurationCloseTheBreaker(t *testing.T) {
	for _, took := range []time.Duration{61 * time.Second, 90 * time.Second} {
		for _, callers := range []int{1, 3, 20} {
			t.Run(fmt.Sprint(took, " by ", callers), func(t *testing.T) {
				eachStrategy(t, func(t *testing.T, _ *text, registry *resilience.Registry) {
					guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
					b := handle(t, registry, "b")
					b.Reset("test")
					b.Trip("test")
					n := stays(registry, guard, callers, took, time.Hour)
					if got := b.State(); got != resilience.Closed || n > 2 {
						t.Errorf("after an hour of good calls it is %v, and was HALF_OPEN %d times", got, n)
					}
				})
			})
		}
	}
}

func TestFieldF01EntryE12FreshCanaryServesSlowCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		if n := stays(registry, guard, 3, 90*time.Second, time.Hour); n > 2 || handle(t, registry, "b").State() != resilience.Closed {
			t.Errorf("a dependency whose calls take 90s left it %v, HALF_OPEN %d times", handle(t, registry, "b").State(), n)
		}
	})
}

func TestFieldF01TrialIsNotGivenUpBeforeItsOwnTimeout(t *testing.T) {
	eachStrategy(t, func(t *testing.T, source *text, registry *resilience.Registry) {
		strategy := breakerOf(t, registry, "b").Strategy
		reload(t, source, registry, fmt.Sprintf(`{"breakers": {"b": {"strategy": %q}}, "timeouts": {"b": {"duration": "100s"}}}`, strategy))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "b"})
		b := handle(t, registry, "b")
		b.Reset("test")
		b.Trip("test")
		if n := stays(registry, guard, 1, 99*time.Second, time.Hour); n != 1 || b.State() != resilience.Closed {
			t.Errorf("it is %v and was HALF_OPEN %d times", b.State(), n)
		}
	})
}

func TestFieldF01TrialsThatHangAreStillGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CONSECUTIVE_FAILURES"}}, "timeouts": {"b": {"duration": "100s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "b"})
		b := handle(t, registry, "b")
		b.Trip("test")
		time.Sleep(20 * time.Second)
		end := hold(t, t.Context(), guard)
		time.Sleep(110*time.Second - 1)
		if err := do(t.Context(), guard, never(t)); err == nil || b.State() != resilience.HalfOpen {
			t.Errorf("before the trial's timeout and a tenth it is %v", b.State())
		}
		time.Sleep(time.Nanosecond)
		do(t.Context(), guard, never(t))
		if got := breakerOf(t, registry, "b"); got.State != resilience.Open || got.Reason != "no trial came back for 1m50s" {
			t.Errorf("it is %+v", got)
		}
		end(nil)
	})
}

func TestFieldF04IgnoredTrialGivesSlotAndPaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "PACED_RATE_THRESHOLD"}}}`)
		ignored := errors.New("ignored")
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Classify: func(err error) resilience.Outcome {
			if err == ignored {
				return resilience.Ignored
			}
			return resilience.Success
		}})
		b := handle(t, registry, "b")
		b.Trip("test")
		for n := 1; b.State() != resilience.Closed; n++ {
			time.Sleep(3 * time.Second)
			for range 9 {
				if err := do(t.Context(), guard, returns(ignored)); err != ignored {
					t.Fatalf("trial %d: an ignored call got %v", n, err)
				}
			}
			if err := do(t.Context(), guard, returns(nil)); err != nil || n > 7 {
				t.Fatalf("trial %d: the good call after it got %v", n, err)
			}
			if err := do(t.Context(), guard, returns(ignored)); b.State() == resilience.HalfOpen && err == ignored {
				t.Fatalf("trial %d: the good call does not keep the pace", n)
			}
		}
	})
}

func TestEntryE13NinetyPercentIgnoredCloseWithinThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "PACED_RATE_THRESHOLD"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		b := handle(t, registry, "b")
		b.Trip("test")
		began := time.Now()
		for n := 0; b.State() != resilience.Closed && time.Since(began) < time.Minute; n++ {
			ctx, cancel := context.WithCancel(t.Context())
			do(ctx, guard, func(context.Context) error {
				time.Sleep(20 * time.Millisecond)
				if n%10 != 0 {
					cancel()
					return ctx.Err()
				}
				return nil
			})
			cancel()
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("CLOSED after %v", took)
		}
	})
}

func TestFieldF20RefusalTellsTheStateAndTheMomentItWasRefusedIn(t *testing.T) {
	for name, guards := range map[string]resilience.Guards{
		"a breaker alone":               {Breaker: "b"},
		"a bulkhead before the breaker": {Breaker: "b", Bulkhead: "b"},
		"an entry with the breaker":     {Breaker: "b", Preload: permits("b", 1)},
		"an entry that checks":          {Check: []resilience.Calls{{Breaker: "b"}}},
	} {
		t.Run(name, inFakeTime(func(t *testing.T) {
			registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CONSECUTIVE_FAILURES"}}}`)
			guard := newGuard(t, registry, guards)
			b := handle(t, registry, "b")
			b.Trip("test")
			time.Sleep(20 * time.Second)
			end := hold(t, t.Context(), newGuard(t, registry, resilience.Guards{Breaker: "b"}))
			defer end(nil)
			wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is HALF_OPEN and admits no trial now")
			time.Sleep(70 * time.Second)
			if left, known := b.RetryAfter(); left != 10*time.Second || !known || b.State() != resilience.HalfOpen {
				t.Errorf("before anybody asks: retry after %v, %t, in %v", left, known, b.State())
			}
			wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is OPEN; try again in 10s")
			time.Sleep(time.Second)
			wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is OPEN; try again in 9s")
		}))
		t.Run("PACED, "+name, inFakeTime(func(t *testing.T) {
			registry := newRegistry(t, `{"breakers": {"b": {"strategy": "PACED_RATE_THRESHOLD"}}}`)
			guard, direct := newGuard(t, registry, guards), newGuard(t, registry, resilience.Guards{Breaker: "b"})
			b := handle(t, registry, "b")
			b.Trip("test")
			time.Sleep(3 * time.Second)
			for range 2 {
				if err := do(t.Context(), direct, returns(nil)); err != nil {
					t.Fatal(err)
				}
				wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is HALF_OPEN and admits no trial now; try again in 3s")
				if got, want := breakerOf(t, registry, "b").RetryAt, time.Now().Add(3*time.Second); !got.Equal(want) {
					t.Errorf("the snapshot says %v, want %v", got, want)
				}
				time.Sleep(time.Second)
				wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is HALF_OPEN and admits no trial now; try again in 2s")
				time.Sleep(2 * time.Second)
			}
		}))
	}
}

func TestFieldF20CanaryTellsWhenTheNextTickIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "probesPerTick": 1}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		end := hold(t, t.Context(), guard)
		wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is OPEN until a probe or a trial succeeds")
		end(errDown)
		wantRefusal(t, do(t.Context(), guard, never(t)), "breaker b is OPEN until a probe or a trial succeeds; try again in 1s")
	})
}

func wantRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v\nwant … %s", err, want)
	}
}

// inFakeTime runs a test in a bubble.
func inFakeTime(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, f) }
}

func TestFieldF21CallThatBeginsAgainTakesNothingOfTheTrials(t *testing.T) {
	eachStrategy(t, func(t *testing.T, source *text, registry *resilience.Registry) {
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Preload: permits("b", 1)})
		strategy := breakerOf(t, registry, "b").Strategy
		b := handle(t, registry, "b")
		b.Reset("test")
		b.Trip("test")
		time.Sleep(20 * time.Second)
		for n := range 3 { // from OPEN, then from HALF_OPEN
			ctx := &meddling{Context: t.Context(), meddle: func() {
				reload(t, source, registry, fmt.Sprintf(`{"breakers": {"b": {"strategy": %q}}, "bulkheads": {"b": {"maxConcurrentCalls": %d}}}`, strategy, 30+n))
			}}
			called := false
			err := do(ctx, guard, func(context.Context) error { called = true; return nil })
			if err != nil || !called {
				t.Fatalf("call %d, which met a reload in %v: %v", n, b.State(), err)
			}
			time.Sleep(3 * time.Second)
		}
	})
}

func TestFieldF23TrialThatCameBackLateIsNotShownAsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"successThreshold": 2}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		handle(t, registry, "b").Trip("test")
		time.Sleep(20 * time.Second)
		ends := []func(error){hold(t, t.Context(), guard), hold(t, t.Context(), guard)}
		time.Sleep(70 * time.Second)
		for left := 2; left >= 0; left-- {
			if got := breakerOf(t, registry, "b"); got.Trials != left || got.State != resilience.HalfOpen {
				t.Errorf("%d trials run, the snapshot says %d in %v", left, got.Trials, got.State)
			}
			if left > 0 {
				ends[left-1](errDown)
			}
		}
		time.Sleep(24 * time.Hour)
		if got := breakerOf(t, registry, "b").Trials; got != 0 {
			t.Errorf("a day later %d trials", got)
		}
	})
}

func TestFieldF18CanaryCallsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		var met []time.Duration
		began := time.Now()
		dead := true
		call := func() {
			do(t.Context(), guard, func(context.Context) error {
				if met = append(met, time.Since(began)); dead {
					return errDown
				}
				return nil
			})
			time.Sleep(100 * time.Millisecond)
		}
		for time.Since(began) < 10*time.Minute {
			call()
		}
		want := []time.Duration{0, 1, 3, 7, 15, 31, 61, 91, 121}
		for i, at := range want {
			if met[i] != at*time.Second {
				t.Errorf("call %d met the dead dependency at %v, want %v", i, met[i], at*time.Second)
			}
		}
		if len(met) > 25 {
			t.Errorf("%d calls met a dependency that was dead for 10 minutes", len(met))
		}
		for dead = false; handle(t, registry, "b").State() != resilience.Closed && time.Since(began) < 11*time.Minute; {
			call()
		}
		if took := time.Since(began) - 10*time.Minute; took > 32*time.Second {
			t.Errorf("CLOSED %v after it was well again", took)
		}
	})
}

// warnings are the texts of the SettingWarnings so far.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) observe(e resilience.Event) {
	if warning, ok := e.(resilience.SettingWarning); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.texts = append(w.texts, warning.Text)
	}
}

// expect compares what was told since the last time.
func (w *warnings) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if diff := cmp.Diff(want, w.texts); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	w.texts = nil
}

const (
	unprobed = ": CANARY_RATE_THRESHOLD has no probe, so while the breaker is OPEN some calls serve in its place, and fail with the dependency; " +
		"mark a cheap method with //resilience:probe, report through ExternalProbe, or set waitDurationInOpenState"
	unasked = ": STATIC_THRESHOLD never asks the probe that the breaker has; CANARY_RATE_THRESHOLD does"
)

func TestFieldF18ProbesThatAreMissingOrNeverAskedAreWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := new(warnings)
		const canary, static = `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`, `{"breakers": {"b": {}}}`
		source, registry := newSource(t, canary, resilience.Observe(resilience.ObserverFunc(told.observe)))
		newGuard(t, registry, resilience.Guards{Breaker: "b"})
		newGuard(t, registry, resilience.Guards{Breaker: "b"})
		time.Sleep(time.Second)
		told.expect(t, "resilience.json:1:15: breakers.b"+unprobed)
		newGuard(t, registry, resilience.Guards{Breaker: "b"})
		time.Sleep(time.Hour)
		told.expect(t)
		reload(t, source, registry, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "waitDurationInOpenState": "5s"}}}`)
		told.expect(t)
		reload(t, source, registry, canary)
		told.expect(t, "resilience.json:1:15: breakers.b"+unprobed)

		wiring, err := resilience.Wire(registry, "example.com/client", "client.Other", any(1))
		if err != nil {
			t.Fatal(err)
		}
		wiring.Guard("Do", resilience.Guards{Breaker: "b"})
		wiring.Probe("b", func(context.Context) error { return errDown })
		if err := wiring.Done(); err != nil {
			t.Fatal(err)
		}
		reload(t, source, registry, `{}`)
		synctest.Wait()
		told.expect(t, "resilience.json: breakers.b"+unasked)
		reload(t, source, registry, static)
		told.expect(t, "resilience.json:1:15: breakers.b"+unasked)
		reload(t, source, registry, canary)
		told.expect(t)
	})
}

func TestFieldF18ExternalProbeAfterTheWrapperIsNoReasonToWarn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := new(warnings)
		registry := newRegistry(t, `{"breakers": {"default": {"strategy": "CANARY_RATE_THRESHOLD"}}}`,
			resilience.Observe(resilience.ObserverFunc(told.observe)))
		newGuard(t, registry, resilience.Guards{Breaker: "b"})
		if _, err := registry.ExternalProbe("b"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		told.expect(t)
		newGuard(t, registry, resilience.Guards{Breaker: "c"})
		registry.Close()
		told.expect(t, "resilience.json: breakers.c"+unprobed)
	})
}

func TestFieldF01TimeoutsThatDoNotFitTheBreakerAreWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := new(warnings)
		source, registry := newSource(t, `{"breakers": {"b": {"maxHalfOpenDuration": "10s"}}, "timeouts": {"t": {"duration": "10s"}, "u": {"duration": "30s"}}}`,
			resilience.Observe(resilience.ObserverFunc(told.observe)))
		newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "t"})
		told.expect(t)
		newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "u"})
		told.expect(t, "resilience.json:1:15: breakers.b.maxHalfOpenDuration: 10s is below the 30s that timeouts.u gives Client.Do, "+
			"so its trials are waited for that long and a tenth more")
		newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "u"})
		told.expect(t)
		const slow = `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slowCallDurationThreshold": "2s", "waitDurationInOpenState": "1s"}}, "timeouts": {"t": {"duration": "2s"}, "u": {"duration": %q}}}`
		reload(t, source, registry, fmt.Sprintf(slow, "1s"))
		told.expect(t, "resilience.json:1:15: breakers.b.slowCallDurationThreshold: 2s is not below any timeout of its calls, "+
			"the longest of which is 2s, of Client.Do: they fail before they are slow")
		reload(t, source, registry, fmt.Sprintf(slow, "3s"))
		told.expect(t)
	})
}

func TestFieldF17WindowThatItsStrategyCannotHoldNamesTheOneThatCan(t *testing.T) {
	for setting, want := range map[string]string{
		`"failureThresholdCapacity": 10000`:  "",
		`"failureThresholdCapacity": 10001`:  "10001 is outside [1, 10000]; CANARY_RATE_THRESHOLD looks at up to 1000000, its slidingWindowSize",
		`"failureThresholdCapacity": 1e6`:    "1e6 is outside [1, 10000]; CANARY_RATE_THRESHOLD looks at up to 1000000, its slidingWindowSize",
		`"failureThresholdCapacity": 0`:      "0 is outside [1, 10000]",
		`"successThresholdCapacity": 100000`: "100000 is outside [1, 10000]; CANARY_RATE_THRESHOLD admits up to 1000000, its permittedNumberOfCallsInHalfOpenState",
		`"successThreshold": 100000`:         "100000 is above 10000, the largest successThresholdCapacity",
	} {
		_, err := resilience.New(resilience.Settings("r.json", []byte(`{"breakers": {"b": {`+setting+`}}}`)))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", setting, err)
		case want != "" && (err == nil || !strings.HasSuffix(err.Error(), ": "+want)):
			t.Errorf("%s: %v\nwant … %s", setting, err, want)
		}
	}
}

// givesUp makes a call that its caller gives up after some time.
func givesUp(t *testing.T, guard *resilience.Guard, after time.Duration) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return do(ctx, guard, func(ctx context.Context) error {
		time.Sleep(after)
		cancel()
		return ctx.Err()
	})
}

func TestFieldF06CallThatItsCallerGaveUpWasSlow(t *testing.T) {
	const settings = `"slidingWindowSize": 100, "slowCallDurationThreshold": "1s", "waitDurationInOpenState": "20s", "initialState": "CLOSED"`
	for name, test := range map[string]struct {
		settings string
		after    time.Duration
		want     resilience.State
		slow     uint64
	}{
		"slow, judged":     {`"slowCallRateThreshold": 50`, 2 * time.Second, resilience.Open, 50},
		"in time":          {`"slowCallRateThreshold": 50`, time.Second, resilience.Closed, 0},
		"slow, not judged": {`"failureRateThreshold": 21`, 2 * time.Second, resilience.Closed, 0},
	} {
		t.Run(name, inFakeTime(func(t *testing.T) {
			registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", `+settings+`, `+test.settings+`}}}`)
			guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
			for range 100 {
				givesUp(t, guard, test.after)
				if handle(t, registry, "b").State() == resilience.Open {
					break
				}
			}
			if got := breakerOf(t, registry, "b"); got.State != test.want || got.SlowCalls != test.slow || got.Failures != 0 || got.Calls != test.slow {
				t.Errorf("it is %+v", got)
			}
		}))
	}
}

func TestFieldF06TrialsThatAreGivenUpSlowlyOpenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slowCallDurationThreshold": "1s",
			"slowCallRateThreshold": 50, "permittedNumberOfCallsInHalfOpenState": 2, "waitDurationInOpenState": "20s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		time.Sleep(20 * time.Second)
		for n := range 2 {
			givesUp(t, guard, 500*time.Millisecond)
			if got := breakerOf(t, registry, "b"); got.State != resilience.HalfOpen || got.Calls != uint64(n) {
				t.Errorf("after one that was quick: %+v", got)
			}
			givesUp(t, guard, 2*time.Second)
		}
		if got := breakerOf(t, registry, "b"); got.State != resilience.Open || got.Reason != "slow call rate 100 % of 2 calls reached 50 %" {
			t.Errorf("it is %+v", got)
		}
	})
}

func TestFieldF06CanaryThatIsGivenUpSlowlyProvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slowCallDurationThreshold": "1s", "slowCallRateThreshold": 50}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		givesUp(t, guard, 500*time.Millisecond)
		givesUp(t, guard, 2*time.Second)
		if err := do(t.Context(), guard, never(t)); !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("after a canary that was given up slowly: %v", err)
		}
		time.Sleep(time.Second)
		if err := do(t.Context(), guard, returns(nil)); err != nil || handle(t, registry, "b").State() != resilience.HalfOpen {
			t.Errorf("a second later: %v, and it is %v", err, handle(t, registry, "b").State())
		}
	})
}

func TestFieldF06RefusalFurtherInIsNoSlowCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slowCallDurationThreshold": "1s",
			"slowCallRateThreshold": 50, "initialState": "CLOSED"}}, "bulkheads": {"in": {"maxConcurrentCalls": 1, "maxWaitDuration": "10s"}}}`)
		outer, inner := newGuard(t, registry, resilience.Guards{Breaker: "b"}), newGuard(t, registry, resilience.Guards{Bulkhead: "in"})
		defer hold(t, t.Context(), inner)(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		time.AfterFunc(2*time.Second, cancel)
		do(ctx, outer, func(ctx context.Context) error { return do(ctx, inner, never(t)) })
		if got := breakerOf(t, registry, "b"); got.Calls != 0 {
			t.Errorf("a call that waited in vain for a bulkhead further in counts: %+v", got)
		}
	})
}

// probed wires a breaker with a probe that is well after some time.
func probed(t *testing.T, registry *resilience.Registry, name string, after time.Duration) *resilience.Guard {
	wiring, err := resilience.Wire(registry, "example.com/"+name, name+".Client", any(1))
	if err != nil {
		t.Fatal(err)
	}
	well := time.Now().Add(after)
	guard := wiring.Guard("Do", resilience.Guards{Breaker: name})
	wiring.Probe(name, func(ctx context.Context) error {
		select {
		case <-ctx.Done(): // the registry is closed
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().Before(well) {
			return errDown
		}
		return nil
	})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return guard
}

func TestFieldF19ReadyWaitsForEveryCanary(t *testing.T) {
	const settings = `{"breakers": {"default": {"strategy": "CANARY_RATE_THRESHOLD"}, "static": {"strategy": "STATIC_THRESHOLD"},
		"waits": {"waitDurationInOpenState": "30s"}}}`
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, settings)
		began := time.Now()
		wait := func(want time.Duration, names ...string) {
			t.Helper()
			if err := registry.Ready(t.Context(), names...); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took < want || took > want+2*time.Second {
				t.Errorf("%v are ready after %v, want %v", names, took, want)
			}
		}
		wait(0)
		newGuard(t, registry, resilience.Guards{Breaker: "static"})
		handle(t, registry, "static").Trip("test")
		newGuard(t, registry, resilience.Guards{Breaker: "unprobed"}) // calls have to prove it well, so nobody must wait for it
		wait(0)
		quick := probed(t, registry, "quick", 0)
		probed(t, registry, "late", 20*time.Second)
		newGuard(t, registry, resilience.Guards{Breaker: "waits"})
		wait(0, "quick", "static")
		if err := do(t.Context(), quick, returns(nil)); err != nil {
			t.Errorf("the first call once it was ready: %v", err)
		}
		wait(20*time.Second, "quick", "late")
		wait(30 * time.Second)
		wait(30*time.Second, "quick", "late")
	})
}

func TestFieldF19ReadySaysWhatIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"default": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
		probed(t, registry, "a", 0)
		probed(t, registry, "b", time.Hour)
		probed(t, registry, "c", time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := registry.Ready(ctx)
		want := "resilience: not ready: breaker b is OPEN (last probe: down), breaker c is OPEN (last probe: down): context deadline exceeded"
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		handle(t, registry, "c").ForceOpen("test")
		time.AfterFunc(5*time.Second, func() { handle(t, registry, "c").Reset("test") })
		if err := registry.Ready(t.Context(), "c"); err != nil {
			t.Error(err)
		}
		if err := registry.Ready(t.Context(), "d"); err == nil || !strings.Contains(err.Error(), `no breaker "d"`) {
			t.Errorf("a name that nobody uses: %v", err)
		}
		time.AfterFunc(time.Second, func() { registry.Close() })
		if err := registry.Ready(t.Context()); !errors.Is(err, resilience.ErrClosed) {
			t.Errorf("of a closed registry: %v", err)
		}
	})
}
