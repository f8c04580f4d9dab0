package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// tries makes a call as the generated wrapper of a method with retries does.
func tries(ctx context.Context, guard *resilience.Guard, next func(context.Context) error) (err error) {
	var tries resilience.Attempts
	defer tries.Release()
	for tries.Next(ctx, guard) {
		err = tries.Finish(next(tries.Context()))
	}
	return tries.Result(err)
}

// tried is a script of a dependency and what came of it. Steps are such as "F10", a
// failure after 10 ms, and "S10", a success.
type tried struct {
	t        *testing.T
	registry *resilience.Registry
	guard    *resilience.Guard
	script   []string
	start    time.Time
	attempts []int   // when they began, in ms
	failures []error // that the dependency returned
}

// usual are the settings of most cases.
const usual = `"maxAttempts": 3, "initialDelay": "50ms", "delayFactor": 2, "maxDelay": "1s", "jitter": 0`

func newTried(t *testing.T, settings string, guards resilience.Guards) *tried {
	registry := newRegistry(t, settings)
	guards.Retry = "p"
	return &tried{t: t, registry: registry, guard: newGuard(t, registry, guards)}
}

func retrying(retries, others string) string {
	return fmt.Sprintf(`{"retries": {"p": {%s}}%s}`, retries, others)
}

// call makes the call in the time of the script.
func (r *tried) call(ctx context.Context, script ...string) (at int, err error) {
	r.script, r.start, r.attempts, r.failures = script, time.Now(), nil, nil
	err = tries(ctx, r.guard, r.step)
	return r.now(), err
}

func (r *tried) now() int { return int(time.Since(r.start).Milliseconds()) }

func (r *tried) step(ctx context.Context) error {
	n := len(r.attempts)
	r.attempts = append(r.attempts, r.now())
	step := r.script[min(n, len(r.script)-1)]
	var kind string
	var ms int
	fmt.Sscanf(strings.Replace(step, string(step[0]), string(step[0])+" ", 1), "%s %d", &kind, &ms)
	if err := work(ctx, time.Duration(ms)*time.Millisecond, nil); err != nil {
		return err
	}
	if kind == "S" {
		return nil
	}
	err := fmt.Errorf("failure %d", n+1)
	r.failures = append(r.failures, err)
	return err
}

func (r *tried) policy() resilience.RetrySnapshot  { return r.registry.Snapshot().Retries[0] }
func (r *tried) budget() resilience.BudgetSnapshot { return r.registry.Snapshot().Budgets[0] }
func (r *tried) stopped(reason string) uint64      { return r.policy().Stopped[reason] }
func (r *tried) wantTokens(want float64) {
	r.t.Helper()
	wantNear(r.t, "tokens", r.budget().Left, want, 1e-9)
}
func (r *tried) wantAttempts(want ...int) {
	r.t.Helper()
	if !slices.Equal(r.attempts, want) {
		r.t.Errorf("attempts began at %v, want %v", r.attempts, want)
	}
}

