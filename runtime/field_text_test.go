package resilience_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// fragile is an error whose methods panic: on a nil pointer, and always.
type (
	fragile  struct{ text string }
	bursting struct{ with any }
)

func (e *fragile) Error() string  { return e.text }
func (e *fragile) Unwrap() error  { return errors.New(e.text) }
func (e bursting) Error() string  { panic(e.with) }
func (e bursting) Is(error) bool  { panic(e.with) }
func (e bursting) As(any) bool    { panic(e.with) }
func (e bursting) Unwrap() error  { panic(e.with) }
func (e bursting) String() string { panic(e.with) }

// untold are errors that can't tell their text, with what stands for it.
var untold = map[string]struct {
	err  error
	text string
}{
	"a typed nil":                {(*fragile)(nil), "<nil>"},
	"a refusal that is nil":      {(*resilience.RefusalError)(nil), "<nil>"},
	"a path error that is nil":   {(*os.PathError)(nil), "<nil>"},
	"a panic":                    {bursting{"boom"}, "!PANIC: boom"},
	"a panic with a bad value":   {bursting{bursting{"boom"}}, "!PANIC: "},
	"a typed nil in an event":    {fmt.Errorf("probe: %w", (*fragile)(nil)), "probe: "},
	"a panic in a wrapped error": {fmt.Errorf("probe: %w", bursting{"boom"}), "probe: "},
}

func TestFieldF13EventsWithErrorsThatPanicMarshal(t *testing.T) {
	for name, c := range untold {
		for _, event := range []resilience.Event{
			resilience.CallEnded{Err: c.err}, resilience.Probed{Err: c.err}, resilience.Reloaded{Err: c.err},
			resilience.FleetLink{Err: c.err}, &resilience.Probed{Err: c.err},
		} {
			got, err := json.Marshal(event)
			var read struct{ Error string }
			if err != nil || json.Unmarshal(got, &read) != nil || !strings.HasPrefix(read.Error, c.text) {
				t.Errorf("%s: %T is %s, %v; want %q in it", name, event, got, err, c.text)
			}
			for _, handler := range handlers(new(bytes.Buffer)) {
				if slog.New(handler).Info("x", "event", event); false {
					t.Error("a handler panicked")
				}
			}
		}
	}
}

func handlers(w *bytes.Buffer) []slog.Handler {
	return []slog.Handler{slog.NewJSONHandler(w, nil), slog.NewTextHandler(w, nil)}
}

func TestFieldF13ErrorsThatPanicReachTheCallerAndEveryObserver(t *testing.T) {
	for name, c := range untold {
		synctest.Test(t, func(t *testing.T) {
			var lines []string
			var log bytes.Buffer
			registry := newRegistry(t, `{"breakers": {"b": {"failureThreshold": 1, "failureThresholdCapacity": 10}}}`,
				resilience.Logger(slog.New(slog.NewJSONHandler(&log, nil))), resilience.ObserveCalls(),
				resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
					line, err := json.Marshal(e)
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					lines = append(lines, string(line))
				})))
			guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
			report, err := registry.ExternalProbe("b")
			if err != nil {
				t.Fatal(err)
			}
			do(context.Background(), guard, returns(c.err))
			report(c.err)
			synctest.Wait()
			if snapshot := registry.Snapshot(); snapshot.Events.Panics != 0 {
				t.Errorf("%s: %d panics", name, snapshot.Events.Panics)
			} else if _, err := json.Marshal(snapshot); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if text := strings.Join(lines, "\n"); !strings.Contains(text, `"method":"Client.Do"`) || !strings.Contains(text, `"external":true`) {
				t.Errorf("%s: the observer saw\n%s", name, text)
			}
			if strings.Contains(log.String(), "!BADKEY") {
				t.Errorf("%s: logged %s", name, &log)
			}
		})
	}
}

func TestFieldF13NilRefusalAnswersAsNothing(t *testing.T) {
	var refusal *resilience.RefusalError
	if errors.Is(refusal, resilience.ErrOpen) || errors.Is(refusal, context.Canceled) || refusal.Error() != "<nil>" {
		t.Errorf("%v is something", refusal)
	}
	if _, known := refusal.RetryAfter(); known {
		t.Error("it knows when another try makes sense")
	}
	if text, err := json.Marshal(refusal); string(text) != "null" || err != nil {
		t.Errorf("JSON is %s, %v", text, err)
	}
}

// leaving is an error that ends the goroutine of who asks it.
type leaving struct{}

func (leaving) Error() string {
	runtime.Goexit()
	return ""
}

func TestFieldF13ErrorThatEndsItsGoroutineLosesNoPermit(t *testing.T) {
	registry := newRegistry(t, fewSettings)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "own", Bulkhead: "h"})
	var caller sync.WaitGroup
	caller.Go(func() { do(context.Background(), guard, returns(leaving{})) })
	caller.Wait()
	if h, b := bulkheadOf(t, registry, "h"), breakerOf(t, registry, "own"); h.InUse != 0 || b.Failures != 1 {
		t.Errorf("%d permits are out, %d failures counted", h.InUse, b.Failures)
	}
}

