package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
)

// text is a Source whose text the test changes.
type text struct {
	mu      sync.Mutex
	content string
}

func (s *text) set(content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content = content
}

func (s *text) Read() (string, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "resilience.json", []byte(s.content), nil
}

func (s *text) Follow(func()) (func(), error) { return func() {}, nil }

func newSource(t testing.TB, content string, options ...resilience.Option) (*text, *resilience.Registry) {
	t.Helper()
	source := &text{content: content}
	registry, err := resilience.New(append(options, resilience.Follow(source), resilience.Logger(nil))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return source, registry
}

func reload(t testing.TB, source *text, registry *resilience.Registry, content string) {
	t.Helper()
	source.set(content)
	if err := registry.Reload(); err != nil {
		t.Fatal(err)
	}
}

func TestT47ReloadKeepsAnOpenBreakerOpen(t *testing.T) {
	cases := []struct {
		name, after string
		ends        time.Duration
	}{
		{"a changed threshold leaves the wait alone", `{"breakers": {"b": {"failureThreshold": 2, "testDelay": "20s"}}}`, 20 * time.Second},
		{"a changed delay is counted from the opening", `{"breakers": {"b": {"failureThreshold": 1, "testDelay": "10s"}}}`, 10 * time.Second},
		{"another breaker's settings change nothing", `{"breakers": {"b": {"failureThreshold": 1, "testDelay": "20s"}, "c": {}}}`, 20 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source, registry := newSource(t, `{"breakers": {"b": {"failureThreshold": 1, "testDelay": "20s"}}}`)
				guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
				do(context.Background(), guard, returns(errDown))
				time.Sleep(5 * time.Second)
				reload(t, source, registry, c.after)
				if got := breakerOf(t, registry, "b").State; got != resilience.Open {
					t.Fatalf("after the reload it is %v", got)
				}
				time.Sleep(c.ends - 5*time.Second - time.Nanosecond)
				if err := do(context.Background(), guard, returns(nil)); !errors.Is(err, resilience.ErrOpen) {
					t.Errorf("just before the end: %v, want ErrOpen", err)
				}
				time.Sleep(time.Nanosecond)
				if err := do(context.Background(), guard, returns(nil)); err != nil {
					t.Errorf("at the end: %v", err)
				}
			})
		})
	}
}

func TestT47ReloadKeepsTheWindow(t *testing.T) {
	source, registry := newSource(t, `{"breakers": {"b": {"failureThreshold": 3}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	do(context.Background(), guard, returns(errDown))
	reload(t, source, registry, `{"breakers": {"b": {"failureThreshold": 2}}}`)
	if got := breakerOf(t, registry, "b"); got.State != resilience.Closed || got.Figures.Failures != 1 {
		t.Fatalf("after the reload: %v with %d failures, want CLOSED with 1", got.State, got.Figures.Failures)
	}
	do(context.Background(), guard, returns(errDown))
	if got := breakerOf(t, registry, "b").State; got != resilience.Open {
		t.Errorf("the second failure under the new threshold of 2 left it %v", got)
	}
}

func TestReloadResizesABulkheadAndTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, registry := newSource(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}}, "timeouts": {"b": {"duration": "1s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b", Timeout: "b"})
		do(context.Background(), guard, func(context.Context) error {
			reload(t, source, registry, `{"bulkheads": {"b": {"maxConcurrentCalls": 2}}, "timeouts": {"b": {"duration": "5s"}}}`)
			began := time.Now()
			err := do(context.Background(), guard, func(ctx context.Context) error { return work(ctx, time.Hour, nil) })
			if !errors.Is(err, resilience.ErrTimeout) || time.Since(began) != 5*time.Second {
				t.Errorf("%v after %v, want ErrTimeout after 5s", err, time.Since(began))
			}
			return nil
		})
	})
}

func TestT30ReloadOfAFaultyFileChangesNothing(t *testing.T) {
	source, registry := newSource(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}}}`)
	newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
	source.set(`{"bulkheads": {"b": {"maxConcurrentCalls": 0}}}`)
	err := registry.Reload()
	if err == nil {
		t.Fatal("no error")
	}
	if got := bulkheadOf(t, registry, "b").MaxConcurrentCalls; got != 1 {
		t.Errorf("the size is %d", got)
	}
	if got := registry.Snapshot().Settings.Fault; got != err.Error() {
		t.Errorf("the snapshot's fault is %q, want %q", got, err)
	}
}