func wantNear(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// wantEnd wants the end of a call: when, and with the error of which failure, 0 for
// none.
func (r *tried) wantEnd(at int, err error, wantAt, failure int) {
	r.t.Helper()
	var want error
	if failure > 0 {
		want = r.failures[failure-1]
	}
	if at != wantAt || err != want {
		r.t.Errorf("ended at %d with %v, want at %d with %v", at, err, wantAt, want)
	}
}

func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

func TestRetryR1ToR8(t *testing.T) {
	inBubble(t, "RetryR1", func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{})
		at, err := r.call(t.Context(), "S10")
		r.wantEnd(at, err, 10, 0)
		r.wantAttempts(0)
		r.wantTokens(10)
	})
	inBubble(t, "RetryR2", func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{})
		at, err := r.call(t.Context(), "F10", "S10")
		r.wantEnd(at, err, 70, 0)
		r.wantAttempts(0, 60)
		r.wantTokens(9.1)
		if got := r.policy(); got.Recovered != 1 || got.Retries != 1 {
			t.Errorf("%+v", got)
		}
	})
	inBubble(t, "RetryR3", func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{})
		at, err := r.call(t.Context(), "F10")
		r.wantEnd(at, err, 180, 3)
		r.wantAttempts(0, 60, 170)
		r.wantTokens(8)
		if r.stopped("attempts") != 1 {
			t.Errorf("%+v", r.policy())
		}
	})
	inBubble(t, "RetryR4", func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		at, err := r.call(ctx, "F10")
		r.wantEnd(at, err, 70, 2)
		r.wantAttempts(0, 60)
		if errors.Is(err, context.DeadlineExceeded) || r.stopped("deadline") != 1 {
			t.Errorf("%v, %+v", err, r.policy())
		}
	})
	inBubble(t, "RetryR5", func(t *testing.T) {
		r := newTried(t, retrying(`"maxAttempts": 3, "initialDelay": "0s"`, ""), resilience.Guards{Breaker: "p"})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		at, err := r.call(ctx, "F80")
		r.wantEnd(at, err, 80, 1)
		r.wantAttempts(0)
		if got := breakerOf(t, r.registry, "p"); got.Failures != 1 || got.Calls != 1 {
			t.Errorf("the breaker counts %+v", got)
		}
	})
	inBubble(t, "RetryR6", func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{Classify: nil})
		start, began := time.Now(), []int(nil)
		err := tries(t.Context(), r.guard, func(context.Context) error {
			began = append(began, int(time.Since(start).Milliseconds()))
			time.Sleep(10 * time.Millisecond)
			if len(began) == 1 {
				return hinting(200 * time.Millisecond)
			}
			return nil
		})
		if err != nil || !slices.Equal(began, []int{0, 210}) {
			t.Errorf("%v, attempts at %v", err, began)
		}
	})
	inBubble(t, "RetryR7", func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{})
		start := time.Now()
		err := tries(t.Context(), r.guard, func(context.Context) error {
			time.Sleep(10 * time.Millisecond)
			return hinting(2 * time.Second)
		})
		if err != hinting(2*time.Second) || time.Since(start) != 10*time.Millisecond || r.stopped("hint") != 1 {
			t.Errorf("%v after %v, %+v", err, time.Since(start), r.policy())
		}
	})
	inBubble(t, "RetryR8", func(t *testing.T) {
		r := newTried(t, retrying(`"maxAttempts": 8, "jitter": 0`, ""), resilience.Guards{})
		r.call(t.Context(), "F0")
		var pauses []int
		for i := range r.attempts[1:] {
			pauses = append(pauses, r.attempts[i+1]-r.attempts[i])
		}
		if !slices.Equal(pauses, []int{50, 100, 200, 400, 800, 1000, 1000}) {
			t.Errorf("pauses of %v ms", pauses)
		}
	})
}

// hinting is an error of a dependency that says when to come again.
type hinting time.Duration

func (hinting) Error() string                       { return "come again later" }
func (h hinting) RetryAfter() (time.Duration, bool) { return time.Duration(h), true }

func TestRetryR9AttemptsThatOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warnings []string
		registry := newRegistry(t, retrying(usual, `, "breakers": {"p": {"failureThreshold": 3}}`), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if w, is := e.(resilience.SettingWarning); is {
				warnings = append(warnings, w.Text)
			}
		})))
		r := &tried{t: t, registry: registry, guard: newGuard(t, registry, resilience.Guards{Breaker: "p", Retry: "p"})}
		synctest.Wait()
		const want = "retries.p.maxAttempts: 3 reaches breakers.p.failureThreshold (3): one call of Client.Do can open it"
		if len(warnings) != 1 || !strings.HasSuffix(warnings[0], want) {
			t.Errorf("warned of %q, want %q", warnings, want)
		}
		at, err := r.call(t.Context(), "F10")
		r.wantEnd(at, err, 180, 3)
		if got := breakerOf(t, registry, "p").State; got != resilience.Open {
			t.Errorf("the breaker is %v", got)
		}
		if _, err := r.call(t.Context(), "S10"); !errors.Is(err, resilience.ErrOpen) || len(r.attempts) > 0 {
			t.Errorf("the next call got %v", err)
		}
	})
}

func TestRetryR10ABreakerThatOpensInThePauseEndsTheRetrying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{Breaker: "p"})
		time.AfterFunc(30*time.Millisecond, func() { handle(t, r.registry, "p").ForceOpen("me") })
		at, err := r.call(t.Context(), "F10")
		r.wantEnd(at, err, 60, 1)
		r.wantTokens(10)
		if got := breakerOf(t, r.registry, "p"); got.RefusedTotal != 0 || r.stopped("refused") != 1 {
			t.Errorf("%+v, %+v", got, r.policy())
		}
	})
}

