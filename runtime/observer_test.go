package resilience_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
)

// opens is the JSON of a breaker that one failure opens.
const opens = `{"breakers": {"b": {"failureThreshold": 1, "successThreshold": 1, "testDelay": "1s"}}}`

func TestObserverThatBlocksDelaysNoCallAndLosesRareEventsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var transitions int
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			<-release
			if _, ok := e.(resilience.Transition); ok {
				transitions++
			}
		})
		registry := newRegistry(t, opens, resilience.Observe(observer), resilience.ObserveCalls())
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		for range 2000 {
			do(context.Background(), guard, returns(nil))
		}
		do(context.Background(), guard, returns(errDown))
		if registry.Snapshot().Events.Dropped == 0 {
			t.Error("2000 events behind a blocked observer, and none was dropped")
		}
		close(release)
		synctest.Wait()
		if transitions != 1 {
			t.Errorf("saw %d transitions, want the one that came last", transitions)
		}
	})
}

func TestEventsComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var path []string
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if transition, ok := e.(resilience.Transition); ok {
				path = append(path, transition.To.String())
			}
		})
		registry := newRegistry(t, opens, resilience.Observe(observer))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		for range 3 {
			do(context.Background(), guard, returns(errDown))
			time.Sleep(time.Second)
			do(context.Background(), guard, returns(nil))
		}
		synctest.Wait()
		want := strings.Repeat("OPEN HALF_OPEN CLOSED ", 3)
		if got := strings.Join(path, " ") + " "; got != want {
			t.Errorf("saw %s, want %s", got, want)
		}
	})
}

func TestCallEndedTellsOutcomeAndDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []resilience.CallEnded
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if ended, ok := e.(resilience.CallEnded); ok {
				seen = append(seen, ended)
			}
		})
		registry := newRegistry(t, `{}`, resilience.Observe(observer), resilience.ObserveCalls())
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		do(context.Background(), guard, func(context.Context) error { time.Sleep(time.Second); return errDown })
		synctest.Wait()
		if len(seen) != 1 || seen[0].Outcome != resilience.Failure || seen[0].Duration != resilience.Duration(time.Second) ||
			seen[0].Method != "Client.Do" || seen[0].Err != errDown {
			t.Errorf("saw %+v", seen)
		}
	})
}

func TestEntryThatDeclaresTheWrongBulkheadIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]resilience.Mismatch{}
		observer := resilience.ObserverFunc(func(e resilience.Event) {
			if mismatch, ok := e.(resilience.Mismatch); ok {
				mismatch.At = time.Time{}
				seen[mismatch.Bulkhead] = mismatch
			}
		})
		registry := newRegistry(t, `{}`, resilience.Observe(observer))
		entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "a", N: 2}, {Bulkhead: "b", N: 1}}})
		b := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		do(context.Background(), entry, func(ctx context.Context) error {
			do(ctx, b, returns(nil))
			return do(ctx, b, returns(nil))
		})
		synctest.Wait()
		want := map[string]resilience.Mismatch{
			"a": {Method: "Client.Do", Bulkhead: "a", Reserved: 2, Unused: 2},
			"b": {Method: "Client.Do", Bulkhead: "b", Reserved: 1, Overflow: 1},
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTransitionsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		logger := slog.New(slog.NewTextHandler(&text, nil))
		registry := newRegistry(t, opens, resilience.Logger(logger))
		b, err := registry.Breaker("b")
		if err != nil {
			t.Fatal(err)
		}
		b.ForceOpen("alice: provider asked us to stop")
		synctest.Wait()
		for _, want := range []string{"level=WARN", "breaker=b", "from=CLOSED", "to=FORCED_OPEN", "alice"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("the log lacks %s: %s", want, &text)
			}
		}
	})
}

func TestCloseDeliversWhatWaitsAndGivesUpInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		registry := newRegistry(t, opens, resilience.Observe(resilience.ObserverFunc(func(resilience.Event) { <-forever })))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		began := time.Now()
		if err := registry.Close(); err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("Close returned %v after %v, want an error after 5s", err, time.Since(began))
		}
		close(forever)
	})
}

func TestObserverThatEndsItsGoroutineIsCountedAndEventsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := 0
		observer := resilience.ObserverFunc(func(resilience.Event) {
			seen++
			runtime.Goexit()
		})
		registry := newRegistry(t, opens, resilience.Observe(observer))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		for range 10 {
			do(context.Background(), guard, returns(errDown))
		}
		if err := registry.Close(); err != nil {
			t.Error(err)
		}
		if got := registry.Snapshot().Events; seen != 10 || got.Panics != 10 {
			t.Errorf("%d events seen and %d panics counted, want 10 and 10", seen, got.Panics)
		}
	})
}

func TestRefusalsAreEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []error
		registry := newRegistry(t, opens, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if refused, ok := e.(resilience.Refused); ok {
				seen = append(seen, refused.Error)
			}
		})))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		err := do(context.Background(), guard, returns(nil))
		synctest.Wait()
		if len(seen) != 1 || seen[0] != err {
			t.Errorf("saw %v, want the caller's %v", seen, err)
		}
	})
}

// records is a handler that keeps what is logged.
type records chan slog.Record

func (records) Enabled(context.Context, slog.Level) bool { return true }
func (r records) Handle(_ context.Context, record slog.Record) error {
	r <- record
	return nil
}
func (r records) WithAttrs([]slog.Attr) slog.Handler { return r }
func (r records) WithGroup(string) slog.Handler      { return r }

