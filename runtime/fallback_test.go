package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
)

// prices fall back on a function, and the cached ones on nothing.
//
//resilience:breaker
//resilience:bulkhead
//resilience:timeout
type prices interface {
	//resilience:fallback with=answer
	Price(ctx context.Context, sku string) (cents int, err error)

	// Listed falls back on a method with a breaker of its own.
	//
	//resilience:fallback with=Cached
	Listed(ctx context.Context, sku string) (cents int, err error)

	//resilience:breaker cache
	//resilience:none bulkhead timeout
	Cached(ctx context.Context, sku string) (cents int, err error)

	//resilience:breaker retried
	//resilience:none timeout
	//resilience:retry
	//resilience:fallback retried with=answer
	Retried(ctx context.Context, sku string) (cents int, err error)

	//resilience:breaker judged classify=judgePrice
	//resilience:fallback with=answer
	Judged(ctx context.Context, sku string) (cents int, err error)
}

// silent returns no errors.
//
//resilience:breaker silent classify=judgeReply
//resilience:bulkhead
//resilience:timeout
type silent interface {
	//resilience:fallback with=noReply
	Ask(ctx context.Context) *reply

	//resilience:retry
	//resilience:fallback with=noReply
	AskAgain(ctx context.Context) *reply
}

// market is an entry that falls back.
type market interface {
	//resilience:anticipate check=prices preload=prices:2
	//resilience:fallback with=answer
	Buy(ctx context.Context, sku string) (cents int, err error)
}

// reply has its error inside.
type reply struct{ err error }

var (
	errNoPrice  = errors.New("no such price")
	errQuota    = errors.New("asked too often")
	errFallback = errors.New("the fallback can't help")
)

// judgePrice takes a negative price for a failure.
func judgePrice(cents int, err error) resilience.Outcome {
	switch {
	case err == errNoPrice, err == nil && cents >= 0:
		return resilience.Success
	case err == errQuota:
		return resilience.Ignored
	}
	return resilience.Failure
}

func judgeReply(r *reply) resilience.Outcome {
	if r.err != nil {
		return resilience.Failure
	}
	return resilience.Success
}

// clerk is what a fallback does, and what it was asked. The context carries it.
type clerk struct {
	do    func(ctx context.Context, err error) (int, error) // nil: the answer is 99
	asked []error
}

type clerkKey struct{}

func (c *clerk) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, clerkKey{}, c)
}

// answer is the fallback: it does what the clerk in the context does.
func answer(ctx context.Context, _ string, err error) (int, error) {
	c := ctx.Value(clerkKey{}).(*clerk)
	c.asked = append(c.asked, err)
	if c.do == nil {
		return 99, nil
	}
	return c.do(ctx, err)
}

func noReply(ctx context.Context, err error) *reply {
	answer(ctx, "", err)
	return &reply{err}
}

// shelf is a client whose calls all end alike.
type shelf struct {
	do     func(ctx context.Context) (int, error)
	calls  int
	cached error
}

func (s *shelf) Price(ctx context.Context, _ string) (int, error) {
	s.calls++
	return s.do(ctx)
}

func (s *shelf) Retried(ctx context.Context, sku string) (int, error) { return s.Price(ctx, sku) }

func (s *shelf) Listed(ctx context.Context, sku string) (int, error) { return s.Price(ctx, sku) }
func (s *shelf) Judged(ctx context.Context, sku string) (int, error) { return s.Price(ctx, sku) }
func (s *shelf) Buy(ctx context.Context, sku string) (int, error)    { return s.Price(ctx, sku) }
func (s *shelf) Cached(context.Context, string) (int, error)         { return 88, s.cached }

func (s *shelf) AskAgain(ctx context.Context) *reply { return s.Ask(ctx) }

func (s *shelf) Ask(ctx context.Context) *reply {
	_, err := s.Price(ctx, "")
	return &reply{err}
}

// ends is a client whose calls return at once.
func ends(cents int, err error) *shelf {
	return &shelf{do: func(context.Context) (int, error) { return cents, err }}
}