func TestRetryR11ATrialIsNeverRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{Breaker: "p"})
		handle(t, r.registry, "p").Trip("")
		time.Sleep(20 * time.Second)
		at, err := r.call(t.Context(), "F10")
		r.wantEnd(at, err, 10, 1)
		got := breakerOf(t, r.registry, "p")
		if got.State != resilience.Open || time.Until(got.RetryAt) != 20*time.Second || r.stopped("trial") != 1 {
			t.Errorf("%+v, %+v", got, r.policy())
		}
	})
}

func TestRetryR12ABudgetIsSpentAndFilledBySuccesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTried(t, retrying(usual, `, "breakers": {"default": {"strategy": "NONE"}}`), resilience.Guards{})
		var each []int
		for range 100 {
			r.call(t.Context(), "F10")
			each = append(each, len(r.attempts))
		}
		sum := 0
		for _, n := range each {
			sum += n
		}
		if !slices.Equal(each[:7], []int{3, 3, 3, 3, 3, 1, 1}) || sum != 110 {
			t.Errorf("attempts %v, %d in all", each, sum)
		}
		for range 9 {
			r.call(t.Context(), "S10")
		}
		if r.call(t.Context(), "F10"); len(r.attempts) != 1 {
			t.Errorf("after nine successes %d attempts", len(r.attempts))
		}
		r.call(t.Context(), "S10")
		if r.call(t.Context(), "F10"); len(r.attempts) != 2 {
			t.Errorf("after ten successes %d attempts", len(r.attempts))
		}
	})
}

// A share of a success that is below a thousandth of a retry counts too.
func TestRetryR12SmallSharesOfASuccessAddUp(t *testing.T) {
	for percent, successes := range map[string]int{"0.5": 200, "0.04": 2500, "0.15": 667, "33": 4, "100": 1} {
		synctest.Test(t, func(t *testing.T) {
			r := newTried(t, retrying(usual, `, "budgets": {"p": {"burst": 1, "percent": `+percent+`}}`), resilience.Guards{})
			r.call(t.Context(), "F0")
			for range successes - 1 {
				r.call(t.Context(), "S0")
			}
			if r.budget().Left >= 1 {
				t.Errorf("%s percent: %v is left before %d successes", percent, r.budget().Left, successes)
			}
			r.call(t.Context(), "S0")
			if r.call(t.Context(), "F0"); len(r.attempts) != 2 {
				t.Errorf("%s percent: after %d successes %d attempts", percent, successes, len(r.attempts))
			}
		})
	}
}

// load makes calls whose attempts fail as they are told.
func load(t *testing.T, calls int, fails func(attempt int) bool) (attempts float64, good float64) {
	registry := newRegistry(t, retrying(`"maxAttempts": 3, "initialDelay": "0s", "jitter": 0`, ""))
	guard := newGuard(t, registry, resilience.Guards{Retry: "p"})
	made, well := 0, 0
	for range calls {
		if tries(t.Context(), guard, func(context.Context) error {
			made++
			if fails(made) {
				return errFailing
			}
			return nil
		}) == nil {
			well++
		}
	}
	return float64(made) / float64(calls), float64(well) / float64(calls)
}

func TestRetryR13EverySoManiethAttemptFails(t *testing.T) {
	for every, want := range map[int][2]float64{2: {1.0536, .527}, 10: {1.0998, .9899}} {
		attempts, good := load(t, 10_000, func(n int) bool { return n%every == 0 })
		wantNear(t, "attempts a call", attempts, want[0], 5e-5)
		wantNear(t, "good calls", good, want[1], .0005)
	}
}

func TestRetryR14RandomFailures(t *testing.T) {
	for share, want := range map[float64]float64{.1: 1.097, .2: 1.087, .5: 1.053, .9: 1.010} {
		random := rand.New(rand.NewPCG(1, 2))
		attempts, _ := load(t, 100_000, func(int) bool { return random.Float64() < share })
		wantNear(t, fmt.Sprint("attempts a call at ", share), attempts, want, .005)
	}
}

func TestRetryR15ATicketServesACallWithAllItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, retrying(usual, `, "bulkheads": {"p": {"maxConcurrentCalls": 4}}`))
		entry := newGuard(t, registry, resilience.Guards{Preload: permits("p", 4)})
		call := newGuard(t, registry, resilience.Guards{Bulkhead: "p", Retry: "p"})
		stranger := newGuard(t, registry, resilience.Guards{Bulkhead: "p"})
		done := make(chan struct{})
		go func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
					go do(t.Context(), stranger, func(context.Context) error { time.Sleep(100 * time.Millisecond); return nil })
				}
			}
		}()
		err := do(t.Context(), entry, func(ctx context.Context) error {
			var all sync.WaitGroup
			var mu sync.Mutex
			good := 0
			for range 4 {
				all.Go(func() {
					first := true
					err := tries(ctx, call, func(context.Context) error {
						time.Sleep(10 * time.Millisecond)
						defer func() { first = false }()
						if first {
							return errFailing
						}
						return nil
					})
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						good++
					}
				})
			}
			time.Sleep(30 * time.Millisecond)
			if got := bulkheadOf(t, registry, "p"); got.ReservedIdle != 4 || got.InUse != 0 {
				t.Errorf("in the pause %+v", got)
			}
			all.Wait()
			if good != 4 {
				t.Errorf("%d of 4 calls were good", good)
			}
			return nil
		})
		close(done)
		synctest.Wait()
		got := bulkheadOf(t, registry, "p")
		if err != nil || got.UsedFromReservation != 4 || got.Overflow != 0 || got.ReturnedUnused != 0 {
			t.Errorf("%v, %+v", err, got)
		}
		time.Sleep(time.Second)
	})
}

func TestRetryR16ACancelledPauseIsBothErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(30*time.Millisecond, cancel)
		at, err := r.call(ctx, "F10")
		if at != 30 || !errors.Is(err, r.failures[0]) || !errors.Is(err, context.Canceled) || len(r.attempts) != 1 {
			t.Errorf("at %d, %v, attempts %v", at, err, r.attempts)
		}
		r.wantTokens(10)
	})
}

