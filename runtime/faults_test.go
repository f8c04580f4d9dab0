package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// at is a time from now on as settings have it.
func at(d time.Duration) string { return time.Now().Add(d).Format(time.RFC3339) }

// faultsOf are settings that inject faults into the calls of payments for an hour.
func faultsOf(settings string) string {
	return fmt.Sprintf(`"faults": {"payments": {%s, "until": "%s"}}`, settings, at(time.Hour))
}

// faulty are the events about faults.
type faulty struct {
	sync.Mutex
	events []resilience.Faulty
}

func (f *faulty) Observe(e resilience.Event) {
	if e, is := e.(resilience.Faulty); is {
		f.Lock()
		defer f.Unlock()
		f.events = append(f.events, e)
	}
}

// take are the events since the last take.
func (f *faulty) take() (events []resilience.Faulty) {
	synctest.Wait()
	f.Lock()
	defer f.Unlock()
	events, f.events = f.events, nil
	return events
}

// hit are the numbers of the calls that fail, of so many.
func hit(t *testing.T, settings string, calls int) (failed []int) {
	t.Helper()
	registry := newRegistry(t, `{"breakers": {"payments": {"strategy": "NONE"}}, `+faultsOf(settings)+`}`, resilience.Faults())
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
	for i := range calls {
		called := false
		err := do(t.Context(), guard, func(context.Context) error {
			called = true
			return nil
		})
		switch {
		case called == (err != nil) || err != nil && !errors.Is(err, resilience.ErrInjected):
			t.Fatalf("call %d: %v, and the client was called: %v", i, err, called)
		case err != nil:
			failed = append(failed, i)
		}
	}
	snapshot := registry.Snapshot()
	if got := snapshot.Faults[0]; got.Failed != uint64(len(failed)) || !got.Active || snapshot.Breakers[0].FailuresTotal != got.Failed {
		t.Errorf("%d failed: %+v, %+v", len(failed), got, snapshot.Breakers[0])
	}
	return failed
}

func TestRehearsalT7TheSeedChoosesWhichCallsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seven := hit(t, `"failPercent": 5, "seed": 7`, 10_000)
		if n := len(seven); n < 450 || n > 550 {
			t.Errorf("%d of 10000 failed", n)
		}
		if !slices.Equal(seven, hit(t, `"failPercent": 5, "seed": 7`, 10_000)) {
			t.Error("other calls fail in another run")
		}
		if slices.Equal(seven, hit(t, `"failPercent": 5, "seed": 8`, 10_000)) {
			t.Error("the same calls fail by another seed")
		}
		for percent, want := range map[string]int{"0.0001": 0, "100": 1000} {
			if got := len(hit(t, `"failPercent": `+percent, 1000)); got != want {
				t.Errorf("%s percent: %d of 1000", percent, got)
			}
		}
	})
}

// What is injected is the dependency's fault for everything around it.
func TestRehearsalT7GuardsTakeWhatIsInjectedForTheDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"retries": {"payments": {"maxAttempts": 3, "initialDelay": "1ms"}}, `+faultsOf(`"failPercent": 100`)+`}`, resilience.Faults())
		guards := resilience.Guards{Breaker: "payments", Bulkhead: "payments", RateLimit: "payments"}
		for range 2 {
			if err := do(t.Context(), newGuard(t, registry, guards), never(t)); err != resilience.ErrInjected {
				t.Fatal(err)
			}
		}
		guards.Retry = "payments"
		var made resilience.Attempts
		defer made.Release()
		if made.Next(t.Context(), newGuard(t, registry, guards)) {
			t.Error("the client is called")
		}
		if err := made.Result(nil); err != resilience.ErrInjected {
			t.Error(err)
		}
		s := registry.Snapshot()
		if b := s.Breakers[0]; b.State != resilience.Open || b.FailuresTotal != 3 || !strings.Contains(b.LastFailure.Error, "the settings of faults") {
			t.Errorf("%+v", b)
		}
		if h := s.Bulkheads[0]; h.InUse != 0 || h.Available != h.MaxConcurrentCalls {
			t.Errorf("%+v", h)
		}
		if got := s.Retries[0].Stopped["refused"]; got != 1 {
			t.Errorf("the breaker has opened: %+v", s.Retries[0])
		}
	})
}

func TestRehearsalT7AttemptsAreHitOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{
			"breakers": {"payments": {"strategy": "NONE"}},
			"retries": {"payments": {"maxAttempts": 4, "initialDelay": "1ms"}}, "budgets": {"payments": {"burst": 1000000}},
			`+faultsOf(`"failPercent": 50, "seed": 3`)+`}`, resilience.Faults())
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments", Retry: "payments"})
		const calls = 1000
		good, called := 0, 0
		for range calls {
			if tries(t.Context(), guard, func(context.Context) error { called++; return nil }) == nil {
				good++
			}
		}
		s := registry.Snapshot()
		if got := s.Retries[0]; called != good || uint64(calls-good) != got.Stopped["attempts"] || uint64(calls)+got.Retries != uint64(called)+s.Faults[0].Failed {
			t.Errorf("%d good of %d calls, %d attempts came through: %+v, %+v", good, calls, called, got, s.Faults[0])
		}
		if missed := calls - good; missed < 30 || missed > 100 {
			t.Errorf("%d of 1000 failed four times; expected are about 62", missed)
		}
	})
}

