package resilience_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
)

func TestRehearsalT14RecordingAllocatesNoMoreThanObservingCalls(t *testing.T) {
	const settings = `{"bulkheads": {"b": {"maxConcurrentCalls": 1, "maxWaitDuration": "0s"}, "held": {"maxConcurrentCalls": 1}}, "timeouts": {"b": {"duration": "1h"}}}`
	for _, guards := range []resilience.Guards{
		{Breaker: "b"}, {Bulkhead: "b"}, {Breaker: "b", Bulkhead: "b", Timeout: "b"}, {Preload: []resilience.Permits{{Bulkhead: "b", N: 1}}},
		{Bulkhead: "held"}, // which refuses
	} {
		per := func(option ...resilience.Option) float64 {
			guard := newGuard(t, newRegistry(t, settings, option...), guards)
			next := returns(nil)
			if guards.Bulkhead == "held" {
				var call resilience.Call
				call.Begin(context.Background(), guard)
			}
			return testing.AllocsPerRun(2000, func() { do(context.Background(), guard, next) })
		}
		off := per()
		observed := per(resilience.Observe(resilience.ObserverFunc(func(resilience.Event) {})), resilience.ObserveCalls())
		recorded := per(resilience.Record(io.Discard))
		if recorded > observed && !raceEnabled {
			t.Errorf("%+v: %v allocations with Record, %v with ObserveCalls, %v without", guards, recorded, observed, off)
		}
	}
}

func TestRehearsalT14AnHourTakesAtMostSixteenBytesACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		registry := newRegistry(t, `{}`, resilience.Record(&b))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "b"})
		const calls = 20_000 // of a thousand a second
		for i := range calls {
			go do(context.Background(), guard, func(context.Context) error {
				time.Sleep(time.Duration(20+i%30) * time.Millisecond / 3)
				return nil
			})
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		registry.Close()
		if got := registry.Snapshot().Events.Dropped; got != 0 {
			t.Errorf("%d were dropped", got)
		}
		if size := float64(b.Len()) / calls; size > 16 {
			t.Errorf("%.1f bytes a call", size)
		}
		if got := recorded(t, &b); len(got.Calls) != calls || !got.Ended {
			t.Errorf("%d calls, ended %t", len(got.Calls), got.Ended)
		}
	})
}