func TestRetryR17NestedRetriesDontMultiply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"retries": {"default": {`+usual+`}}}`)
		outer, inner := newGuard(t, registry, resilience.Guards{Retry: "o"}), newGuard(t, registry, resilience.Guards{Retry: "i"})
		var seen []int
		tries(t.Context(), outer, func(ctx context.Context) error {
			return tries(ctx, inner, func(ctx context.Context) error {
				seen = append(seen, resilience.Retries(ctx))
				return errFailing
			})
		})
		if !slices.Equal(seen, []int{0, 1, 2, 1, 2}) {
			t.Errorf("the client saw retries %v, want 3+1+1 attempts", seen)
		}
	})
}

func TestRetryR18JitterIsBelowThePause(t *testing.T) {
	for jitter, want := range map[float64][3]float64{100: {0, 50, 25}, 20: {40, 50, 45}} {
		synctest.Test(t, func(t *testing.T) {
			r := newTried(t, retrying(fmt.Sprintf(`"jitter": %v`, jitter), `, "budgets": {"p": {"burst": 1000000}}`), resilience.Guards{})
			sum := 0.0
			for range 10_000 {
				start := time.Now()
				tries(t.Context(), r.guard, returns(errFailing))
				ms := float64(time.Since(start)) / 1e6
				if ms < want[0] || ms > want[1] {
					t.Fatalf("a pause of %v ms at jitter %v", ms, jitter)
				}
				sum += ms
			}
			wantNear(t, "mean pause", sum/10_000, want[2], .5)
		})
	}
}

func TestRetryR20ACallKeepsTheSettingsItBeganWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, registry := newSource(t, retrying(usual, ""))
		r := &tried{t: t, registry: registry, guard: newGuard(t, registry, resilience.Guards{Retry: "p"})}
		time.AfterFunc(30*time.Millisecond, func() { reload(t, source, registry, retrying(`"maxAttempts": 1`, "")) })
		r.call(t.Context(), "F10")
		r.wantAttempts(0, 60, 170)
		r.call(t.Context(), "F10")
		r.wantAttempts(0)
	})
}

// A retry that is not made goes back to the budget that it was taken from, also
// where a reload has given the retries another one meanwhile.
func TestRetryR20ATokenGoesBackToItsOwnBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, registry := newSource(t, retrying(usual, `, "budgets": {"p": {"burst": 2}}`))
		r := &tried{t: t, registry: registry, guard: newGuard(t, registry, resilience.Guards{Retry: "p"})}
		time.AfterFunc(30*time.Millisecond, func() {
			reload(t, source, registry, retrying(usual+`, "budget": "all"`, `, "budgets": {"p": {"burst": 2}, "all": {"burst": 3}}`))
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		time.AfterFunc(40*time.Millisecond, cancel)
		if at, _ := r.call(ctx, "F10"); at != 40 {
			t.Errorf("ended at %d", at)
		}
		left := map[string]float64{}
		for _, b := range registry.Snapshot().Budgets {
			left[b.Name] = b.Left
		}
		if left["p"] != 2 || left["all"] != 3 {
			t.Errorf("left are %v", left)
		}
	})
}

// MaxDuration bounds all attempts: what it cuts off is ErrTimeout and a failure.
func TestMaxDurationIsOneDeadlineOverAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for timeout, guards := range map[string]resilience.Guards{"": {Breaker: "p"}, "90ms": {Breaker: "p", Timeout: "p"}} {
			others := `, "breakers": {"p": {"failureThreshold": 100, "failureThresholdCapacity": 100}}`
			if timeout != "" {
				others += `, "timeouts": {"p": {"duration": "` + timeout + `"}}`
			}
			r := newTried(t, retrying(usual+`, "maxDuration": "100ms"`, others), guards)
			at, err := r.call(t.Context(), "F10", "S80")
			if at != 100 || !errors.Is(err, resilience.ErrTimeout) {
				t.Errorf("timeout %q: at %d, %v", timeout, at, err)
			}
			r.wantAttempts(0, 60)
			if got := breakerOf(t, r.registry, "p"); got.Failures != 2 {
				t.Errorf("the breaker counts %+v", got)
			}
		}
	})
}

func TestWhenJudgesErrorsInPlaceOfTheOutcome(t *testing.T) {
	busy, gone := errors.New("busy"), errors.New("gone")
	synctest.Test(t, func(t *testing.T) {
		r := newTried(t, retrying(usual, ""), resilience.Guards{
			Breaker: "p", Classify: func(err error) resilience.Outcome {
				if err == busy {
					return resilience.Ignored
				}
				return resilience.Failure
			},
			When: func(err error) bool { return err == busy },
		})
		for err, want := range map[error]int{busy: 3, gone: 1} {
			n := 0
			tries(t.Context(), r.guard, func(context.Context) error { n++; return err })
			if n != want {
				t.Errorf("%v: %d attempts, want %d", err, n, want)
			}
		}
	})
}

// Refusals are never retried, however deep, nor are calls whose caller has gone, nor
// panics.
func TestWhatIsNeverRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTried(t, retrying(usual, `, "bulkheads": {"p": {"maxConcurrentCalls": 1}}`), resilience.Guards{Bulkhead: "p"})
		inside := newGuard(t, r.registry, resilience.Guards{Bulkhead: "p"})
		ctx, cancel := context.WithCancel(t.Context())
		for name, step := range map[string]func(context.Context) error{
			"refusal":        func(ctx context.Context) error { return do(ctx, inside, returns(nil)) },
			"deep refusal":   func(ctx context.Context) error { return errors.Join(errFailing, do(ctx, inside, returns(nil))) },
			"caller is gone": func(context.Context) error { cancel(); return errFailing },
			"panic":          func(context.Context) error { panic("of the client") },
		} {
			n := 0
			func() {
				defer func() { recover() }()
				of := t.Context()
				if name == "caller is gone" {
					of = ctx
				}
				tries(of, r.guard, func(ctx context.Context) error { n++; return step(ctx) })
			}()
			if n != 1 {
				t.Errorf("%s: %d attempts", name, n)
			}
		}
		if got := bulkheadOf(t, r.registry, "p"); got.Available != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestRetriesAreToldWithTheirBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		registry := newRegistry(t, retrying(usual+`, "budget": "all"`, `, "budgets": {"all": {"burst": 3}}`), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			text, _ := json.Marshal(e)
			switch e := e.(type) {
			case resilience.Retried:
				told = append(told, fmt.Sprint(e.Method, e.Attempt, e.Err, e.Delay))
				if !strings.Contains(string(text), `"error":"failing"`) {
					t.Errorf("in JSON %s", text)
				}
			case resilience.BudgetSpent:
				told = append(told, "spent "+e.Budget)
			}
		})))
		guard := newGuard(t, registry, resilience.Guards{Retry: "p"})
		for range 3 {
			tries(t.Context(), guard, returns(errFailing))
		}
		synctest.Wait()
		want := []string{"Client.Do2 failing 50ms", "Client.Do3 failing 100ms", "Client.Do2 failing 50ms", "spent all"}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		if got := registry.Snapshot().Budgets; len(got) != 1 || got[0].Name != "all" || got[0].Refused != 2 {
			t.Errorf("%+v", got)
		}
	})
}

func TestRetryR1CallsThatSucceedAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	registry := newRegistry(t, retrying(usual, ""))
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", Retry: "p"})
	ctx := context.Background()
	well := func(context.Context) error { return nil }
	if got := testing.AllocsPerRun(1000, func() { tries(ctx, guard, well) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
