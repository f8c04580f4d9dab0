package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// five are settings of each strategy under which p leaves OPEN after two seconds.
var five = map[string]string{
	"STATIC":      `"failureThreshold": 3, "testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 5`,
	"CONSECUTIVE": `"strategy": "CONSECUTIVE_FAILURES", "testDelay": "2s", "successThreshold": 6`,
	"CANARY":      `"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED", "probeInterval": "2s", "minimumNumberOfCalls": 4`,
	"PACED":       `"strategy": "PACED_RATE_THRESHOLD", "testDelay": "2s"`,
	"NONE":        `"strategy": "NONE"`,
}

func withTrials(t *testing.T, breaker string) *resilience.Registry {
	return newRegistry(t, fmt.Sprintf(`{
		"breakers": {"p": {%s}},
		"bulkheads": {"p": {"maxConcurrentCalls": 100}}
	}`, breaker))
}

// buying is an entry that makes calls of p, and the call.
func buying(t *testing.T, registry *resilience.Registry, guards resilience.Guards) (entry, call *resilience.Guard) {
	guards.Check = []resilience.Calls{{Breaker: "p"}}
	return newGuard(t, registry, guards), newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
}

// open opens p, and waits until it would admit calls again.
func open(t *testing.T, registry *resilience.Registry) {
	t.Helper()
	handle(t, registry, "p").Trip("")
	time.Sleep(2 * time.Second)
}

// buy makes n calls one after the other. It returns the first error.
func buy(ctx context.Context, call *resilience.Guard, n int) error {
	for range n {
		if err := do(ctx, call, aMillisecond); err != nil {
			return err
		}
	}
	return nil
}

func TestEntryE1AGateForFourRefusesWhereTwoTrialsAreFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, `"testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 4`)
		entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
		open(t, registry)
		end1, end2 := hold(t, t.Context(), call), hold(t, t.Context(), call)
		err := do(t.Context(), entry, never(t))
		wantGate(t, err, "p")
		if !strings.Contains(err.Error(), "breaker p is HALF_OPEN and has no trials for 4 calls now") {
			t.Errorf("it says %q", err)
		}
		if got := breakerOf(t, registry, "p"); got.Trials != 2 {
			t.Errorf("%d trials are out, want the two of before", got.Trials)
		}
		end1(nil)
		end2(errors.New("down"))
	})
}

func TestEntryE2OfTwoEntriesOneHasAllFourTrials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, `"testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 4`)
		entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
		open(t, registry)
		begun, refused := 0, 0
		var mu sync.Mutex
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				began := false
				err := do(t.Context(), entry, func(ctx context.Context) error {
					began = true
					return buy(ctx, call, 4)
				})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case began && err == nil:
					begun++
				case !began && errors.Is(err, resilience.ErrGate):
					refused++
				default:
					t.Errorf("an entry that began: %t, got %v", began, err)
				}
			})
		}
		both.Wait()
		if begun != 1 || refused != 1 {
			t.Errorf("%d finished and %d were refused, want one each", begun, refused)
		}
		if got := breakerOf(t, registry, "p").State; got != resilience.Closed {
			t.Errorf("after four good trials it is %v", got)
		}
	})
}

func TestEntryE3PacedAdmitsOneEntryAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, five["PACED"])
		entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
		open(t, registry)
		for i := range 2 {
			began := time.Now()
			err := do(t.Context(), entry, func(ctx context.Context) error {
				err := do(t.Context(), entry, never(t))
				var refused *resilience.RefusalError
				if !errors.As(err, &refused) {
					t.Fatalf("the second entry got %v", err)
				}
				if after, known := refused.RetryAfter(); !known || after != 2*time.Second {
					t.Errorf("the second entry may come again in %v, %t; want the pace of 2s", after, known)
				}
				return buy(ctx, call, 4)
			})
			if err != nil {
				t.Fatalf("of entry %d: %v", i, err)
			}
			got := breakerOf(t, registry, "p")
			if i == 1 {
				if got.State != resilience.Closed {
					t.Errorf("after 7 good trials of 10, and one more, it is %v", got.State)
				}
				return
			}
			if got.Calls != 4 || got.Trials != 0 {
				t.Errorf("%d outcomes counted, want all 4; %d trials are out", got.Calls, got.Trials)
			}
			wantGate(t, do(t.Context(), entry, never(t)), "p")
			time.Sleep(time.Until(began.Add(2 * time.Second)))
		}
	})
}