func TestRehearsalT7AFallbackAnswersWhatIsInjected(t *testing.T) {
	registry := newRegistry(t, `{`+faultsOf(`"failPercent": 100`)+`}`, resilience.Faults())
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments", Fallback: "payments"})
	var call resilience.Call
	defer call.Release()
	if err := call.FallsBack(call.Begin(t.Context(), guard)); err != resilience.ErrInjected {
		t.Errorf("the fallback gets %v", err)
	}
}

// A judge says that an injected error is none. The caller gets it all the same, because
// there is no result.
func TestRehearsalT7ClassifyIsAskedAboutWhatIsInjected(t *testing.T) {
	registry := newRegistry(t, `{`+faultsOf(`"failPercent": 100`)+`}`, resilience.Faults())
	for _, name := range []string{"", "payments"} {
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments", Retry: name, Classify: func(err error) resilience.Outcome {
			if err != resilience.ErrInjected {
				t.Errorf("classify gets %v", err)
			}
			return resilience.Success
		}})
		for range 5 {
			var err error
			if name == "" {
				err = do(t.Context(), guard, never(t))
			} else {
				err = tries(t.Context(), guard, never(t))
			}
			if err != resilience.ErrInjected {
				t.Error(err)
			}
		}
	}
	if b := breakerOf(t, registry, "payments"); b.State != resilience.Closed || b.FailuresTotal != 0 {
		t.Errorf("%+v", b)
	}
}