// answersAfter is a client that heeds its context and else answers after d.
func answersAfter(d time.Duration) *shelf {
	return &shelf{do: func(ctx context.Context) (int, error) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(d):
			return 7, nil
		}
	}}
}

// tenders are settings under which a wrapper of prices is tried.
const tenders = `{"breakers": {"prices": {"failureThreshold": 9}}, "bulkheads": {"prices": {"maxConcurrentCalls": 1}},
	"timeouts": {"prices": {"duration": "100ms"}, "silent": {"duration": "100ms"}}`

// pricesOf wraps a client, with settings besides tenders.
func pricesOf(t testing.TB, next prices, more string, options ...resilience.Option) (*resilience.Registry, prices) {
	t.Helper()
	registry := newRegistry(t, tenders+more+`}`, options...)
	wrapper, err := newResilientPrices(next, registry)
	if err != nil {
		t.Fatal(err)
	}
	return registry, wrapper
}

// got fails unless a call ended so.
func got(t *testing.T, cents int, err error, wantCents int, wantErr error) {
	t.Helper()
	if cents != wantCents || err != wantErr {
		t.Errorf("got %d, %v, want %d, %v", cents, err, wantCents, wantErr)
	}
}

// fellBack are the figures of a method, by name of the fallback; zero if it has none.
func fellBack(registry *resilience.Registry, method string) resilience.FallbackFigures {
	for _, f := range registry.Snapshot().Fallbacks {
		for _, m := range f.Methods {
			if strings.HasSuffix(m.Method, "."+method) {
				m.Method = ""
				return m
			}
		}
	}
	return resilience.FallbackFigures{}
}

func fellBackAs(t *testing.T, registry *resilience.Registry, method string, want resilience.FallbackFigures) {
	t.Helper()
	if diff := cmp.Diff(want, fellBack(registry, method)); diff != "" {
		t.Errorf("fallbacks of %s (-want +got):\n%s", method, diff)
	}
}

// atRest fails if a permit of a bulkhead is still out.
func atRest(t *testing.T, registry *resilience.Registry) {
	t.Helper()
	for _, b := range registry.Snapshot().Bulkheads {
		if b.Available != b.MaxConcurrentCalls {
			t.Errorf("bulkhead %s has %d of %d permits", b.Name, b.Available, b.MaxConcurrentCalls)
		}
	}
}

func TestFallbackF1ASuccessIsAnsweredByTheClient(t *testing.T) {
	registry, wrapper := pricesOf(t, ends(7, nil), "")
	c := new(clerk)
	cents, err := wrapper.Price(c.in(t.Context()), "tea")
	got(t, cents, err, 7, nil)
	if len(c.asked) > 0 {
		t.Error("the fallback was asked")
	}
	fellBackAs(t, registry, "Price", resilience.FallbackFigures{})
	if raceEnabled {
		return
	}
	registry = newRegistry(t, `{}`)
	unbounded, _ := newResilientPrices(ends(7, nil), registry)
	if n := testing.AllocsPerRun(100, func() { unbounded.Price(context.Background(), "tea") }); n > 0 {
		t.Errorf("a call that succeeds allocates %v times", n)
	}
}

func TestFallbackF2AFailureIsAnsweredAndCountsAsOne(t *testing.T) {
	registry, wrapper := pricesOf(t, ends(0, errDown), "")
	c := new(clerk)
	cents, err := wrapper.Price(c.in(t.Context()), "tea")
	got(t, cents, err, 99, nil)
	if !slices.Equal(c.asked, []error{errDown}) {
		t.Errorf("the fallback got %v, not the very error of the client", c.asked)
	}
	if b := breakerOf(t, registry, "prices"); b.Failures != 1 || b.Calls != 1 {
		t.Errorf("the breaker has %d failures of %d calls", b.Failures, b.Calls)
	}
	fellBackAs(t, registry, "Price", resilience.FallbackFigures{Failure: 1})
}

