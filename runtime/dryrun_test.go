package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// would are the events of dry runs.
type would struct {
	sync.Mutex
	events []string
}

func (w *would) Observe(e resilience.Event) {
	if refused, is := e.(resilience.Refused); is && refused.DryRun {
		w.Lock()
		defer w.Unlock()
		w.events = append(w.events, fmt.Sprint(refused.Error.Kind, " ", refused.Error.Name))
	}
}

func (w *would) expect(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	w.Lock()
	defer w.Unlock()
	if got := strings.Join(w.events, ", "); got != want {
		t.Errorf("observers hear of %q, want %q", got, want)
	}
}

func TestRehearsalT5ADryBulkheadCountsAndRefusesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := new(would)
		const file = `{"bulkheads": {"inventory": {"maxConcurrentCalls": 2, "maxWaitDuration": "1s", "enforce": %t}}}`
		source, registry := newSource(t, fmt.Sprintf(file, false), resilience.Observe(heard))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory"})
		var ends []func(error)
		for range 5 {
			ends = append(ends, hold(t, t.Context(), guard))
		}
		if got := bulkheadOf(t, registry, "inventory"); got.InUse != 5 || got.WouldRefuse != 3 || got.Refused != (resilience.Refusals{}) || !got.DryRun || got.Available != 0 {
			t.Errorf("%+v", got)
		}
		heard.expect(t, "full inventory, full inventory, full inventory")
		reload(t, source, registry, fmt.Sprintf(file, true))
		for inUse := 5; inUse >= 2; inUse-- {
			short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if err := do(short, guard, never(t)); !errors.Is(err, resilience.ErrFull) {
				t.Errorf("enforced with %d of 2 in use: %v", inUse, err)
			}
			cancel()
			ends[5-inUse](nil)
		}
		if err := do(t.Context(), guard, returns(nil)); err != nil {
			t.Errorf("enforced with one of 2 in use: %v", err)
		}
		ends[4](nil)
		if got := bulkheadOf(t, registry, "inventory"); got.InUse != 0 || got.Available != 2 || got.WouldRefuse != 3 || got.DryRun {
			t.Errorf("%+v", got)
		}
	})
}

func TestRehearsalT5ADryRunEndsTheWaitsOfABulkhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const file = `{"bulkheads": {"inventory": {"maxConcurrentCalls": 2, "maxWaitDuration": "1h", "enforce": %t}}}`
		source, registry := newSource(t, fmt.Sprintf(file, true))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory"})
		entry := newGuard(t, registry, resilience.Guards{Preload: permits("inventory", 2)})
		end := hold(t, t.Context(), guard)
		var all sync.WaitGroup
		all.Go(func() {
			do(t.Context(), entry, func(ctx context.Context) error { return do(ctx, guard, returns(nil)) })
		})
		synctest.Wait()
		if got := bulkheadOf(t, registry, "inventory").Waiting; got != 1 {
			t.Fatalf("%d wait", got)
		}
		reload(t, source, registry, fmt.Sprintf(file, false))
		all.Wait()
		end(nil)
	})
}