func TestEntryE4UnusedTrialsGoBack(t *testing.T) {
	for name, settings := range five {
		for use, guards := range map[string]resilience.Guards{
			"preload": {Preload: permits("p", 4)}, "lease": {Lease: permits("p", 4)}, "one": {Preload: permits("p", 1)},
		} {
			t.Run(name+"/"+use, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					registry := withTrials(t, settings)
					entry, call := buying(t, registry, guards)
					open(t, registry)
					for range 3 {
						if err := do(t.Context(), entry, returns(nil)); err != nil {
							t.Fatal("the entry that makes no call:", err)
						}
					}
					if got := breakerOf(t, registry, "p"); got.Trials != 0 || got.Calls != 0 {
						t.Errorf("%d trials are out and %d calls counted", got.Trials, got.Calls)
					}
					if err := do(t.Context(), call, returns(nil)); err != nil {
						t.Error("the next call:", err)
					}
				})
			})
		}
	}
}

// recovery lets 50 entries a second come for a minute, of which the dependency
// fails for the first ten seconds. It counts those that began while the breaker was
// not CLOSED, and of these those that it cut off.
func recovery(t *testing.T, settings string, guards resilience.Guards, atOnce bool) (begun, cut, finished int) {
	registry := withTrials(t, settings)
	entry, call := buying(t, registry, guards)
	well := time.Now().Add(10 * time.Second)
	dependency := func(context.Context) error {
		time.Sleep(30 * time.Millisecond)
		if time.Now().Before(well) {
			return errors.New("down")
		}
		return nil
	}
	handle(t, registry, "p").Trip("")
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 50 * 60 {
		all.Go(func() {
			began, errs := false, make([]error, 4)
			do(t.Context(), entry, func(ctx context.Context) error {
				began = breakerOf(t, registry, "p").State != resilience.Closed
				var calls sync.WaitGroup
				for i := range errs {
					if atOnce {
						calls.Go(func() { errs[i] = do(ctx, call, dependency) })
					} else {
						errs[i] = do(ctx, call, dependency)
					}
				}
				calls.Wait()
				return errors.Join(errs...)
			})
			mu.Lock()
			defer mu.Unlock()
			if !began {
				return
			}
			begun++
			switch err := errors.Join(errs...); {
			case errors.Is(err, resilience.ErrOpen):
				cut++
			case err == nil:
				finished++
			}
		})
		time.Sleep(20 * time.Millisecond)
	}
	all.Wait()
	if got := breakerOf(t, registry, "p"); got.State != resilience.Closed || got.Trials != 0 {
		t.Errorf("at the end the breaker is %v, with %d trials out", got.State, got.Trials)
	}
	return begun, cut, finished
}

func TestEntryE5NoEntryIsCutOffWhileABreakerRecovers(t *testing.T) {
	for name, settings := range five {
		for use, guards := range map[string]resilience.Guards{"preload": {Preload: permits("p", 4)}, "lease": {Lease: permits("p", 2)}} {
			for way, atOnce := range map[string]bool{"in turn": false, "at once": true} {
				t.Run(name+"/"+use+"/"+way, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						begun, cut, finished := recovery(t, settings, guards, atOnce)
						if cut > 0 || begun == 0 || finished == 0 {
							t.Errorf("of %d that began, %d were cut off and %d finished", begun, cut, finished)
						}
					})
				})
			}
		}
	}
}

