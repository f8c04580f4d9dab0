package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// everyGuard are the combinations of guards that a method can have, with the
// name of the one that is asked first.
var everyGuard = map[string]struct {
	guards resilience.Guards
	first  string
}{
	"breaker":                      {resilience.Guards{Breaker: "b"}, "b"},
	"bulkhead":                     {resilience.Guards{Bulkhead: "h"}, "h"},
	"timeout":                      {resilience.Guards{Timeout: "t"}, "t"},
	"breaker and bulkhead":         {resilience.Guards{Breaker: "b", Bulkhead: "h"}, "b"},
	"breaker and timeout":          {resilience.Guards{Breaker: "b", Timeout: "t"}, "b"},
	"bulkhead and timeout":         {resilience.Guards{Bulkhead: "h", Timeout: "t"}, "h"},
	"all three":                    {resilience.Guards{Breaker: "b", Bulkhead: "h", Timeout: "t"}, "b"},
	"gate":                         {resilience.Guards{Check: []resilience.Calls{{Breaker: "b"}}}, "b"},
	"gates and a breaker":          {resilience.Guards{Breaker: "own", Check: []resilience.Calls{{Breaker: "b"}}}, "own"},
	"reservation":                  {resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "h", N: 2}}}, "h"},
	"gate, reservation, timeout":   {resilience.Guards{Check: []resilience.Calls{{Breaker: "b"}}, Lease: []resilience.Permits{{Bulkhead: "h", N: 1}}, Timeout: "t"}, "b"},
	"a breaker that counts slow":   {resilience.Guards{Breaker: "slow"}, "slow"},
	"a breaker with a time window": {resilience.Guards{Breaker: "timed"}, "timed"},
}

const fewSettings = `{
	"breakers": {
		"b": {"failureThreshold": 1, "successThreshold": 2, "testDelay": "1s"}, "own": {}, "none": {"strategy": "NONE"},
		"slow": {"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED", "slowCallDurationThreshold": "1s", "slowCallRateThreshold": 50},
		"timed": {"strategy": "PACED_RATE_THRESHOLD"},
	},
	"bulkheads": {"h": {"maxConcurrentCalls": 2}},
	"timeouts": {"t": {"duration": "1s"}},
}`

// gone are contexts of callers that have gone, with the error of each.
func gone(t *testing.T) map[string]context.Context {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	expired, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Minute))
	t.Cleanup(cancel)
	passed, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	t.Cleanup(cancel)
	<-passed.Done()
	return map[string]context.Context{
		"cancelled": canceled, "past its deadline": expired, "ended by its timer": passed,
		"below a value": context.WithValue(expired, doer{}, 1),
	}
}

// figures are all that a registry counts.
func figures(registry *resilience.Registry) string {
	snapshot := registry.Snapshot()
	snapshot.At = time.Time{}
	for i := range snapshot.Breakers {
		snapshot.Breakers[i].Admits = false // time may change it
	}
	return fmt.Sprintf("%+v", snapshot)
}

func TestFieldF02CallerThatHasGoneReachesNothing(t *testing.T) {
	states := map[string]func(*resilience.Breaker){
		"CLOSED":       func(*resilience.Breaker) {},
		"OPEN":         func(b *resilience.Breaker) { b.Trip("test") },
		"FORCED_OPEN":  func(b *resilience.Breaker) { b.ForceOpen("test") },
		"DISABLED":     func(b *resilience.Breaker) { b.Disable("test") },
		"METRICS_ONLY": func(b *resilience.Breaker) { b.MetricsOnly("test") },
	}
	for name, c := range everyGuard {
		for state, enter := range states {
			t.Run(name+" "+state, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					registry := newRegistry(t, fewSettings)
					guard := newGuard(t, registry, c.guards)
					for _, b := range registry.Snapshot().Breakers {
						enter(handle(t, registry, b.Name))
					}
					before := figures(registry)
					for why, ctx := range gone(t) {
						for range 3 {
							refusedAsGone(t, why, do(ctx, guard, func(context.Context) error {
								t.Errorf("%s: the dependency was called", why)
								return ctx.Err()
							}), ctx, c.first)
						}
					}
					if after := figures(registry); after != before {
						t.Errorf("counted:\n%s\nbefore\n%s", after, before)
					}
				})
			})
		}
	}
}