// An entry reserves in a dry run what is not there, also more than there ever is.
func TestRehearsalT5ADryRunRefusesNoEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := new(would)
		registry := newRegistry(t, `{
			"bulkheads": {"inventory": {"maxConcurrentCalls": 2, "enforce": false}},
			"rateLimits": {"inventory": {"limit": 1, "burst": 2, "enforce": false}}
		}`, resilience.Observe(heard))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory", RateLimit: "inventory"})
		entry := newGuard(t, registry, resilience.Guards{
			Preload: permits("inventory", 3), Rate: []resilience.Tokens{{RateLimit: "inventory", N: 3}},
		})
		err := do(t.Context(), entry, func(ctx context.Context) error {
			if got := bulkheadOf(t, registry, "inventory"); got.ReservedIdle != 3 || got.WouldRefuse != 1 {
				t.Errorf("%+v", got)
			}
			for range 3 {
				if err := do(ctx, guard, returns(nil)); err != nil {
					t.Error(err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if got := bulkheadOf(t, registry, "inventory"); got.Available != 2 || got.UsedFromReservation != 3 || got.WouldRefuse != 1 {
			t.Errorf("%+v", got)
		}
		heard.expect(t, "rate inventory, too large inventory, rate inventory")
	})
}

func TestRehearsalT6ADryBreakerJudgesAndRefusesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := new(would)
		const file = `{"breakers": {"payments": {"failureThreshold": 3, "failureThresholdCapacity": 10, "testDelay": "20s", "enforce": %t}}}`
		source, registry := newSource(t, fmt.Sprintf(file, false), resilience.Observe(heard), resilience.Count())
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
		for range 3 {
			do(t.Context(), guard, returns(errDown))
		}
		if err := do(t.Context(), guard, returns(nil)); err != nil {
			t.Fatal(err)
		}
		got := breakerOf(t, registry, "payments")
		if got.State != resilience.Open || !got.Admits || !got.DryRun || got.WouldRefuse != 1 || got.RefusedTotal != 0 || got.SuccessesTotal != 1 || got.FailuresTotal != 3 {
			t.Errorf("%+v", got)
		}
		heard.expect(t, "open payments")
		if err := do(t.Context(), guard, returns(errLater)); err != errLater {
			t.Fatal(err)
		}
		if got := breakerOf(t, registry, "payments"); got.FailuresTotal != 4 || got.LastFailure.Error != errLater.Error() {
			t.Errorf("the failure of a call that was let through: %+v", got)
		}
		reload(t, source, registry, fmt.Sprintf(file, true))
		if err := do(t.Context(), guard, never(t)); !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("enforced: %v", err)
		}
		reload(t, source, registry, fmt.Sprintf(file, false))
		time.Sleep(20 * time.Second)
		for range 5 {
			do(t.Context(), guard, returns(nil))
		}
		if got := breakerOf(t, registry, "payments"); got.State != resilience.Closed || got.WouldRefuse != 2 {
			t.Errorf("after five good trials: %+v", got)
		}
	})
}

var errLater = errors.New("down, too")

// What a hand orders holds in a dry run, too.
func TestRehearsalT6ADryBreakerThatIsForcedOpenRefuses(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"payments": {"enforce": false}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
	payments := handle(t, registry, "payments")
	payments.Trip("")
	if err := do(t.Context(), guard, returns(nil)); err != nil {
		t.Errorf("OPEN: %v", err)
	}
	payments.ForceOpen("")
	if err := do(t.Context(), guard, never(t)); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("FORCED_OPEN: %v", err)
	}
}

// No entry, retry or readiness heeds a breaker in a dry run.
func TestRehearsalT6ADryBreakerStopsNothing(t *testing.T) {
	for name, settings := range five {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heard := new(would)
				registry := newRegistry(t, fmt.Sprintf(`{
					"breakers": {"p": {%s, "enforce": false}},
					"bulkheads": {"p": {"maxConcurrentCalls": 100}},
					"retries": {"p": {"maxAttempts": 3, "initialDelay": "1ms"}}
				}`, settings), resilience.Observe(heard))
				entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
				retried := newGuard(t, registry, resilience.Guards{Breaker: "p", Retry: "p"})
				handle(t, registry, "p").Trip("")
				if err := do(t.Context(), entry, func(ctx context.Context) error { return buy(ctx, call, 4) }); err != nil {
					t.Errorf("an entry: %v", err)
				}
				made := 0
				tries(t.Context(), retried, func(context.Context) error {
					made++
					return errDown
				})
				if made != 3 {
					t.Errorf("a call was made %d times", made)
				}
				time.Sleep(2 * time.Second) // trials are due
				ends := []func(error){}
				for range 20 {
					ends = append(ends, hold(t, t.Context(), call))
				}
				for _, end := range ends {
					end(nil)
				}
				if got := breakerOf(t, registry, "p"); got.RefusedTotal != 0 || got.Gates != 0 || got.Trials != 0 {
					t.Errorf("%+v", got)
				}
				synctest.Wait()
				if want := breakerOf(t, registry, "p").WouldRefuse; uint64(len(heard.events)) != want {
					t.Errorf("%d events, and it would have refused %d", len(heard.events), want)
				}
			})
		})
	}
}