func recorded(t *testing.T, b *bytes.Buffer) *trace.Trace {
	t.Helper()
	got, err := trace.Read(bytes.NewReader(b.Bytes()), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func BenchmarkRecord(b *testing.B) {
	for name, options := range map[string][]resilience.Option{
		"off":          nil,
		"ObserveCalls": {resilience.Observe(resilience.ObserverFunc(func(resilience.Event) {})), resilience.ObserveCalls()},
		"Record":       {resilience.Record(io.Discard)},
	} {
		b.Run(name, func(b *testing.B) {
			guard := newGuard(b, newRegistry(b, `{}`, options...), resilience.Guards{Breaker: "b", Bulkhead: "b"})
			next := returns(nil)
			b.ReportAllocs()
			for b.Loop() {
				do(context.Background(), guard, next)
			}
		})
	}
}

// A recording says of each call when it came, how long it waited and ran, how it
// ended, and which entry it belongs to.
func TestRecordTellsAllWaysInWhichCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		registry := newRegistry(t, `{
			"breakers": {"b": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2}},
			"bulkheads": {"one": {"maxConcurrentCalls": 1, "maxWaitDuration": "1h"}, "two": {"maxConcurrentCalls": 2}},
			"timeouts": {"slow": {"duration": "3s"}}
		}`, resilience.Record(&b))
		wiring := newWiring(registry, "Client")
		broken := wiring.Guard("Broken", resilience.Guards{Breaker: "b"})
		single := wiring.Guard("Single", resilience.Guards{Bulkhead: "one", Timeout: "slow"})
		inside := wiring.Guard("Inside", resilience.Guards{Bulkhead: "two"})
		entry := wiring.Guard("Entry", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "two", Number: 1}}})
		if err := wiring.Done(); err != nil {
			t.Fatal(err)
		}
		lasts := func(d time.Duration, err error) func(context.Context) error {
			return func(context.Context) error { time.Sleep(d); return err }
		}
		ctx := context.Background()
		for range 3 {
			do(ctx, broken, lasts(time.Second, errDown)) // the third is refused
		}
		go do(ctx, single, lasts(2*time.Second, nil))
		time.Sleep(time.Second)
		do(ctx, single, lasts(4*time.Second, errDown)) // waits for 1 s, outlives its timeout
		gone, cancel := context.WithCancel(ctx)
		do(gone, single, func(context.Context) error { cancel(); return gone.Err() })
		var call resilience.Call
		if err := call.BeginEntry(ctx, entry, 2); err != nil {
			t.Fatal(err)
		}
		do(call.Context(), inside, lasts(time.Second, nil))
		do(ctx, inside, lasts(0, nil)) // finds the other permit
		call.Finish(nil)
		registry.Close()

		got := recorded(t, &b)
		var calls []string
		for _, c := range got.Calls {
			text := fmt.Sprintf("%s %v+%v+%v %d", got.Methods[c.Method].Name, c.Began(), c.Waited, c.Took, c.Outcome)
			if c.Refused > 0 {
				text = fmt.Sprintf("%s %v refused by %s: %d", got.Methods[c.Method].Name, c.At, got.Names[c.By], c.Refused)
			}
			calls = append(calls, fmt.Sprint(text, " ", c.Since, c.Limit, c.Within, c.Entry, c.Numbers))
		}
		want := []string{ // came, waited, ran, outcome, ended meanwhile, limit, within, entry, numbers
			"Client.Broken 0s+0s+1s 1 0 0s 0 0 []",
			"Client.Broken 1s+0s+1s 1 0 0s 0 0 []",
			"Client.Broken 2s refused by b: 1 0 0s 0 0 []",
			"Client.Single 2s+0s+2s 0 0 0s 0 0 []",
			"Client.Single 3s+1s+4s 2 1 3s 0 0 []",
			"Client.Single 8s+0s+0s 3 0 0s 0 0 []",
			"Client.Inside 8s+0s+1s 0 0 0s 1 0 []",
			"Client.Inside 9s+0s+0s 0 0 0s 0 0 []",
			"Client.Entry 8s+0s+1s 0 2 0s 0 1 [2]",
		}
		if diff := cmp.Diff(want, calls); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// Nothing that a call is about is in a trace: no argument, result, key or text.