func TestFallbackF3ARefusalByTheBreakerIsAnswered(t *testing.T) {
	next := ends(7, nil)
	registry, wrapper := pricesOf(t, next, "")
	handle, _ := registry.Breaker("prices")
	handle.ForceOpen("test")
	c := new(clerk)
	cents, err := wrapper.Price(c.in(t.Context()), "tea")
	got(t, cents, err, 99, nil)
	if next.calls > 0 || len(c.asked) != 1 || !errors.Is(c.asked[0], resilience.ErrOpen) {
		t.Errorf("%d calls, the fallback got %v", next.calls, c.asked)
	}
	if b := breakerOf(t, registry, "prices"); b.Refused != 1 || b.Failures != 0 {
		t.Errorf("the breaker has %d refused, %d failures", b.Refused, b.Failures)
	}
	fellBackAs(t, registry, "Price", resilience.FallbackFigures{Refused: 1})
	handle.Reset("test")
	handle.Trip("test")
	wrapper.Price(c.in(t.Context()), "tea")
	if wait, known := c.asked[1].(*resilience.RefusalError).RetryAfter(); !known || wait <= 0 {
		t.Errorf("the fallback is not told when another try makes sense: %v, %v", wait, known)
	}
}

func TestFallbackF4NoPermitIsHeldWhileTheFallbackRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, wrapper := pricesOf(t, answersAfter(50*time.Millisecond), "")
		available := func() int { return bulkheadOf(t, registry, "prices").Available }
		c := &clerk{do: func(context.Context, error) (int, error) { return available(), nil }}
		go wrapper.Price(t.Context(), "tea")
		synctest.Wait()
		inUse, err := wrapper.Price(c.in(t.Context()), "tea")
		got(t, inUse, err, 0, nil)
		if !errors.Is(c.asked[0], resilience.ErrFull) {
			t.Errorf("the fallback got %v", c.asked)
		}
		time.Sleep(time.Second)
		registry, failing := pricesOf(t, ends(0, errDown), "")
		free, err := failing.Price(c.in(t.Context()), "tea")
		got(t, free, err, 1, nil)
		fellBackAs(t, registry, "Price", resilience.FallbackFigures{Failure: 1})
	})
}

func TestFallbackF5ATimeoutIsAnsweredWithTheCallersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, wrapper := pricesOf(t, answersAfter(200*time.Millisecond), "")
		c := &clerk{do: func(ctx context.Context, _ error) (int, error) {
			if deadline, bounded := ctx.Deadline(); ctx.Err() != nil || !bounded || time.Until(deadline) != 900*time.Millisecond {
				t.Errorf("the fallback's context: %v, %v left", ctx.Err(), time.Until(deadline))
			}
			return 99, nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		cents, err := wrapper.Price(c.in(ctx), "tea")
		got(t, cents, err, 99, nil)
		if took := time.Since(began); took != 100*time.Millisecond || !errors.Is(c.asked[0], resilience.ErrTimeout) {
			t.Errorf("after %v with %v", took, c.asked)
		}
		fellBackAs(t, registry, "Price", resilience.FallbackFigures{Timeout: 1})
	})
}

func TestFallbackF6NobodyIsAnsweredWhoHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, wrapper := pricesOf(t, answersAfter(200*time.Millisecond), "")
		c := new(clerk)
		cancelled, cancel := context.WithCancel(c.in(t.Context()))
		time.AfterFunc(50*time.Millisecond, cancel)
		cents, err := wrapper.Price(cancelled, "tea")
		got(t, cents, err, 0, context.Canceled)
		_, err = wrapper.Price(cancelled, "tea") // which does not begin
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		late, cancel := context.WithTimeout(c.in(t.Context()), 50*time.Millisecond)
		defer cancel()
		cents, err = wrapper.Price(late, "tea")
		got(t, cents, err, 0, context.DeadlineExceeded)
		if len(c.asked) > 0 {
			t.Errorf("the fallback got %v", c.asked)
		}
		fellBackAs(t, registry, "Price", resilience.FallbackFigures{})
	})
}