func TestT50ForcedStatesSurviveAReload(t *testing.T) {
	source, registry := newSource(t, `{}`)
	newGuard(t, registry, resilience.Guards{Breaker: "b"})
	b, err := registry.Breaker("b")
	if err != nil {
		t.Fatal(err)
	}
	b.ForceOpen("test")
	reload(t, source, registry, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
	if got := b.State(); got != resilience.ForcedOpen {
		t.Errorf("after the reload it is %v", got)
	}
}

// One goroutine reloads all the time what the others call through.
func TestT48ReloadUnderLoadLosesNoPermitAndClosesNothing(t *testing.T) {
	reloads := 10_000
	if testing.Short() || raceEnabled {
		reloads = 1_000
	}
	source, registry := newSource(t, `{}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b", Timeout: "b"})
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "b"}}, Preload: []resilience.Permits{{Bulkhead: "b", N: 2}}})
	held := newGuard(t, registry, resilience.Guards{Breaker: "held"})
	kept := newGuard(t, registry, resilience.Guards{Breaker: "kept", Bulkhead: "kept"})
	for range 2 {
		do(context.Background(), kept, returns(errDown))
	}
	end := hold(t, context.Background(), newGuard(t, registry, resilience.Guards{Preload: permits("kept", 3)}))
	do(context.Background(), held, func(context.Context) error {
		b, err := registry.Breaker("held")
		if err != nil {
			return err
		}
		b.Trip("test")
		return nil
	})
	ctx, stop := context.WithCancel(context.Background())
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for ctx.Err() == nil {
				callSomehow(random, guard, entry)
				runtime.Gosched() // the reloads have their turn after each call, not after each time slice
			}
		})
	}
	random := rand.New(rand.NewPCG(2, 2))
	for range reloads {
		content, valid := randomSettings(random)
		source.set(content)
		if err := registry.Reload(); (err == nil) != valid {
			t.Fatalf("reload returned %v for\n%s", err, content)
		}
		if err := do(context.Background(), held, returns(nil)); !errors.Is(err, resilience.ErrOpen) {
			t.Fatalf("an open breaker admitted a call after a reload to\n%s", content)
		}
	}
	stop()
	callers.Wait()
	if got := bulkheadOf(t, registry, "b"); got.InUse != 0 || got.ReservedIdle != 0 || got.Available != got.MaxConcurrentCalls {
		t.Errorf("at the end: %+v", got)
	}
	if got := bulkheadOf(t, registry, "kept"); got.ReservedIdle != 3 || got.Available != 22 {
		t.Errorf("what was reserved all the while: %+v", got)
	}
	end(nil)
	if got := breakerOf(t, registry, "kept"); got.Figures.Failures != 2 || got.State != resilience.Closed {
		t.Errorf("what did not change: %+v", got)
	}
	if do(context.Background(), kept, returns(errDown)); breakerOf(t, registry, "kept").State != resilience.Open {
		t.Error("the third failure did not open what did not change")
	}
}

// randomSettings is a file, one in five with a fault.
func randomSettings(random *rand.Rand) (content string, valid bool) {
	strategies := []string{
		`"strategy": "NONE"`,
		`"failureThreshold": LOW, "failureThresholdCapacity": HIGH`,
		`"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": LOW, "successThreshold": HIGH`,
		`"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": HIGH, "slowCallDurationThreshold": "LOWms"`,
		`"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowType": "TIME_BASED", "slidingWindowSize": LOW, "waitDurationInOpenState": "HIGHm"`,
		`"strategy": "PACED_RATE_THRESHOLD", "minimumNumberOfCalls": LOW, "testDelay": "HIGHm"`,
	}
	values := strings.NewReplacer("LOW", strconv.Itoa(1+random.IntN(50)), "HIGH", strconv.Itoa(51+random.IntN(50)))
	size := fmt.Sprint(1 + random.IntN(9))
	if valid = random.IntN(5) > 0; !valid {
		size = []string{"-1", "0", "1.5", `"9"`, "null", `3, "size": 3`, "3]"}[random.IntN(7)]
	}
	strategy := values.Replace(strategies[random.IntN(len(strategies))])
	return fmt.Sprintf(`{
		"breakers": {"b": {%s}, "held": {"failureThreshold": %d, "testDelay": "1h"}},
		"bulkheads": {"b": {"maxConcurrentCalls": %s, "maxWaitDuration": "%dms", "queueCapacity": %d}},
		"timeouts": {"b": {"duration": "%dms"}},
	}`, strategy, 1+random.IntN(5), size, random.IntN(3), random.IntN(4), 1+random.IntN(1000)), valid
}

func callSomehow(random *rand.Rand, guard, entry *resilience.Guard) {
	err := error(nil)
	if random.IntN(20) == 0 {
		err = errDown
	}
	if random.IntN(4) > 0 {
		do(context.Background(), guard, returns(err))
		return
	}
	do(context.Background(), entry, func(ctx context.Context) error {
		do(ctx, guard, returns(err))
		return do(ctx, guard, returns(nil))
	})
}

func TestWatchFollowsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resilience.json")
	write := func(size int) {
		content := fmt.Sprintf(`{"bulkheads": {"b": {"maxConcurrentCalls": %d}}}`, size)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(1)
	reloads := make(chan resilience.Reloaded, 16)
	registry, err := resilience.New(resilience.Watch(path), resilience.Logger(nil),
		resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if reloaded, ok := e.(resilience.Reloaded); ok {
				reloads <- reloaded
			}
		})))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
	write(7)
	deadline := time.After(10 * time.Second)
	for bulkheadOf(t, registry, "b").MaxConcurrentCalls != 7 {
		select {
		case reloaded := <-reloads:
			if len(reloaded.Changed) > 0 && !slices.Equal(reloaded.Changed, []string{"bulkheads.b"}) {
				t.Errorf("changed %v", reloaded.Changed)
			}
		case <-deadline:
			t.Fatal("the new size never came")
		}
	}
}

func TestReloadsAreInForceInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		size, slow := 1, make(chan struct{})
		s := source{
			read: func() ([]byte, error) {
				text := fmt.Appendf(nil, `{"bulkheads": {"b": {"maxConcurrentCalls": %d}}}`, size)
				if size == 2 {
					<-slow
				}
				return text, nil
			},
			follow: func(func()) (func(), error) { return nil, nil },
		}
		registry, err := resilience.New(resilience.Follow(s), resilience.Logger(nil))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		size = 2
		go registry.Reload()
		synctest.Wait()
		size = 3
		go registry.Reload()
		close(slow)
		synctest.Wait()
		if got := bulkheadOf(t, registry, "b").MaxConcurrentCalls; got != 3 {
			t.Errorf("the size is %d, want that of the last reading", got)
		}
	})
}

func TestReloadThatLosesANameInUse(t *testing.T) {
	const before = `{"bulkheads": {"payments": {"maxConcurrentCalls": 200}}, "timeouts": {"payments": {"duration": "1s"}}}`
	const after = `{"bulkheads": {"paymets": {"maxConcurrentCalls": 200}}, "timeouts": {"payments": {"duration": "2s"}}}`
	wire := func(t *testing.T, options ...resilience.Option) (*text, *resilience.Registry) {
		source := &text{content: before}
		registry, err := resilience.New(append(options, resilience.Follow(source), resilience.Logger(nil))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { registry.Close() })
		newGuard(t, registry, resilience.Guards{Bulkhead: "payments", Timeout: "payments"})
		source.set(after)
		return source, registry
	}
	t.Run("is told, with the nearest new name", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var unknown []resilience.UnknownName
			var changed []string
			_, registry := wire(t, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				switch e := e.(type) {
				case resilience.UnknownName:
					unknown = append(unknown, e)
				case resilience.Reloaded:
					changed = e.Changed
				}
			})))
			if err := registry.Reload(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if len(unknown) != 1 || unknown[0].Name != "payments" || unknown[0].Nearest != "paymets" || unknown[0].Section != "bulkheads" {
				t.Errorf("told of %+v", unknown)
			}
			if want := []string{"bulkheads.payments", "timeouts.payments"}; !slices.Equal(changed, want) {
				t.Errorf("changed %v, want %v", changed, want)
			}
		})
	})
	t.Run("is refused with Strict", func(t *testing.T) {
		_, registry := wire(t, resilience.Strict())
		want := `resilience.json: bulkheads has no "payments", the nearest unused is "paymets"`
		if err := registry.Reload(); err == nil || err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
		if got := bulkheadOf(t, registry, "payments").MaxConcurrentCalls; got != 200 {
			t.Errorf("the size is %d, want 200 still", got)
		}
	})
}

func TestWarningsComeWithEachReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		warnings := 0
		source := &text{content: `{}`}
		registry, err := resilience.New(resilience.Follow(source), resilience.Logger(nil),
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if _, ok := e.(resilience.SettingWarning); ok {
					warnings++
				}
			})))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		reload(t, source, registry, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 20}}}`)
		synctest.Wait()
		if warnings != 1 {
			t.Errorf("saw %d warnings, want 1", warnings)
		}
	})
}