func TestRecordHoldsNothingThatCallsAreAbout(t *testing.T) {
	var b bytes.Buffer
	registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1}}}`, resilience.Record(&b))
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b", BreakerBy: "tenant"})
	for range 3 {
		do(context.Background(), guard.For("secret-tenant"), returns(errors.New("secret text")))
	}
	registry.Close()
	if strings.Contains(b.String(), "secret") {
		t.Errorf("%q", &b)
	}
	got := recorded(t, &b)
	if len(got.Calls) != 3 || got.Calls[0].Key == 0 || got.Calls[0].Key != got.Transitions[0].Key || got.Names[got.Calls[1].By] != "b" {
		t.Errorf("recorded %+v and %+v", got.Calls, got.Transitions)
	}
}

// While w blocks, the queue is full at last; the trace says how many calls it lacks.
func TestRecordCountsWhatItDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		release := make(chan struct{})
		var blocks atomic.Bool
		registry := newRegistry(t, `{}`, resilience.Record(writerFunc(func(p []byte) (int, error) {
			if blocks.Load() {
				<-release
			}
			return b.Write(p)
		})))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		for range 3 { // each second begins a block
			do(context.Background(), guard, returns(nil))
			synctest.Wait()
			time.Sleep(time.Second)
			blocks.Store(true)
		}
		for range 1000 {
			do(context.Background(), guard, returns(nil))
		}
		time.Sleep(time.Second)
		close(release)
		synctest.Wait()
		do(context.Background(), guard, returns(nil))
		registry.Close()
		dropped := int(registry.Snapshot().Events.Dropped)
		got := recorded(t, &b)
		if len(got.Gaps) != 1 || got.Gaps[0].Dropped != dropped || len(got.Calls)+dropped != 1004 || got.Gaps[0].Before != len(got.Calls)-1 || got.Gaps[0].Lasted < time.Second {
			t.Errorf("%d calls, gaps %+v, dropped %d", len(got.Calls), got.Gaps, dropped)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestRecordThatCannotBeWrittenIsLoggedOnceAndStops(t *testing.T) {
	for name, fails := range map[string]func([]byte) (int, error){
		"disk full":    func([]byte) (int, error) { return 0, errors.New("disk full") },
		"short write":  func(p []byte) (int, error) { return len(p) / 2, nil },
		"it is broken": func([]byte) (int, error) { panic("it is broken") },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			writes := 0
			registry, err := resilience.New(resilience.Logger(slog.New(slog.NewTextHandler(&log, nil))), resilience.Record(writerFunc(func(p []byte) (int, error) {
				if writes++; writes == 1 { // the header
					return len(p), nil
				}
				return fails(p)
			})))
			if err != nil {
				t.Fatal(err)
			}
			guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
			for range 5000 {
				do(context.Background(), guard, returns(nil))
				time.Sleep(0)
			}
			registry.Close()
			for range 10 {
				do(context.Background(), guard, returns(nil))
			}
			if n := strings.Count(log.String(), "recording of calls has ended"); n != 1 || !strings.Contains(log.String(), name) || writes != 2 {
				t.Errorf("%d lines and %d writes:\n%s", n, writes, &log)
			}
		})
	}
}

// Other observers get what they get without a recording.
func TestRecordChangesNothingForObservers(t *testing.T) {
	for _, calls := range []bool{false, true} {
		var kinds []string
		options := []resilience.Option{resilience.Record(io.Discard), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			switch e := e.(type) {
			case resilience.Refused:
				kinds = append(kinds, "refused", e.Error.Kind.String(), fmt.Sprint(e.At.IsZero()))
			case resilience.CallEnded:
				kinds = append(kinds, e.Method, e.Outcome.String(), fmt.Sprint(e.At.IsZero(), e.Err, e.Duration >= 0))
			default:
				kinds = append(kinds, fmt.Sprintf("%T", e))
			}
		}))}
		if calls {
			options = append(options, resilience.ObserveCalls())
		}
		registry := newRegistry(t, opens, options...)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		do(context.Background(), guard, returns(nil))
		registry.Close()
		want := []string{"resilience.Transition", "Client.Do", "failure", "false " + errDown.Error() + " true", "refused", "open", "false"}
		if !calls {
			want = append(want[:1], want[4:]...)
		}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("ObserveCalls %t: -want +got:\n%s", calls, diff)
		}
	}
}

// A refusal is answered by the fallback also where the call is recorded, and an entry
// keeps its numbers.
func TestRecordLeavesFallbacksAndEntriesAsTheyAre(t *testing.T) {
	for _, options := range [][]resilience.Option{nil, {resilience.Record(io.Discard)}} {
		registry := newRegistry(t, `{}`, options...)
		entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "b", Number: 1}}})
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Fallback: "b"})
		handle(t, registry, "b").ForceOpen("test")
		var outer, inner resilience.Call
		if err := outer.BeginEntry(context.Background(), entry, 3); err != nil {
			t.Fatal(err)
		}
		if got := bulkheadOf(t, registry, "b").ReservedIdle; got != 3 {
			t.Errorf("%d options: %d permits reserved", len(options), got)
		}
		err := inner.Begin(outer.Context(), guard)
		if !errors.Is(err, resilience.ErrOpen) || inner.FallsBack(err) != err {
			t.Errorf("%d options: %v is not answered", len(options), err)
		}
		outer.Finish(nil)
	}
}