func TestFallbackF7AnAnswerThatClassifyAcceptsIsReturned(t *testing.T) {
	c := new(clerk)
	for _, err := range []error{errNoPrice, errQuota} {
		registry, wrapper := pricesOf(t, ends(0, err), "")
		cents, gotErr := wrapper.Judged(c.in(t.Context()), "tea")
		got(t, cents, gotErr, 0, err)
		fellBackAs(t, registry, "Judged", resilience.FallbackFigures{})
	}
	if len(c.asked) > 0 {
		t.Errorf("the fallback got %v", c.asked)
	}
}

func TestFallbackF8TheFallbacksOwnErrorIsReturned(t *testing.T) {
	_, wrapper := pricesOf(t, ends(0, errDown), "")
	c := &clerk{do: func(context.Context, error) (int, error) { return 5, errFallback }}
	cents, err := wrapper.Price(c.in(t.Context()), "tea")
	got(t, cents, err, 5, errFallback)
}

func TestFallbackF9AFallbackThatCantHelpReturnsTheErrorThatItGot(t *testing.T) {
	registry, wrapper := pricesOf(t, ends(0, errDown), "")
	c := &clerk{do: func(_ context.Context, err error) (int, error) { return 0, err }}
	cents, err := wrapper.Price(c.in(t.Context()), "tea")
	got(t, cents, err, 0, errDown)
	handle, _ := registry.Breaker("prices")
	handle.ForceOpen("test")
	_, err = wrapper.Price(c.in(t.Context()), "tea")
	if err != c.asked[1] || !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("got %v", err)
	}
}

func TestFallbackF10APanicGoesOn(t *testing.T) {
	breaks := func() (int, error) { panic("broken") }
	calling := func(wrapper prices, c *clerk) (recovered any) {
		defer func() { recovered = recover() }()
		wrapper.Price(c.in(t.Context()), "tea")
		return nil
	}
	c := new(clerk)
	registry, wrapper := pricesOf(t, &shelf{do: func(context.Context) (int, error) { return breaks() }}, "")
	if got := calling(wrapper, c); got != "broken" || len(c.asked) > 0 {
		t.Errorf("in the client: %v, the fallback got %v", got, c.asked)
	}
	if b := breakerOf(t, registry, "prices"); b.Failures != 1 {
		t.Errorf("a panic of the client is %d failures", b.Failures)
	}
	atRest(t, registry)

	c.do = func(context.Context, error) (int, error) { return breaks() }
	registry, wrapper = pricesOf(t, ends(0, errDown), "")
	if got := calling(wrapper, c); got != "broken" {
		t.Errorf("in the fallback: %v", got)
	}
	if b := breakerOf(t, registry, "prices"); b.Failures != 1 || b.Calls != 1 {
		t.Errorf("a call that failed and a panic of its fallback are %d failures of %d calls", b.Failures, b.Calls)
	}
	atRest(t, registry)
}

// threeAttempts are settings of a method that fails after 10 ms each time.
const threeAttempts = `, "retries": {"prices": {"maxAttempts": 3, "initialDelay": "50ms", "jitter": 0}}`

// failsAfter is a client that heeds its context and else fails after d.
func failsAfter(d time.Duration) *shelf {
	late := answersAfter(d)
	return &shelf{do: func(ctx context.Context) (int, error) {
		if _, err := late.do(ctx); err != nil {
			return 0, err
		}
		return 0, errDown
	}}
}

func TestFallbackF11RetriesComeBeforeTheFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, c := failsAfter(10*time.Millisecond), new(clerk)
		registry, wrapper := pricesOf(t, next, threeAttempts)
		began := time.Now()
		cents, err := wrapper.Retried(c.in(t.Context()), "tea")
		got(t, cents, err, 99, nil)
		if took := time.Since(began); took != 180*time.Millisecond || next.calls != 3 || !slices.Equal(c.asked, []error{errDown}) {
			t.Errorf("%d attempts in %v, the fallback got %v", next.calls, took, c.asked)
		}
		if b := breakerOf(t, registry, "retried"); b.Failures != 3 || b.Calls != 3 {
			t.Errorf("the breaker has %d failures of %d calls", b.Failures, b.Calls)
		}
		fellBackAs(t, registry, "Retried", resilience.FallbackFigures{Failure: 1})
	})
}