func TestCallThatMeetsAReloadBeginsAgain(t *testing.T) {
	source, registry := newSource(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}}, "timeouts": {"b": {"duration": "1h"}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b", Timeout: "b"})
	ctx := &meddling{Context: context.Background(), meddle: func() {
		reload(t, source, registry, `{"bulkheads": {"b": {"maxConcurrentCalls": 2}}, "timeouts": {"b": {"duration": "2h"}}}`)
	}}
	err := do(ctx, guard, func(ctx context.Context) error {
		if got := limitOf(ctx); got != 2*time.Hour {
			t.Errorf("the call has the permit of one file and the limit of the other, %v", got)
		}
		if got := bulkheadOf(t, registry, "b"); got.InUse != 1 {
			t.Errorf("%d permits in use, want 1", got.InUse)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if got := bulkheadOf(t, registry, "b"); got.InUse != 0 || got.Available != 2 {
		t.Errorf("after the call: %+v", got)
	}
	if got := breakerOf(t, registry, "b").Calls; got != 1 {
		t.Errorf("counted %d calls, want 1", got)
	}
}

func TestCallThatBeginsAgainSpendsItsTicketOnce(t *testing.T) {
	source, registry := newSource(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 2}}}`)
	entry := newGuard(t, registry, resilience.Guards{Preload: permits("b", 1)})
	call := newGuard(t, registry, resilience.Guards{Bulkhead: "b", Breaker: "b"})
	stranger := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
	do(t.Context(), entry, func(ctx context.Context) error {
		hold(t, t.Context(), stranger)
		ctx = &meddling{Context: ctx, meddle: func() {
			reload(t, source, registry, `{"breakers": {"b": {"failureThreshold": 1}}, "bulkheads": {"b": {"maxConcurrentCalls": 2}}}`)
		}}
		if err := do(ctx, call, returns(nil)); err != nil {
			t.Error(err)
		}
		return nil
	})
	if got := bulkheadOf(t, registry, "b"); got.UsedFromReservation != 1 || got.Overflow != 0 || got.ReturnedUnused != 0 {
		t.Errorf("the ticket: %+v", got)
	}
}

func TestReloadToAnotherFileSuggestsForAHundredNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := func(prefix string) string {
			names := make([]string, 500)
			for i := range names {
				names[i] = fmt.Sprintf(`"%s%d": {}`, prefix, i)
			}
			return `{"breakers": {` + strings.Join(names, ",") + `}}`
		}
		told, suggested := 0, 0
		source, registry := newSource(t, file("payments-a"), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if unknown, ok := e.(resilience.UnknownName); ok {
				told++
				if unknown.Nearest != "" {
					suggested++
				}
			}
		})))
		for i := range 500 {
			handle(t, registry, fmt.Sprintf("payments-a%d", i))
		}
		reload(t, source, registry, file("payments-b"))
		synctest.Wait()
		if told != 500 || suggested != 100 {
			t.Errorf("%d told, %d with a suggestion", told, suggested)
		}
	})
}

func TestReloadThatChangesNothingInUseLetsBeginningsBe(t *testing.T) {
	source, registry := newSource(t, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}}}`)
	guard := newGuard(t, registry, resilience.Guards{Preload: permits("b", 1)})
	questions := func(meddle func()) int {
		ctx := &meddling{Context: t.Context(), meddle: meddle}
		if err := do(ctx, guard, returns(nil)); err != nil {
			t.Error(err)
		}
		return ctx.questions
	}
	alone := questions(nil)
	beside := questions(func() {
		reload(t, source, registry, `{"bulkheads": {"b": {"maxConcurrentCalls": 1}, "other": {}}}`)
	})
	if beside != alone {
		t.Errorf("the call began again: its context was asked %d times, else %d", beside, alone)
	}
}