func TestEntryE6APanicGivesTrialsAndPermitsBack(t *testing.T) {
	for name, settings := range five {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := withTrials(t, settings)
				entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 3)})
				open(t, registry)
				func() {
					defer func() { recover() }()
					do(t.Context(), entry, func(context.Context) error { panic("of the body") })
				}()
				if got := breakerOf(t, registry, "p"); got.Trials != 0 {
					t.Errorf("%d trials are out", got.Trials)
				}
				if got := bulkheadOf(t, registry, "p"); got.Available != 100 {
					t.Errorf("%d permits are free, want all 100", got.Available)
				}
				if err := do(t.Context(), call, returns(nil)); err != nil {
					t.Error("the next call:", err)
				}
			})
		})
	}
}

func TestEntryE7ANestedEntryUsesTheTrialsOfTheOuterOne(t *testing.T) {
	for name, settings := range five {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := withTrials(t, settings)
				outer, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
				inner, _ := buying(t, registry, resilience.Guards{Preload: permits("p", 2)})
				open(t, registry)
				err := do(t.Context(), outer, func(ctx context.Context) error {
					if err := do(ctx, call, returns(nil)); err != nil {
						return err
					}
					err := do(ctx, inner, func(ctx context.Context) error { return buy(ctx, call, 2) })
					if err != nil {
						return err
					}
					return do(ctx, call, returns(nil))
				})
				if err != nil {
					t.Error(err)
				}
				if got := breakerOf(t, registry, "p"); got.Trials != 0 {
					t.Errorf("%d trials are out", got.Trials)
				}
			})
		})
	}
}

// The calls of an entry whose breaker opens meanwhile run to their end, unless
// somebody forces it open.
func TestAnEntryOnTrialIsCutOffByHandOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, `"testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 4`)
		entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
		open(t, registry)
		do(t.Context(), entry, func(ctx context.Context) error {
			do(ctx, call, returns(errors.New("down")))
			if got := breakerOf(t, registry, "p").State; got != resilience.Open {
				t.Fatalf("after a failed trial it is %v", got)
			}
			if err := do(ctx, call, returns(nil)); err != nil {
				t.Errorf("the second call got %v", err)
			}
			handle(t, registry, "p").ForceOpen("me")
			if err := do(ctx, call, never(t)); !errors.Is(err, resilience.ErrOpen) {
				t.Errorf("the third call got %v, want ErrOpen", err)
			}
			return nil
		})
	})
}