func TestWhateverEndsARetryTheFallbackGetsTheErrorOfTheCall(t *testing.T) {
	for name, c := range map[string]struct {
		more    string
		prepare func(cancel func(), b *resilience.Breaker)
		asked   bool
		err     error
		want    resilience.FallbackFigures
	}{
		"its breaker is open": {"", func(_ func(), b *resilience.Breaker) { b.ForceOpen("test") }, true, resilience.ErrOpen, resilience.FallbackFigures{Refused: 1}},
		"it opens in a pause": {"", func(_ func(), b *resilience.Breaker) {
			time.AfterFunc(30*time.Millisecond, func() { b.ForceOpen("test") })
		}, true, errDown, resilience.FallbackFigures{Failure: 1}},
		"its caller goes in a pause": {"", func(cancel func(), _ *resilience.Breaker) { time.AfterFunc(30*time.Millisecond, cancel) },
			false, errDown, resilience.FallbackFigures{}},
		"settings": {`, "fallbacks": {"retried": {"on": "REFUSALS"}}`, func(func(), *resilience.Breaker) {}, false, errDown, resilience.FallbackFigures{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			registry, wrapper := pricesOf(t, failsAfter(10*time.Millisecond), threeAttempts+c.more)
			defer registry.Close()
			b, _ := registry.Breaker("retried")
			asked := new(clerk)
			ctx, cancel := context.WithCancel(asked.in(t.Context()))
			defer cancel()
			c.prepare(cancel, b)
			cents, err := wrapper.Retried(ctx, "tea")
			if c.asked {
				got(t, cents, err, 99, nil)
				err = errors.Join(asked.asked...)
			}
			if len(asked.asked) > 0 != c.asked || !errors.Is(err, c.err) {
				t.Errorf("%s: %d, %v, the fallback got %v", name, cents, err, asked.asked)
			}
			fellBackAs(t, registry, "Retried", c.want)
		})
	}
}

// The time for all attempts is the method's own: its caller is there, and answered.
func TestTheEndOfAllAttemptsIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(clerk)
		registry, wrapper := pricesOf(t, answersAfter(time.Second), `, "retries": {"prices": {"maxDuration": "30ms"}}`)
		cents, err := wrapper.Retried(c.in(t.Context()), "tea")
		got(t, cents, err, 99, nil)
		fellBackAs(t, registry, "Retried", resilience.FallbackFigures{Timeout: 1})
	})
}

func TestFallbackF12SettingsNarrowWhatIsAnswered(t *testing.T) {
	const refused, timeout, failure = "refused", "timeout", "failure"
	for settings, answered := range map[string][]string{
		`{}`:                 {refused, timeout, failure},
		`{"on": "ANY"}`:      {refused, timeout, failure},
		`{"on": "REFUSALS"}`: {refused},
		`{"on": "TIMEOUTS"}`: {timeout},
		`{"enabled": false}`: {},
	} {
		synctest.Test(t, func(t *testing.T) {
			next := ends(0, errDown)
			registry, wrapper := pricesOf(t, next, `, "fallbacks": {"prices": `+settings+`}`)
			handle, _ := registry.Breaker("prices")
			for _, how := range []string{failure, timeout, refused} {
				switch how {
				case timeout:
					next.do = answersAfter(200 * time.Millisecond).do
				case refused:
					handle.ForceOpen("test")
				}
				c := new(clerk)
				cents, err := wrapper.Price(c.in(t.Context()), "tea")
				if fell := cents == 99 && err == nil; fell != slices.Contains(answered, how) || !fell && err == nil {
					t.Errorf("%s: %s: %d, %v", settings, how, cents, err)
				}
			}
			registry.Close()
		})
	}
}