// meddling is a context that does something in the middle of the beginning of a
// call: when it is asked for anything after its end, which is the first thing.
type meddling struct {
	context.Context
	questions int
	meddle    func()
}

func (c *meddling) Err() error {
	c.asked()
	return c.Context.Err()
}

func (c *meddling) Deadline() (time.Time, bool) {
	c.asked()
	return c.Context.Deadline()
}

func (c *meddling) Value(key any) any {
	c.asked()
	return c.Context.Value(key)
}

func (c *meddling) asked() {
	c.questions++
	if meddle := c.meddle; meddle != nil && c.questions > 1 {
		c.meddle = nil
		meddle()
	}
}

// limitOf is the whole hours that a context was given.
func limitOf(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline).Round(time.Hour)
}

func TestABulkheadTooSmallForAnEntryIsWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warnings []string
		source, registry := newSource(t, `{"bulkheads": {"a": {"maxConcurrentCalls": 3}, "b": {"maxConcurrentCalls": 4}}}`,
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if warning, ok := e.(resilience.SettingWarning); ok {
					warnings = append(warnings, warning.Text)
				}
			})))
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(want, warnings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			warnings = nil
		}
		entry := resilience.Guards{
			Preload: []resilience.Permits{{Bulkhead: "a", N: 4}},
			Lease:   []resilience.Permits{{Bulkhead: "b", N: 4}},
		}
		newGuard(t, registry, entry)
		expect("resilience.json: bulkheads.a.maxConcurrentCalls: 3 is below the 4 permits that Client.Do reserves: all its calls are refused")
		newGuard(t, registry, entry)
		expect()
		reload(t, source, registry, `{"bulkheads": {"a": {"maxConcurrentCalls": 4}, "b": {"maxConcurrentCalls": 1}}}`)
		expect("resilience.json: bulkheads.b.maxConcurrentCalls: 1 is below the 4 permits that Client.Do reserves: all its calls are refused")
	})
}

func TestAWrapperThatFailsReservesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		warned := false
		source, registry := newSource(t, `{}`, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			_, isWarning := e.(resilience.SettingWarning)
			warned = warned || isWarning
		})))
		wiring := newWiring(registry, "Client")
		wiring.Guard("Do", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "b", N: 5_000_000}}})
		if wiring.Done() == nil {
			t.Fatal("a reservation of five million permits is accepted")
		}
		reload(t, source, registry, `{"timeouts": {}}`)
		synctest.Wait()
		if warned {
			t.Error("a reservation of no wrapper is warned of")
		}
	})
}

func TestACallThatWaitsKeepsAllSettingsThatItBeganWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := func(limit string) string {
			return `{
				"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED", "slowCallDurationThreshold": "` + limit + `"}},
				"bulkheads": {"b": {"maxConcurrentCalls": 1, "maxWaitDuration": "1m"}}
			}`
		}
		source, registry := newSource(t, settings("10s"))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
		take5s := func(context.Context) error {
			time.Sleep(5 * time.Second)
			return nil
		}
		for range 2 {
			go do(t.Context(), guard, take5s)
		}
		synctest.Wait()
		reload(t, source, registry, settings("1s"))
		time.Sleep(time.Minute)
		if got := registry.Snapshot().Breakers[0]; got.Calls != 2 || got.SlowCalls != 0 {
			t.Errorf("of %d calls that began under a threshold of 10s, %d of 5s were slow", got.Calls, got.SlowCalls)
		}
	})
}

func TestFieldF16AUnitThatWasProbablyMistakenIsToldToObservers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if warning, ok := e.(resilience.SettingWarning); ok {
				got = append(got, warning.Text)
			}
		})
		newSource(t, `{"timeouts": {"a": {"duration": 300}}}`, resilience.Observe(observer))
		synctest.Wait()
		want := `resilience.json:1:33: timeouts.a.duration: 300 means 5m, because a number without a unit is seconds; if that was meant, write "5m", else "300ms"`
		if !slices.Equal(got, []string{want}) {
			t.Errorf("warnings %q, want %q", got, want)
		}
	})
}

func TestTheSnapshotCountsReadingsOfTheSettings(t *testing.T) {
	source, registry := newSource(t, `{}`)
	reload(t, source, registry, `{"breakers": {}}`)
	source.set(`{"breakers": 1}`)
	if err := registry.Reload(); err == nil {
		t.Fatal("a file at fault is accepted")
	}
	if got := registry.Snapshot().Settings; got.Accepted != 2 || got.Rejected != 1 || got.Fault == "" {
		t.Errorf("%+v, want two readings accepted and one rejected", got)
	}
}
