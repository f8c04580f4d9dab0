package resilience_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	resilience "github.com/resgen-go/resgen/runtime"
)

// wireProbe gives a breaker a probe.
func wireProbe(t *testing.T, registry *resilience.Registry, name string, probe func(context.Context) error) {
	t.Helper()
	wiring := newWiring(registry, "Prober")
	wiring.Probe(name, probe)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
}

func TestFieldL02SnapshotAndTransitionTellTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []resilience.Transition
		registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 2}}}`,
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if transition, ok := e.(resilience.Transition); ok {
					seen = append(seen, transition)
				}
			})))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		time.Sleep(time.Second)
		want := resilience.Trouble{At: time.Now(), Method: "Client.Do", Error: "charge: connection refused"}
		do(context.Background(), guard, returns(fmt.Errorf("charge: %w", errors.New("connection refused"))))
		synctest.Wait()
		if got := breakerOf(t, registry, "b").LastFailure; got != want {
			t.Errorf("the snapshot has %+v, want %+v", got, want)
		}
		if len(seen) != 1 || seen[0].LastFailure != want {
			t.Errorf("the transition is %+v, want %+v in it", seen, want)
		}
		text, _ := json.Marshal(seen[0])
		if !strings.Contains(string(text), `"lastFailure":{"at":"2000-01-01T00:00:01Z","method":"Client.Do","error":"charge: connection refused"}`) || strings.Contains(string(text), "lastProbe") {
			t.Errorf("in JSON it is %s", text)
		}
	})
}

func TestFieldL10ErrorsOfClientsAreToldWithoutSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log, events bytes.Buffer
		registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 1}, "c": {"strategy": "CANARY_RATE_THRESHOLD"}}}`,
			resilience.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) { json.NewEncoder(&events).Encode(e) })),
			resilience.ObserveCalls())
		down := &url.Error{Op: "Get", URL: "http://ann:hunter2@h/x?token=hunter2", Err: errDown}
		do(context.Background(), newGuard(t, registry, resilience.Guards{Breaker: "b"}), returns(down))
		report, err := registry.ExternalProbe("c")
		if err != nil {
			t.Fatal(err)
		}
		report(down)
		synctest.Wait()
		snapshot, _ := json.Marshal(registry.Snapshot())
		for name, text := range map[string]string{"log": log.String(), "events": events.String(), "snapshot": string(snapshot)} {
			if strings.Contains(text, "hunter2") || !strings.Contains(text, "…@h/x?…") {
				t.Errorf("the %s: %s", name, text)
			}
		}
	})
}

func TestFieldL02FailuresWithoutAnErrorOfTheirOwnSayWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"timeouts": {"t": {"duration": "1s"}}}`)
		last := func(g resilience.Guards, next func(context.Context) error) string {
			g.Breaker = "b"
			func() {
				defer func() { recover() }()
				do(context.Background(), newGuard(t, registry, g), next)
			}()
			return breakerOf(t, registry, "b").LastFailure.Error
		}
		for want, got := range map[string]string{
			"it panicked, or its goroutine ended": last(resilience.Guards{}, func(context.Context) error { panic("boom") }),
			"no error, but classify says that it failed": last(resilience.Guards{
				Classify: func(error) resilience.Outcome { return resilience.Failure },
			}, returns(nil)),
			"<nil>": last(resilience.Guards{}, returns((*fragile)(nil))),
		} {
			if got != want {
				t.Errorf("the last failure is %q, want %q", got, want)
			}
		}
		handle(t, registry, "b").Reset("test")
		want := "resilience: Client.Do outlived its timeout of 1s: context deadline exceeded"
		if got := last(resilience.Guards{Timeout: "t"}, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }); got != want {
			t.Errorf("the last failure is %q, want %q", got, want)
		}
	})
}

func TestFieldL02LongErrorsAreCutBetweenCharacters(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", 150), "x" + strings.Repeat("é", 150), strings.Repeat("日", 100), strings.Repeat("x", 1<<20)} {
		registry := newRegistry(t, `{}`)
		do(context.Background(), newGuard(t, registry, resilience.Guards{Breaker: "b"}), returns(errors.New(text)))
		got := breakerOf(t, registry, "b").LastFailure.Error
		if len(got) > 200 || len(got) < 198 || !utf8.ValidString(got) || !strings.HasPrefix(text, got) {
			t.Errorf("%.10s… became %d bytes: %s", text, len(got), got)
		}
	}
}

func TestFieldL02CanaryThatStartsOpenSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened resilience.Transition
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`,
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if transition, ok := e.(resilience.Transition); ok {
					opened = transition
				}
			})))
		answer := errors.New("dial tcp: connection refused")
		var well atomic.Bool
		wireProbe(t, registry, "b", func(context.Context) error {
			if well.Load() {
				return nil
			}
			return answer
		})
		time.Sleep(10 * time.Second)
		b := breakerOf(t, registry, "b")
		if b.State != resilience.Open || b.Reason == "" || b.LastProbe.Error != answer.Error() || b.LastProbe.At.IsZero() || b.LastProbe.Method != "" {
			t.Errorf("it is %+v", b)
		}
		handle(t, registry, "b").ForceOpen("test")
		synctest.Wait()
		if opened.LastProbe.Error != answer.Error() {
			t.Errorf("the transition is %+v", opened)
		}
		handle(t, registry, "b").Reset("test")
		handle(t, registry, "b").Trip("test")
		well.Store(true)
		time.Sleep(10 * time.Second)
		if b := breakerOf(t, registry, "b"); b.State != resilience.HalfOpen || b.LastProbe != (resilience.Trouble{}) {
			t.Errorf("after a good probe it is %+v", b)
		}
	})
}

func TestFieldL02ProbesFromOutsideTellTheirError(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"b": {}}}`)
	report, err := registry.ExternalProbe("b")
	if err != nil {
		t.Fatal(err)
	}
	report(errDown)
	if got := breakerOf(t, registry, "b").LastProbe.Error; got != "down" {
		t.Errorf("the last probe's error is %q", got)
	}
	report(nil)
	if got := breakerOf(t, registry, "b").LastProbe; got != (resilience.Trouble{}) {
		t.Errorf("after a good one it is %+v", got)
	}
}

// slowToTell is an error whose text needs the registry.
type slowToTell struct{ registry *resilience.Registry }

func (e slowToTell) Error() string {
	return fmt.Sprintf("%d breakers", len(e.registry.Snapshot().Breakers))
}

func TestFieldL02ErrorMayUseTheRegistry(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 1}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	report, _ := registry.ExternalProbe("b")
	do(context.Background(), guard, returns(slowToTell{registry}))
	report(slowToTell{registry})
	b := breakerOf(t, registry, "b")
	if b.LastFailure.Error != "1 breakers" || b.LastProbe.Error != "1 breakers" {
		t.Errorf("it is %+v", b)
	}
}

func TestFieldL02FailuresAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, strategy := range []string{"STATIC_THRESHOLD", "CANARY_RATE_THRESHOLD", "CONSECUTIVE_FAILURES"} {
		registry := newRegistry(t, fmt.Sprintf(`{"breakers": {"b": {"strategy": %q}}}`, strategy))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		handle(t, registry, "b").MetricsOnly("test")
		wrapped := fmt.Errorf("charge: %w", errDown)
		next := returns(wrapped)
		if got := testing.AllocsPerRun(1000, func() { do(context.Background(), guard, next) }); got > 0 {
			t.Errorf("%s: %v allocations a failure", strategy, got)
		}
	}
}