// logged is what the handlers write of a value.
func logged(value any) (inJSON string, inText string) {
	var j, text bytes.Buffer
	slog.New(slog.NewJSONHandler(&j, nil)).Error("failed", "value", value)
	slog.New(slog.NewTextHandler(&text, nil)).Error("failed", "value", value)
	var line struct{ Value json.RawMessage }
	json.Unmarshal(j.Bytes(), &line)
	_, after, _ := strings.Cut(strings.TrimSpace(text.String()), "value=")
	return string(line.Value), after
}

func TestFieldL01RefusalsAreLoggedAsTheirText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, fewSettings)
		b := handle(t, registry, "b")
		guards := map[string]*resilience.Guard{
			"breaker": newGuard(t, registry, resilience.Guards{Breaker: "b"}),
			"gate":    newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "own"}, {Breaker: "b"}}}),
		}
		for name, guard := range guards {
			seen := map[string]string{}
			for state, enter := range map[string]func(string){"OPEN": b.Trip, "FORCED_OPEN": b.ForceOpen} {
				b.Reset("test")
				enter("test")
				refused := do(context.Background(), guard, returns(nil))
				for _, err := range []error{refused, fmt.Errorf("charge: %w", refused), errors.Join(refused)} {
					want, _ := json.Marshal(err.Error())
					if inJSON, inText := logged(err); inJSON != string(want) || inText != string(want) {
						t.Errorf("%s, %s: logged as %s and %s, want %s", name, state, inJSON, inText, want)
					}
				}
				text, err := json.Marshal(refused)
				var fields struct{ Kind, State, Message string }
				if err != nil || json.Unmarshal(text, &fields) != nil || fields.State != state || fields.Message != refused.Error() {
					t.Errorf("%s, %s: JSON is %s, %v", name, state, text, err)
				}
				if other, twice := seen[fields.Message]; twice {
					t.Errorf("%s: %s reads as %s: %s", name, state, other, fields.Message)
				}
				seen[fields.Message] = state
			}
		}
	})
}

func TestFieldL01EveryKindOfRefusalTellsItsReason(t *testing.T) {
	for kind := resilience.KindOpen; kind <= resilience.KindRate; kind++ {
		refusal := &resilience.RefusalError{Kind: kind, Method: "Client.Do", Name: "b", Gates: []string{"b"}, Wanted: 2}
		want, _ := json.Marshal(refusal.Error())
		if inJSON, inText := logged(refusal); inJSON != string(want) || inText != string(want) {
			t.Errorf("%v: logged as %s and %s, want %s", kind, inJSON, inText, want)
		}
		text, _ := json.Marshal(struct{ Refused resilience.Refused }{resilience.Refused{Error: refusal}})
		if !strings.Contains(string(text), `"message":`+string(want)) {
			t.Errorf("%v: an event is %s", kind, text)
		}
	}
}

func TestFieldL01WhatTheRuntimeMakesIsLoggedInWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, fewSettings)
		guard := newGuard(t, registry, resilience.Guards{Timeout: "t"})
		timeout := do(context.Background(), guard, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		for want, value := range map[string]any{
			"OPEN": resilience.Open, "FORCED_OPEN": resilience.ForcedOpen, "forced open": resilience.KindForcedOpen,
			"failure": resilience.Failure, "1.5s": resilience.Duration(1500 * time.Millisecond), "BEGAN": resilience.OutageBegan,
			"resilience: Client.Do outlived its timeout of 1s: context deadline exceeded": timeout,
		} {
			inJSON, inText := logged(value)
			if strings.Trim(inJSON, `"`) != want || strings.Trim(inText, `"`) != want {
				t.Errorf("logged as %s and %s, want %s", inJSON, inText, want)
			}
		}
	})
}

func TestEachKindAndOutcomeHasAWordOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for kind := resilience.KindOpen; kind <= resilience.KindRate; kind++ {
		text, _ := kind.MarshalText()
		if seen[string(text)] || strings.Contains(string(text), "Kind") {
			t.Errorf("%d is %s", kind, text)
		}
		seen[string(text)] = true
	}
	for outcome := resilience.Success; outcome <= resilience.Ignored; outcome++ {
		text, _ := outcome.MarshalText()
		if seen[string(text)] || strings.Contains(string(text), "Outcome") {
			t.Errorf("%d is %s", outcome, text)
		}
		seen[string(text)] = true
	}
	if got := fmt.Sprint(resilience.Kind(0), resilience.Kind(99), resilience.Outcome(3)); got != "Kind(0) Kind(99) Outcome(3)" {
		t.Errorf("unknown ones are %s", got)
	}
}