// A dry run judges as an enforced guard does: two registries get the same calls, and
// show the same until the enforced one refuses a call. The dry one lets that through.
func TestRehearsalT6DryRunsJudgeAsEnforcedOnes(t *testing.T) {
	for name, settings := range five {
		kinds := map[resilience.Kind]int{}
		for seed := range uint64(100) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 7))
				file := fmt.Sprintf(`{
					"breakers": {"p": {%s, "enforce": %%[1]t}},
					"bulkheads": {"p": {"maxConcurrentCalls": 4, "enforce": %%[1]t}},
					"rateLimits": {"p": {"limit": 1, "period": "2ms", "burst": %d, "enforce": %%[1]t}}
				}`, settings, 3+random.IntN(60))
				dry, enforced := newRegistry(t, fmt.Sprintf(file, false), resilience.Count()), newRegistry(t, fmt.Sprintf(file, true), resilience.Count())
				guards := resilience.Guards{Breaker: "p", Bulkhead: "p", RateLimit: "p"}
				inDry, inEnforced := newGuard(t, dry, guards), newGuard(t, enforced, guards)
				type running struct{ dry, enforced *resilience.Call }
				var calls []running
				for range 500 {
					time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
					if n := len(calls); n > 0 && random.IntN(2) == 0 {
						outcome := []error{nil, errDown}[random.IntN(2)]
						calls[0].dry.Finish(outcome)
						calls[0].enforced.Finish(outcome)
						calls = calls[1:]
						continue
					}
					c := running{new(resilience.Call), new(resilience.Call)}
					if err := c.dry.Begin(t.Context(), inDry); err != nil {
						t.Fatalf("%s, seed %d: a dry run answers %v", name, seed, err)
					}
					var refused *resilience.RefusalError
					if errors.As(c.enforced.Begin(t.Context(), inEnforced), &refused) {
						kinds[refused.Kind]++
					}
					d, e := dry.Snapshot(), enforced.Snapshot()
					would := d.Breakers[0].WouldRefuse + d.Bulkheads[0].WouldRefuse + d.RateLimits[0].WouldRefuse
					if (would > 0) != (refused != nil) {
						t.Fatalf("%s, seed %d: enforced %v, the dry run would refuse %d", name, seed, refused, would)
					}
					if refused != nil {
						c.dry.Finish(nil)
						break
					}
					if calls = append(calls, c); d.Breakers[0].State != e.Breakers[0].State || d.Breakers[0].Figures != e.Breakers[0].Figures ||
						d.Bulkheads[0].InUse != e.Bulkheads[0].InUse || d.RateLimits[0].Available != e.RateLimits[0].Available {
						t.Fatalf("%s, seed %d: the dry run differs:\n%+v\n%+v", name, seed, d, e)
					}
				}
				for _, c := range calls {
					c.dry.Finish(nil)
				}
				if got := bulkheadOf(t, dry, "p"); got.InUse != 0 || got.Available != 4 {
					t.Errorf("%s, seed %d: %+v", name, seed, got)
				}
			})
		}
		if kinds[resilience.KindFull] == 0 || kinds[resilience.KindRate] == 0 || kinds[resilience.KindOpen] == 0 && name != "NONE" && name != "CANARY" && name != "PACED" {
			t.Errorf("%s: refused were %v", name, kinds)
		}
	}
}