func TestFallbackF13AReloadHoldsForTheNextError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &changing{text: tenders + `}`}
		registry, err := resilience.New(resilience.Follow(source), resilience.Logger(nil))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		wrapper, err := newResilientPrices(ends(0, errDown), registry)
		if err != nil {
			t.Fatal(err)
		}
		c := &clerk{do: func(context.Context, error) (int, error) {
			time.Sleep(time.Second)
			return 99, nil
		}}
		running := make(chan int)
		go func() {
			cents, _ := wrapper.Price(c.in(t.Context()), "tea")
			running <- cents
		}()
		synctest.Wait()
		source.text = tenders + `, "fallbacks": {"prices": {"enabled": false}}}`
		if err := registry.Reload(); err != nil {
			t.Fatal(err)
		}
		cents, err := wrapper.Price(c.in(t.Context()), "tea")
		got(t, cents, err, 0, errDown)
		if cents := <-running; cents != 99 {
			t.Errorf("the fallback that ran returned %d", cents)
		}
		if f := registry.Snapshot().Fallbacks; len(f) != 2 || f[0].Enabled || f[0].On != "ANY" || f[0].Name != "prices" {
			t.Errorf("the snapshot has %+v", f)
		}
	})
}

func TestFallbackF16AMethodAnswersBehindItsOwnGuards(t *testing.T) {
	next := ends(0, errDown)
	registry, wrapper := pricesOf(t, next, "")
	cents, err := wrapper.Listed(t.Context(), "tea")
	got(t, cents, err, 88, nil)
	handle, _ := registry.Breaker("cache")
	handle.ForceOpen("test")
	_, err = wrapper.Listed(t.Context(), "tea")
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) || refusal.Name != "cache" || !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("got %v", err)
	}
	fellBackAs(t, registry, "Listed", resilience.FallbackFigures{Failure: 2})
}

func TestFallbackF17AnEntryThatIsRefusedIsAnswered(t *testing.T) {
	next := ends(7, nil)
	registry := newRegistry(t, `{}`)
	wrapper, err := newResilientMarket(next, registry)
	if err != nil {
		t.Fatal(err)
	}
	handle, _ := registry.Breaker("prices")
	handle.ForceOpen("test")
	c := new(clerk)
	cents, err := wrapper.Buy(c.in(t.Context()), "tea")
	got(t, cents, err, 99, nil)
	if next.calls > 0 || !errors.Is(c.asked[0], resilience.ErrGate) || bulkheadOf(t, registry, "prices").Reserved > 0 {
		t.Errorf("%d calls, the fallback got %v, %d permits were reserved", next.calls, c.asked, bulkheadOf(t, registry, "prices").Reserved)
	}
	fellBackAs(t, registry, "Buy", resilience.FallbackFigures{Refused: 1})
	handle.Reset("test")

	// One whose body fails has given its permits back, and its context goes on.
	next.do = func(context.Context) (int, error) { return 0, errDown }
	c.do = func(ctx context.Context, _ error) (int, error) {
		return bulkheadOf(t, registry, "prices").ReservedIdle, ctx.Err()
	}
	idle, err := wrapper.Buy(c.in(t.Context()), "tea")
	got(t, idle, err, 0, nil)
}

// An entry goes on where a fallback answers for a call under it.
func TestARefusalThatIsAnsweredCutsNoEntryOff(t *testing.T) {
	for settings, cutOff := range map[string]int{`{}`: 0, `{"enabled": false}`: 1, `{"on": "TIMEOUTS"}`: 1} {
		registry, wrapper := pricesOf(t, ends(7, nil), `, "fallbacks": {"prices": `+settings+`}`)
		entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "cache"}}})
		handle, _ := registry.Breaker("prices")
		handle.ForceOpen("test")
		do(new(clerk).in(t.Context()), entry, func(ctx context.Context) error {
			_, err := wrapper.Price(ctx, "tea")
			return err
		})
		if e := registry.Snapshot().Entries[0]; len(e.CutOff) != cutOff || len(e.Undeclared) != cutOff || e.Begun != 1 {
			t.Errorf("%s: the entry has %+v", settings, e)
		}
	}
}