func TestRehearsalT8ADelayHeedsTheTimeoutAndTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"timeouts": {"payments": {"duration": "100ms"}, "patient": {"duration": "1s"}}, `+
			faultsOf(`"delay": "300ms", "delayPercent": 100`)+`}`, resilience.Faults())
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments", Timeout: "payments"})
		began := time.Now()
		err := do(t.Context(), guard, never(t))
		if took := time.Since(began); !errors.Is(err, resilience.ErrTimeout) || took != 100*time.Millisecond {
			t.Errorf("after %v: %v", took, err)
		}
		if got := registry.Snapshot(); got.Breakers[0].FailuresTotal != 1 || got.Timeouts[0].Ended != 1 || got.Faults[0].Delayed != 1 {
			t.Errorf("%+v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began = time.Now()
		err = do(ctx, guard, never(t))
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, resilience.ErrTimeout) || took != 50*time.Millisecond {
			t.Errorf("after %v: %v", took, err)
		}
		patient := newGuard(t, registry, resilience.Guards{Breaker: "payments", Timeout: "patient"})
		began = time.Now()
		if err := do(t.Context(), patient, returns(nil)); err != nil || time.Since(began) != 300*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		cancelled, gone := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, gone)
		if err := do(cancelled, patient, never(t)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := breakerOf(t, registry, "payments"); got.FailuresTotal != 2 || got.IgnoredTotal != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestRehearsalT9FaultsEndByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := new(faulty)
		registry := newRegistry(t, `{"breakers": {"payments": {"strategy": "NONE"}}, `+faultsOf(`"failPercent": 100`)+`}`, resilience.Faults(), resilience.Observe(heard))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
		if got := heard.take(); len(got) != 1 || !got[0].Active || got[0].Name != "payments" || got[0].FailPercent != 100 || time.Until(got[0].Until) != time.Hour {
			t.Fatalf("at the beginning: %+v", got)
		}
		time.Sleep(time.Hour - 1)
		if err := do(t.Context(), guard, never(t)); err != resilience.ErrInjected {
			t.Error(err)
		}
		time.Sleep(time.Nanosecond)
		if got := heard.take(); len(got) != 1 || got[0].Active || got[0].Failed != 1 {
			t.Errorf("at the end: %+v", got)
		}
		if err := do(t.Context(), guard, returns(nil)); err != nil {
			t.Error(err)
		}
		if got := registry.Snapshot().Faults; len(got) != 1 || got[0].Active || got[0].Failed != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestRehearsalT9FaultsWithoutAnEndAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for settings, want := range map[string]string{
			`"failPercent": 5`:                                  `2:24: faults.payments: until is missing; faults end by themselves, so say when, at most 24h ahead, such as "2000-01-01T01:00:00Z"`,
			`"delay": "1s"`:                                     `2:24: faults.payments: until is missing; faults end by themselves, so say when, at most 24h ahead, such as "2000-01-01T01:00:00Z"`,
			`"failPercent": 5, "until": "tomorrow"`:             `2:52: faults.payments.until: "tomorrow" is no time such as "2000-01-01T01:00:00Z"`,
			`"failPercent": 5, "until": "1999-12-31T23:59:59Z"`: `2:52: faults.payments.until: 1999-12-31T23:59:59Z is over; take these faults out, or set a later time, at most 24h ahead`,
			`"failPercent": 5, "until": "2000-01-01T00:00:00Z"`: `2:52: faults.payments.until: 2000-01-01T00:00:00Z is over; take these faults out, or set a later time, at most 24h ahead`,
			`"failPercent": 5, "until": "2000-01-02T00:00:01Z"`: `2:52: faults.payments.until: 2000-01-02T00:00:01Z is more than 24h ahead; the latest is now 2000-01-02T00:00:00Z`,
		} {
			_, err := resilience.New(resilience.Settings("r.json", []byte("{\n"+`"faults": {"payments": {`+settings+`}}}`)), resilience.Faults())
			if err == nil || err.Error() != "r.json:"+want {
				t.Errorf("%s:\ngot  %v\nwant r.json:%s", settings, err, want)
			}
		}
		newRegistry(t, `{"faults": {"payments": {"failPercent": 5, "until": "2000-01-02T01:00:00+01:00"}}}`, resilience.Faults())
	})
}

func TestRehearsalT9FaultsComeAndGoByReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := new(faulty)
		source, registry := newSource(t, `{"breakers": {"payments": {"strategy": "NONE"}}}`, resilience.Faults(), resilience.Observe(heard), resilience.Strict())
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
		for _, faults := range []string{faultsOf(`"failPercent": 100`), faultsOf(`"failPercent": 100, "seed": 2`)} {
			reload(t, source, registry, `{"breakers": {"payments": {"strategy": "NONE"}}, `+faults+`}`)
			if err := do(t.Context(), guard, never(t)); err != resilience.ErrInjected {
				t.Error(err)
			}
		}
		reload(t, source, registry, `{"breakers": {"payments": {"strategy": "NONE"}}}`)
		if err := do(t.Context(), guard, returns(nil)); err != nil {
			t.Error(err)
		}
		var active []bool
		for _, e := range heard.take() {
			active = append(active, e.Active)
		}
		if want := []bool{true, false, true, false}; !slices.Equal(active, want) {
			t.Errorf("events: %v, want %v", active, want)
		}
	})
}

func TestRehearsalT10FaultsNeedTheOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const old = `{"breakers": {"payments": {"failureThreshold": 2}}}`
		source, registry := newSource(t, old)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
		source.set(`{"breakers": {"payments": {"failureThreshold": 1}}, ` + faultsOf(`"failPercent": 100`) + `}`)
		if err := registry.Reload(); err == nil || !strings.Contains(err.Error(), "faults: needs resilience.Faults(); pass that to resilience.New") {
			t.Fatal(err)
		}
		if err := do(t.Context(), guard, returns(errDown)); err != errDown {
			t.Error(err)
		}
		if got := breakerOf(t, registry, "payments"); got.State != resilience.Closed {
			t.Errorf("the old settings do not stay: %+v", got)
		}
		newRegistry(t, `{"faults": {"default": {}, "payments": {}}}`) // injects nothing
	})
}

func TestFaultsHitProbesOnlyWhereTheSettingsSaySo(t *testing.T) {
	for _, probes := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, fmt.Sprintf(`{"breakers": {"payments": {"strategy": "CANARY_RATE_THRESHOLD"}}, %s}`,
				faultsOf(fmt.Sprintf(`"failPercent": 100, "probes": %v`, probes))), resilience.Faults())
			w := newWiring(registry, "C")
			w.Guard("Do", resilience.Guards{Breaker: "payments"})
			w.Probe("payments", func(context.Context) error { return nil })
			if err := w.Done(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			b := breakerOf(t, registry, "payments")
			if hit := b.State == resilience.Open; hit != probes || hit != strings.Contains(b.LastProbe.Error, "faults") {
				t.Errorf("probes %v: %+v", probes, b)
			}
			registry.Close()
		})
	}
}

// The faults of a name are those of its instances and keys; one may have its own.
func TestFaultsOfInstances(t *testing.T) {
	registry := newRegistry(t, fmt.Sprintf(`{"faults": {
		"payments": {"failPercent": 100, "until": %[1]q}, "payments/b": {"failPercent": 0, "delay": "1ns", "until": %[1]q}
	}}`, at(time.Hour)), resilience.Faults())
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments", BreakerBy: "tenant"})
	if err := do(t.Context(), guard.For("a"), never(t)); err != resilience.ErrInjected {
		t.Error(err)
	}
	if err := do(t.Context(), guard.For("b"), returns(nil)); err != nil {
		t.Error(err)
	}
}

func BenchmarkFaults(b *testing.B) {
	for name, options := range map[string][]resilience.Option{"without": nil, "allowed": {resilience.Faults()}} {
		b.Run(name, func(b *testing.B) {
			registry := newRegistry(b, `{}`, options...)
			guard := newGuard(b, registry, resilience.Guards{Breaker: "payments", Bulkhead: "payments"})
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