// An entry that waits for permits holds no trial meanwhile, and begins on those that
// are free then.
func TestAnEntryTakesItsTrialsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{
			"breakers": {"p": {"testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 4}},
			"bulkheads": {"p": {"maxConcurrentCalls": 4, "maxWaitDuration": "10s"}}
		}`)
		entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
		inPool := newGuard(t, registry, resilience.Guards{Bulkhead: "p"})
		open(t, registry)
		end := hold(t, t.Context(), inPool)
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if err := do(t.Context(), entry, func(ctx context.Context) error { return buy(ctx, call, 4) }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if got := breakerOf(t, registry, "p"); got.State != resilience.Open || got.Trials != 0 {
			t.Errorf("while the entry waits the breaker is %v with %d trials out", got.State, got.Trials)
		}
		end(nil)
		waiting.Wait()
	})
}

// Nobody knows which instances the calls under an entry will reach.
func TestAnEntryReservesNoTrialsOfInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, `"testDelay": "2s", "successThreshold": 4, "successThresholdCapacity": 4`)
		entry, _ := buying(t, registry, resilience.Guards{Preload: permits("p", 4)})
		byTenant := newGuard(t, registry, resilience.Guards{Breaker: "p", BreakerBy: "tenant"})
		if err := do(t.Context(), byTenant.For("a"), returns(nil)); err != nil {
			t.Fatal(err)
		}
		handle(t, registry, "p/a").Trip("")
		open(t, registry)
		err := do(t.Context(), entry, func(context.Context) error {
			for _, name := range []string{"p", "p/a"} {
				if got := breakerOf(t, registry, name); got.State != resilience.Open || got.Trials != 0 {
					t.Errorf("%s is %v, and %d of its trials are out", name, got.State, got.Trials)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestTrialsReachAContextThatIsNotDerived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := withTrials(t, five["PACED"])
		entry, call := buying(t, registry, resilience.Guards{Preload: permits("p", 2)})
		open(t, registry)
		err := do(t.Context(), entry, func(ctx context.Context) error {
			reservation, _ := resilience.ReservationFrom(ctx)
			return buy(reservation.Attach(t.Context()), call, 2)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Random entries of all strategies, nested ones too, that fail, panic and are
// cancelled while settings change, leave no trial and no permit behind. A breaker cuts
// off none that began on a trial.
func TestEntryE15RandomEntriesLeaveNothingBehind(t *testing.T) {
	entries := 10_000
	if testing.Short() {
		entries = 1000
	}
	for name, settings := range five {
		settings = strings.ReplaceAll(settings, "2s", "30ms") // so that it is seldom OPEN
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := func(size int) string {
					return fmt.Sprintf(`{"breakers": {"p": {%s}}, "bulkheads": {"p": {"maxConcurrentCalls": %d, "maxWaitDuration": "20ms"}}}`, settings, size)
				}
				source, registry := newSource(t, file(20))
				var guards []*resilience.Guard
				for _, g := range []resilience.Guards{{Preload: permits("p", 1)}, {Preload: permits("p", 3)}, {Lease: permits("p", 2)}, {}} {
					g.Check = []resilience.Calls{{Breaker: "p"}}
					guards = append(guards, newGuard(t, registry, g))
				}
				call := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
				numbers := rand.New(rand.NewPCG(1, 2))
				var onTrial atomic.Int64
				var all sync.WaitGroup
				for i := range entries / len(five) {
					r := random{t, rand.New(rand.NewPCG(3, uint64(i))), guards, call, registry, &onTrial}
					all.Go(func() { r.enter(t.Context(), 0) })
					time.Sleep(time.Duration(numbers.IntN(10)) * time.Millisecond)
					switch numbers.IntN(100) {
					case 0:
						handle(t, registry, "p").Trip("")
					case 1:
						reload(t, source, registry, file(10+numbers.IntN(20)))
					}
				}
				all.Wait()
				if onTrial.Load() == 0 {
					t.Error("no entry began on a trial")
				}
				reload(t, source, registry, file(20))
				b, h := breakerOf(t, registry, "p"), bulkheadOf(t, registry, "p")
				if b.Trials != 0 || h.Available != 20 || h.InUse != 0 || h.ReservedIdle != 0 || h.Waiting != 0 {
					t.Errorf("at the end: %+v\n%+v", b, h)
				}
			})
		})
	}
}

// random is one entry and what is under it.
type random struct {
	t *testing.T
	*rand.Rand
	guards   []*resilience.Guard
	call     *resilience.Guard
	registry *resilience.Registry
	onTrial  *atomic.Int64
}

func (r random) enter(ctx context.Context, depth int) {
	defer func() { recover() }()
	if r.IntN(8) == 0 {
		short, cancel := context.WithTimeout(ctx, time.Duration(1+r.IntN(30))*time.Millisecond)
		defer cancel()
		ctx = short
	}
	which := r.IntN(len(r.guards))
	do(ctx, r.guards[which], func(ctx context.Context) error {
		onTrial := which < 2 && breakerOf(r.t, r.registry, "p").State == resilience.HalfOpen
		if onTrial {
			r.onTrial.Add(1)
		}
		for range []int{1, 3, 2, 2}[which] {
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			switch {
			case r.IntN(6) == 0 && depth < 2:
				r.enter(ctx, depth+1)
				onTrial = false // the inner one may have used them
				continue
			case r.IntN(40) == 0:
				panic("of a body")
			}
			err := do(ctx, r.call, func(context.Context) error {
				time.Sleep(time.Duration(r.IntN(40)) * time.Millisecond)
				if r.IntN(5) == 0 {
					return errors.New("down")
				}
				return nil
			})
			if onTrial && errors.Is(err, resilience.ErrOpen) && !errors.Is(err, resilience.ErrGate) {
				r.t.Errorf("an entry that began on trials was cut off: %v", err)
			}
		}
		return nil
	})
}