func refusedAsGone(t *testing.T, why string, err error, ctx context.Context, first string) {
	t.Helper()
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) || refusal.Kind != resilience.KindDone || refusal.Name != first || !errors.Is(err, ctx.Err()) {
		t.Fatalf("%s: got %v, want a refusal of kind done by %s", why, err, first)
	}
	for _, other := range []error{resilience.ErrOpen, resilience.ErrFull, resilience.ErrGate, resilience.ErrTimeout} {
		if errors.Is(err, other) {
			t.Errorf("%s: %v is %v, too", why, err, other)
		}
	}
	if want := "resilience: Client.Do refused: its caller had gone before it began: " + ctx.Err().Error(); err.Error() != want {
		t.Errorf("%s: got %q, want %q", why, err, want)
	}
}

func TestEntryE9CallersThatHaveGoneEndNoStayInHalfOpen(t *testing.T) {
	for name, c := range everyGuard {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry := newRegistry(t, fewSettings)
				guard, trial := newGuard(t, registry, c.guards), newGuard(t, registry, resilience.Guards{Breaker: "b"})
				do(context.Background(), trial, returns(errDown))
				time.Sleep(time.Second)
				if err := do(context.Background(), trial, returns(nil)); err != nil {
					t.Fatal(err)
				}
				for why, ctx := range gone(t) {
					for range 3 {
						refusedAsGone(t, why, do(ctx, guard, returns(ctx.Err())), ctx, c.first)
					}
				}
				if b := breakerOf(t, registry, "b"); b.State != resilience.HalfOpen || b.Calls != 1 || b.Trials != 0 || !b.Admits {
					t.Errorf("after them: %+v", b)
				}
				if do(context.Background(), trial, returns(nil)); breakerOf(t, registry, "b").State != resilience.Closed {
					t.Error("the next good trial did not close the breaker")
				}
			})
		})
	}
}

func TestEntryE9ExpiredDeadlinesLeaveABreakerClosed(t *testing.T) {
	for _, strategy := range []string{"STATIC_THRESHOLD", "CONSECUTIVE_FAILURES", "CANARY_RATE_THRESHOLD", "PACED_RATE_THRESHOLD", "NONE"} {
		registry := newRegistry(t, fmt.Sprintf(`{"breakers": {"b": {"strategy": %q}}}`, strategy))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		handle(t, registry, "b").Reset("test")
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
		defer cancel()
		reached := 0
		for range 200 {
			do(ctx, guard, func(context.Context) error { reached++; return ctx.Err() })
		}
		if b := breakerOf(t, registry, "b"); reached != 0 || b.State != resilience.Closed || b.Calls != 0 {
			t.Errorf("%s: reached the dependency %d times, then %+v", strategy, reached, b)
		}
	}
}

// overdue is a context whose deadline has passed before its timer told.
type overdue struct{ context.Context }

func (overdue) Deadline() (time.Time, bool) { return time.Now(), true }

func TestFieldF02DeadlineThatTheContextHasNotNoticedSparesTrialsAndTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, fewSettings)
		timed := newGuard(t, registry, resilience.Guards{Timeout: "t"})
		trial := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), trial, returns(errDown))
		time.Sleep(time.Second)
		do(context.Background(), trial, returns(nil))
		for _, guard := range []*resilience.Guard{timed, trial} {
			err := do(overdue{context.Background()}, guard, func(context.Context) error { t.Error("called"); return nil })
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(fmt.Sprint(err), "its caller had gone") {
				t.Errorf("got %v", err)
			}
		}
		if b := breakerOf(t, registry, "b"); b.State != resilience.HalfOpen || b.Trials != 0 || b.Calls != 1 {
			t.Errorf("after it: %+v", b)
		}
	})
}

func TestFieldF10EntryOfACallerThatHasGoneDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, fewSettings)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "b"}, {Breaker: "own"}}})
		for why, ctx := range gone(t) {
			refusedAsGone(t, why, do(ctx, entry, func(context.Context) error { t.Errorf("%s: the body ran", why); return nil }), ctx, "b")
		}
		if err := do(context.Background(), entry, returns(nil)); err != nil {
			t.Errorf("an entry whose caller waits: %v", err)
		}
	})
}