func TestAnObserverThatHangsDoesNotHoldUpTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logged := make(records, 10)
		hangs := make(chan struct{})
		registry := newRegistry(t, opens, resilience.Logger(slog.New(logged)),
			resilience.Observe(resilience.ObserverFunc(func(resilience.Event) { <-hangs })))
		b, _ := registry.Breaker("b")
		began := time.Now()
		b.Trip("ann")
		b.Reset("ann")
		time.Sleep(time.Second)
		synctest.Wait()
		if len(logged) != 2 {
			t.Fatalf("%d lines logged, want 2", len(logged))
		}
		if at := (<-logged).Time; !at.Equal(began) {
			t.Errorf("the line has the time %v, the transition was at %v", at, began)
		}
		close(hangs)
		registry.Close()
	})
}

func TestCloseSaysThatTheLogHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(records)
		registry := newRegistry(t, opens, resilience.Logger(slog.New(hangs)))
		handle(t, registry, "b").Trip("ann")
		if err := registry.Close(); err == nil || !strings.Contains(err.Error(), "log") {
			t.Errorf("Close says %v", err)
		}
		<-hangs
	})
}

func TestEventsInJSONTellTheirErrors(t *testing.T) {
	cases := []struct {
		event resilience.Event
		want  string
	}{
		{resilience.Probed{Breaker: "b", Err: errDown}, `{"at":"0001-01-01T00:00:00Z","breaker":"b","duration":"0s","error":"down"}`},
		{resilience.Probed{Breaker: "b"}, `{"at":"0001-01-01T00:00:00Z","breaker":"b","duration":"0s"}`},
		{resilience.Reloaded{Source: "f", Err: errDown}, `{"at":"0001-01-01T00:00:00Z","source":"f","error":"down"}`},
		{resilience.CallEnded{Method: "C.Do", Err: errDown, Outcome: resilience.Failure}, `{"at":"0001-01-01T00:00:00Z","method":"C.Do","outcome":"failure","duration":"0s","error":"down"}`},
		{resilience.FleetLink{Err: errDown}, `{"at":"0001-01-01T00:00:00Z","error":"down"}`},
		{resilience.Refused{Error: &resilience.RefusalError{Kind: resilience.KindFull, Method: "C.Do", Name: "b", Wanted: 1}}, `{"at":"0001-01-01T00:00:00Z","error":{"kind":"full","method":"C.Do","name":"b","wanted":1,"available":0,"message":"resilience: C.Do refused: bulkhead b is full (wanted 1, available 0)"}}`},
	}
	for _, c := range cases {
		got, err := json.Marshal(c.event)
		if err != nil || string(got) != c.want {
			t.Errorf("%T is\n%s %v\nwant\n%s", c.event, got, err, c.want)
		}
	}
}

func TestCloseDoesNotWaitForEventsThatComeAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := resilience.ObserverFunc(func(resilience.Event) { time.Sleep(time.Millisecond) })
		registry := newRegistry(t, `{}`, resilience.Observe(observer), resilience.ObserveCalls())
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		ctx, stop := context.WithCancel(context.Background())
		var caller sync.WaitGroup
		caller.Go(func() {
			for ctx.Err() == nil {
				do(context.Background(), guard, func(context.Context) error { time.Sleep(time.Millisecond); return nil })
			}
		})
		time.Sleep(time.Second)
		began := time.Now()
		if err := registry.Close(); err != nil || time.Since(began) > time.Second {
			t.Errorf("Close returned %v after %v", err, time.Since(began))
		}
		stop()
		caller.Wait()
		time.Sleep(time.Minute) // the observer has its fill
	})
}

func TestObserverThatExitsHidesNoEventFromTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := 0
		registry := newRegistry(t, opens,
			resilience.Observe(resilience.ObserverFunc(func(resilience.Event) { runtime.Goexit() })),
			resilience.Observe(resilience.ObserverFunc(func(resilience.Event) { seen++ })))
		b := handle(t, registry, "b")
		b.Trip("test")
		b.Reset("test")
		synctest.Wait()
		if figures := registry.Snapshot().Events; seen < 2 || int(figures.Delivered) != seen || figures.Panics != figures.Delivered {
			t.Errorf("the second saw %d events, figures %+v", seen, figures)
		}
	})
}

func TestQueueHoldsSoManyEventsAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		registry := newRegistry(t, `{"breakers": {"b": {}}, "bulkheads": {"h": {}}}`, resilience.ObserveCalls(),
			resilience.Observe(resilience.ObserverFunc(func(resilience.Event) { <-hangs })))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "h"})
		calls := func(n int) {
			for range n {
				do(context.Background(), guard, returns(nil))
			}
		}
		dropped := func(when string, want int) {
			t.Helper()
			if got := int(registry.Snapshot().Events.Dropped); got != want {
				t.Errorf("%s: %d events were dropped, want %d", when, got, want)
			}
		}
		calls(1)
		synctest.Wait() // the observer has it
		calls(768)
		dropped("three quarters full of calls", 0)
		calls(10)
		dropped("with ten calls more", 10)
		b := handle(t, registry, "b")
		for range 128 {
			b.Trip("test")
			b.Reset("test")
		}
		dropped("full", 10)
		b.Trip("test")
		dropped("with one event more", 11)
		close(hangs)
		synctest.Wait()
		if got := registry.Snapshot().Events.Delivered; got != 1+1024 {
			t.Errorf("%d events were delivered, want 1025", got)
		}
	})
}