// A guard further in that refuses leaves the work undone.
func TestARefusalFurtherInIsAnswered(t *testing.T) {
	inner := newRegistry(t, `{}`)
	guard := newGuard(t, inner, resilience.Guards{Breaker: "inner"})
	handle, _ := inner.Breaker("inner")
	handle.ForceOpen("test")
	next := &shelf{do: func(ctx context.Context) (int, error) { return 0, do(ctx, guard, returns(nil)) }}
	registry, wrapper := pricesOf(t, next, `, "fallbacks": {"prices": {"on": "REFUSALS"}}`)
	cents, err := wrapper.Price(new(clerk).in(t.Context()), "tea")
	got(t, cents, err, 99, nil)
	if b := breakerOf(t, registry, "prices"); b.Failures != 0 {
		t.Errorf("the breaker has %d failures", b.Failures)
	}
	fellBackAs(t, registry, "Price", resilience.FallbackFigures{Refused: 1})
}

// Without an error of the call the fallback gets one that says so.
func TestAFailureThatClassifyAloneSeesIsAnswered(t *testing.T) {
	c := new(clerk)
	registry, wrapper := pricesOf(t, ends(-1, nil), "")
	cents, err := wrapper.Judged(c.in(t.Context()), "tea")
	got(t, cents, err, 99, nil)
	if !slices.Equal(c.asked, []error{resilience.ErrFailed}) {
		t.Errorf("the fallback got %v", c.asked)
	}
	fellBackAs(t, registry, "Judged", resilience.FallbackFigures{Failure: 1})
}

// silentOf wraps a client that returns no errors.
func silentOf(t *testing.T, next *shelf, more string) (*resilience.Registry, silent) {
	t.Helper()
	registry := newRegistry(t, tenders+more+`}`)
	wrapper, err := newResilientSilent(next, registry)
	if err != nil {
		t.Fatal(err)
	}
	return registry, wrapper
}

func TestAMethodWithoutAnErrorIsGuardedByItsFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, c := ends(7, nil), new(clerk)
		registry, wrapper := silentOf(t, next, "")
		ask := func(ctx context.Context) error { return wrapper.Ask(c.in(ctx)).err }
		if err := ask(t.Context()); err != nil || len(c.asked) > 0 {
			t.Errorf("a good call: %v, the fallback got %v", err, c.asked)
		}
		next.do = func(context.Context) (int, error) { return 0, errDown }
		if err := ask(t.Context()); err != resilience.ErrFailed {
			t.Errorf("a failed one: %v", err)
		}
		next.do = answersAfter(200 * time.Millisecond).do
		if err := ask(t.Context()); !errors.Is(err, resilience.ErrTimeout) || !errors.Is(err, resilience.ErrFailed) {
			t.Errorf("a late one: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if err := ask(gone); err != context.Canceled {
			t.Errorf("a caller that goes: %v, not what the call returned", err)
		}
		if b := breakerOf(t, registry, "silent"); b.Failures != 2 || b.Calls != 3 {
			t.Errorf("the breaker has %d failures of %d calls", b.Failures, b.Calls)
		}
		if err := ask(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that has gone: %v", err)
		}
		fellBackAs(t, registry, "Ask", resilience.FallbackFigures{Refused: 1, Timeout: 1, Failure: 1})
	})
}

// A refusal has no other place to go, so that no setting takes it away.
func TestSettingsKeepNoRefusalFromAMethodWithoutAnError(t *testing.T) {
	for _, settings := range []string{`{"enabled": false}`, `{"on": "TIMEOUTS"}`} {
		next, c := ends(0, errDown), new(clerk)
		registry, wrapper := silentOf(t, next, `, "fallbacks": {"silent": `+settings+`}`)
		if err := wrapper.Ask(c.in(t.Context())).err; err != errDown {
			t.Errorf("%s: a failure: %v, not what the call returned", settings, err)
		}
		handle, _ := registry.Breaker("silent")
		handle.ForceOpen("test")
		if err := wrapper.Ask(c.in(t.Context())).err; !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("%s: a refusal: %v", settings, err)
		}
		if err := wrapper.AskAgain(c.in(t.Context())).err; !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("%s: a refusal of a method with retries: %v", settings, err)
		}
		handle.Reset("test")
		if err := wrapper.AskAgain(c.in(t.Context())).err; err != errDown {
			t.Errorf("%s: failures of one: %v, not what the call returned", settings, err)
		}
		fellBackAs(t, registry, "Ask", resilience.FallbackFigures{Refused: 1})
		fellBackAs(t, registry, "AskAgain", resilience.FallbackFigures{Refused: 1})
	}
}

func TestFallingBackIsAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []resilience.FellBack
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if e, is := e.(resilience.FellBack); is {
				events = append(events, e)
			}
		})
		registry, wrapper := pricesOf(t, ends(0, errDown), "", resilience.Observe(observer))
		wrapper.Price(new(clerk).in(t.Context()), "tea")
		synctest.Wait()
		want := []resilience.FellBack{{At: time.Now(), Method: "resilience_test.prices.Price", Fallback: "prices", Reason: resilience.FallbackFailure, Err: errDown}}
		if !reflect.DeepEqual(events, want) {
			t.Errorf("got %+v", events)
		}
		text, err := json.Marshal(events[0])
		if want := `{"at":"2000-01-01T00:00:00Z","method":"resilience_test.prices.Price","fallback":"prices","reason":"failure","error":"down"}`; string(text) != want {
			t.Errorf("JSON %s, %v", text, err)
		}
		registry.Close()
	})
}

func TestATimeoutsFallbackWithoutATimeoutIsWorthAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warnings []string
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if e, is := e.(resilience.SettingWarning); is {
				warnings = append(warnings, e.Text)
			}
		})
		const settings = `, "fallbacks": {"default": {"on": "TIMEOUTS"}, "retried": {"on": "TIMEOUTS"}}`
		bounded, _ := pricesOf(t, ends(0, nil), settings+`, "retries": {"prices": {"maxDuration": "1s"}}`, resilience.Observe(observer))
		bounded.Close()
		if len(warnings) > 0 {
			t.Errorf("a call that ends with its attempts: %q", warnings)
		}
		registry, _ := pricesOf(t, ends(0, nil), settings, resilience.Observe(observer))
		defer registry.Close()
		synctest.Wait()
		want := "resilience.json:2:127: fallbacks.retried.on: TIMEOUTS, but no timeout bounds resilience_test.prices.Retried, so it falls back only where something under it outlives one"
		if !slices.Contains(warnings, want) || slices.ContainsFunc(warnings, func(text string) bool { return strings.Contains(text, "prices.Price,") }) {
			t.Errorf("got  %q", warnings)
		}
	})
}

func TestReasonsOfFallbacksHaveNames(t *testing.T) {
	for reason, want := range map[resilience.FallbackReason]string{
		0: "FallbackReason(0)", resilience.FallbackRefused: "refused", resilience.FallbackTimeout: "timeout",
		resilience.FallbackFailure: "failure", 4: "FallbackReason(4)",
	} {
		if got := reason.String(); got != want {
			t.Errorf("%d is %s, want %s", uint8(reason), got, want)
		}
	}
}

// What a call returned that failed without an error is nobody's, so that its stream is
// over.
func TestAStreamIsOverOnceItsMethodFallsBack(t *testing.T) {
	for settings, inUse := range map[string]int{`{}`: 0, `{"enabled": false}`: 1} {
		registry := newRegistry(t, `{"fallbacks": {"f": `+settings+`}}`)
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b", Fallback: "f"})
		for _, falls := range []func(*resilience.Stream, error) error{(*resilience.Stream).FallsBack, (*resilience.Stream).MustFallBack} {
			stream := new(resilience.Stream)
			if err := stream.Begin(t.Context(), guard); err != nil {
				t.Fatal(err)
			}
			err := stream.FinishAs(resilience.Failure, nil)
			body := stream.Body(http.NoBody)
			err = falls(stream, err)
			if got := bulkheadOf(t, registry, "b").InUse; got != inUse || (err == resilience.ErrFailed) != (inUse == 0) {
				t.Errorf("%s: %v, with %d permits in use", settings, err, got)
			}
			body.Close()
			if got := bulkheadOf(t, registry, "b").InUse; got != 0 {
				t.Errorf("%s: %d permits in use at the end", settings, got)
			}
		}
	}
}