func TestFieldF02CallerThatHasGoneSaysWhy(t *testing.T) {
	errShutdown := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errShutdown)
	for name, c := range everyGuard {
		err := do(ctx, newGuard(t, newRegistry(t, fewSettings), c.guards), returns(nil))
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errShutdown) || !strings.Contains(err.Error(), "shutting down") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFieldF02CallWithoutAContextIsMade(t *testing.T) {
	registry := newRegistry(t, fewSettings)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	var none context.Context
	if err := do(none, guard, returns(nil)); err != nil {
		t.Error(err)
	}
}

// panicking is a context of which one method panics.
type panicking struct {
	context.Context
	method string
}

func (p panicking) Err() error { p.check("Err"); return p.Context.Err() }
func (p panicking) Deadline() (time.Time, bool) {
	p.check("Deadline")
	return p.Context.Deadline()
}
func (p panicking) check(method string) {
	if method == p.method {
		panic(method)
	}
}

func TestFieldF02ContextThatPanicsAtTheStartCountsNothing(t *testing.T) {
	for name, c := range everyGuard {
		for _, method := range []string{"Err", "Deadline"} {
			if method == "Deadline" && c.guards.Timeout == "" {
				continue // nobody asks for it
			}
			registry := newRegistry(t, fewSettings)
			guard := newGuard(t, registry, c.guards)
			before := figures(registry)
			func() {
				defer func() {
					if recover() != method {
						t.Errorf("%s: %s did not panic", name, method)
					}
				}()
				do(panicking{context.Background(), method}, guard, func(context.Context) error { t.Error("called"); return nil })
			}()
			if after := figures(registry); after != before {
				t.Errorf("%s, %s: counted:\n%s\nbefore\n%s", name, method, after, before)
			}
		}
	}
}

func TestReservationOfACallThatNeverBeganServedNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mismatches int
		registry := newRegistry(t, fewSettings, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if _, ok := e.(resilience.Mismatch); ok {
				mismatches++
			}
		})))
		entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "h", N: 2}}, Timeout: "t"})
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not reach the caller")
				}
			}()
			do(&brittle{context.Background(), 1}, entry, returns(nil)) // until a context is derived from it
		}()
		synctest.Wait()
		h := bulkheadOf(t, registry, "h")
		if h.Available != 2 || h.ReturnedUnused != 0 || h.Overflow != 0 || mismatches != 0 {
			t.Errorf("%+v, %d mismatches", h, mismatches)
		}
	})
}

// listed are several errors as libraries had them before errors.Join.
type (
	chained  []error           // go-multierror: errors.As comes to one after the other
	wrapped  struct{ chained } // its list
	gathered []error           // multierr before 1.10: errors.As looks into each
)

func (c chained) Error() string      { return c[0].Error() }
func (c chained) As(target any) bool { return errors.As(c[0], target) }
func (c chained) Unwrap() error {
	if len(c) == 1 {
		return nil
	}
	return c[1:]
}
func (w wrapped) Unwrap() error          { return w.chained }
func (w wrapped) WrappedErrors() []error { return w.chained }

func (g gathered) Error() string   { return fmt.Sprint([]error(g)) }
func (g gathered) Errors() []error { return g }
func (g gathered) As(target any) bool {
	for _, err := range g {
		if err != nil && errors.As(err, target) {
			return true
		}
	}
	return false
}

// translated is an error that shows as the refusal which it stands for.
type translated struct{ refusal *resilience.RefusalError }

func (translated) Error() string { return "code = Unavailable" }
func (e translated) As(target any) bool {
	refusal, ok := target.(**resilience.RefusalError)
	if ok {
		*refusal = e.refusal
	}
	return ok
}

// hollow wraps nothing, though it could.
type hollow struct{}

func (hollow) Error() string { return "hollow" }
func (hollow) Unwrap() error { return nil }

