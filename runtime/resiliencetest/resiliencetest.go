// Package resiliencetest helps to test code that calls through guards: a registry
// that finds leaks, clients that do as they are told, states that are brought about,
// and expectations in one line.
//
// It needs no clock of its own. In a bubble of [testing/synctest] delays and timeouts
// pass at once and exactly:
//
//	synctest.Test(t, func(t *testing.T) {
//		registry := resiliencetest.New(t, `{"breakers": {"payments": {}}}`)
//		client := resiliencetest.Script("F F F S")
//		payments, err := NewResilientPayments(fake{client}, registry)
//		…
//		resiliencetest.Expect(t, registry, "payments: OPEN 3/3, refused 1")
//		time.Sleep(20 * time.Second)
//		…
//	})
//
// Call New in the bubble.
package resiliencetest

import (
	"fmt"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// New makes a registry for one test, with settings as in a file. It is strict, logs
// nothing, and records its events for [Events]. Options come after these.
//
// At the end of the test it is closed. The test fails if something is left then: a
// permit in use or reserved, a call that waits, a trial that is out, or a goroutine
// that does not end.
func New(t testing.TB, settings string, options ...resilience.Option) *resilience.Registry {
	t.Helper()
	recorder := newRecorder(t)
	registry, err := resilience.New(append([]resilience.Option{
		resilience.Settings("settings of "+t.Name(), []byte(settings)), resilience.Strict(), resilience.Logger(nil), resilience.Observe(recorder),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	recorders.Store(registry, recorder)
	t.Cleanup(func() {
		t.Helper()
		for _, leak := range leaks(registry.Snapshot()) {
			t.Errorf("%s at the end of the test", leak)
		}
		recorders.Delete(registry)
		if err := registry.Close(); err != nil {
			t.Error(err)
		}
	})
	return registry
}

// leaks are what should not be left when all calls have ended.
func leaks(s resilience.Snapshot) (all []string) {
	left := func(name, what string, n int) {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s: %s %d", name, what, n))
		}
	}
	for _, b := range s.Breakers {
		left(b.Name, "trials", b.Trials)
	}
	for _, b := range s.Bulkheads {
		left(b.Name, "in use", b.InUse)
		left(b.Name, "reserved", b.ReservedIdle)
		left(b.Name, "waiting", b.Waiting)
	}
	for _, l := range s.RateLimits {
		left(l.Name, "waiting", l.Waiting)
	}
	return all
}