func TestFieldF05JoinedFailuresAreExcusedByEveryLeafOnly(t *testing.T) {
	refused := func(kind resilience.Kind) error { return &resilience.RefusalError{Kind: kind, Method: "Cache.Get"} }
	full, open, done := refused(resilience.KindFull), refused(resilience.KindOpen), refused(resilience.KindDone)
	wrap := func(err error) error { return fmt.Errorf("cache: %w", err) }
	var typedNil *resilience.RefusalError
	failures := map[string]error{
		"a failure and a refusal":             errors.Join(errDown, full),
		"a refusal and a failure":             errors.Join(full, errDown),
		"both by %w":                          fmt.Errorf("%w beside %w", errDown, full),
		"wrapped once more":                   wrap(errors.Join(wrap(full), wrap(errDown))),
		"a failure deep inside":               errors.Join(full, wrap(errors.Join(open, wrap(errors.Join(open, errDown))))),
		"a timeout and a refusal":             errors.Join(context.DeadlineExceeded, full),
		"a cancellation and a refusal":        errors.Join(context.Canceled, full),
		"a timeout further in, and a refusal": errors.Join(wrap(resilience.ErrTimeout), full),
		"a caller that had gone":              done,
		"callers that had gone":               errors.Join(done, wrap(done)),
		"a caller that had gone, a failure":   errors.Join(done, errDown),
		"an error that wraps nothing":         errors.Join(hollow{}, full),
		"nothing but text":                    errors.New(full.Error()),
		"a list of go-multierror":             wrapped{chained{errDown, full}},
		"the other way round":                 wrapped{chained{full, errDown}},
		"its chain":                           chained{full, errDown},
		"a list of multierr":                  gathered{errDown, nil, full},
		"a list of nothing":                   gathered{nil},
		"the sentinel of a refusal":           wrap(resilience.ErrFull),
	}
	ignored := map[string]error{
		"a refusal":                             full,
		"a wrapped one":                         wrap(wrap(open)),
		"two refusals":                          errors.Join(full, open),
		"two by %w":                             fmt.Errorf("%w beside %w", open, full),
		"one of Join alone":                     errors.Join(nil, full),
		"refusals in a tree":                    errors.Join(wrap(errors.Join(full, open)), fmt.Errorf("%w %w", full, wrap(open))),
		"a typed nil":                           typedNil,
		"a typed nil and a refusal":             errors.Join(typedNil, full),
		"a refusal, and a caller that left":     errors.Join(full, done),
		"a list of go-multierror with refusals": wrapped{chained{open, full}},
		"a list of multierr with refusals":      wrap(gathered{open, nil, wrap(full)}),
		"a translated refusal":                  wrap(translated{full.(*resilience.RefusalError)}),
	}
	try := func(want int, all map[string]error) {
		for name, err := range all {
			registry := newRegistry(t, `{}`)
			do(context.Background(), newGuard(t, registry, resilience.Guards{Breaker: "b"}), returns(err))
			if got := breakerOf(t, registry, "b").Figures; int(got.Calls) != want || int(got.Failures) != want {
				t.Errorf("%s (%v): counted %d of %d calls as failed, want %d", name, err, got.Failures, got.Calls, want)
			}
		}
	}
	try(1, failures)
	try(0, ignored)
}

func TestEntryE11FailureBesideARefusalCounts(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"cache": {"maxConcurrentCalls": 1}}}`)
	outer := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	cache := newGuard(t, registry, resilience.Guards{Bulkhead: "cache"})
	fanOut := func(others ...error) {
		do(context.Background(), outer, func(ctx context.Context) error {
			return do(ctx, cache, func(ctx context.Context) error {
				return errors.Join(append(others, do(ctx, cache, returns(nil)))...)
			})
		})
	}
	fanOut(do(context.Background(), cache, returns(nil)))
	if b := breakerOf(t, registry, "b"); b.Calls != 0 {
		t.Errorf("two refusals: %+v", b.Figures)
	}
	for range 20 {
		fanOut(errDown)
	}
	if b := breakerOf(t, registry, "b"); b.State != resilience.Open || b.Failures != 3 {
		t.Errorf("failures beside refusals: %v, %+v", b.State, b.Figures)
	}
}

func TestNoSuccessIsSlowWhereSlowMeansNothing(t *testing.T) {
	registry := newRegistry(t, `{}`)
	do(context.Background(), newGuard(t, registry, resilience.Guards{Breaker: "b"}), returns(nil))
	if got := breakerOf(t, registry, "b").Figures; got.Calls != 1 || got.SlowCalls != 0 {
		t.Errorf("counted %+v", got)
	}
}
