package resilience_test

import (
	"context"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

//go:generate go tool resgen

// The interfaces differ in their guards only.
type (
	bare interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker b
	withBreaker interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker b classify=judgeAll
	withJudge interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker b
	withRetry interface {
		//resilience:retry b
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:bulkhead b
	withBulkhead interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker b
	//resilience:bulkhead b
	withBoth interface {
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker b
	//resilience:bulkhead b
	//resilience:timeout b
	withTimeout interface {
		Do(ctx context.Context, n int) (int, error)
	}

	withFallback interface {
		//resilience:breaker b
		//resilience:bulkhead b
		//resilience:fallback b with=instead
		Do(ctx context.Context, n int) (int, error)
	}

	//resilience:breaker a
	//resilience:bulkhead c
	other interface {
		Do(ctx context.Context, n int) (int, error)
	}

	withAnticipate interface {
		//resilience:anticipate check=a,b preload=b:2,c:2
		Do(ctx context.Context, n int) (int, error)
	}
)

func judgeAll(n int, err error) resilience.Outcome {
	if n < 0 || err != nil {
		return resilience.Failure
	}
	return resilience.Success
}

func instead(_ context.Context, n int, _ error) (int, error) { return n, nil }

type doer struct{}

//go:noinline
func (doer) Do(_ context.Context, n int) (int, error) { return n, nil }

// guarded are the wrappers around doer by name, made in one registry.
func guarded(b testing.TB) map[string]bare {
	registry := newRegistry(b, `{
		"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED"}, "a": {}, "static": {}},
		"bulkheads": {"b": {"maxConcurrentCalls": 1000}, "c": {"maxConcurrentCalls": 1000}},
		"timeouts": {"b": {"duration": "1s"}},
	}`)
	made := map[string]bare{"bare": doer{}}
	add := func(name string, wrapper bare, err error) {
		if err != nil {
			b.Fatal(err)
		}
		made[name] = wrapper
	}
	breaker, err := newResilientWithBreaker(doer{}, registry)
	add("breaker", breaker, err)
	judge, err := newResilientWithJudge(doer{}, registry)
	add("breaker with a judge of all results", judge, err)
	retries, err := newResilientWithRetry(doer{}, registry)
	add("breaker and retry", retries, err)
	bulkhead, err := newResilientWithBulkhead(doer{}, registry)
	add("bulkhead", bulkhead, err)
	both, err := newResilientWithBoth(doer{}, registry)
	add("breaker and bulkhead", both, err)
	falling, err := newResilientWithFallback(doer{}, registry)
	add("breaker, bulkhead and fallback", falling, err)
	timeout, err := newResilientWithTimeout(doer{}, registry)
	add("breaker, bulkhead and timeout", timeout, err)
	other, err := newResilientOther(doer{}, registry)
	add("another breaker and bulkhead", other, err)
	anticipate, err := newResilientWithAnticipate(doer{}, registry)
	add("anticipate, two gates and two preloads", anticipate, err)
	return made
}

// allocations are the most a call on which nothing is wrong may make.
var allocations = map[string]float64{
	"bare": 0, "breaker": 0, "breaker with a judge of all results": 0, "breaker and retry": 0, "bulkhead": 0, "breaker and bulkhead": 0,
	"breaker, bulkhead and timeout": 6, "anticipate, two gates and two preloads": 2,
}

func TestGuardedCallsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, wrapper := range guarded(t) {
		got := testing.AllocsPerRun(1000, func() { wrapper.Do(context.Background(), 1) })
		if got > allocations[name] {
			t.Errorf("%s: %v allocations a call, want at most %v", name, got, allocations[name])
		}
	}
}

func BenchmarkCall(b *testing.B) {
	wrappers := guarded(b)
	for name := range allocations {
		wrapper := wrappers[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := context.Background()
			for b.Loop() {
				wrapper.Do(ctx, 1)
			}
		})
	}
}

func BenchmarkCallInParallel(b *testing.B) {
	wrappers := guarded(b)
	for name := range allocations {
		wrapper := wrappers[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				ctx := context.Background()
				for pb.Next() {
					wrapper.Do(ctx, 1)
				}
			})
		})
	}
}

// BenchmarkContext is what the look at the caller's context costs.
func BenchmarkContext(b *testing.B) {
	wrappers := guarded(b)
	deadline, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	value := context.WithValue(deadline, doer{}, 1)
	for _, name := range []string{"breaker", "breaker and bulkhead"} {
		for _, c := range []struct {
			name string
			ctx  context.Context
		}{{"background", context.Background()}, {"deadline", deadline}, {"value of deadline", value}} {
			wrapper := wrappers[name]
			b.Run(name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					wrapper.Do(c.ctx, 1)
				}
			})
		}
	}
}

func BenchmarkRefusal(b *testing.B) {
	registry := newRegistry(b, `{"breakers": {"open": {}, "probed": {"strategy": "CANARY_RATE_THRESHOLD"}}, "bulkheads": {"full": {"maxConcurrentCalls": 1}}}`)
	open := newGuard(b, registry, resilience.Guards{Breaker: "open"})
	forced, err := registry.Breaker("open")
	if err != nil {
		b.Fatal(err)
	}
	forced.Trip("benchmark")
	probed := newGuard(b, registry, resilience.Guards{Breaker: "probed"})
	if _, err := registry.ExternalProbe("probed"); err != nil {
		b.Fatal(err)
	}
	full := newGuard(b, registry, resilience.Guards{Bulkhead: "full"})
	var inside resilience.Call
	if err := inside.Begin(context.Background(), full); err != nil {
		b.Fatal(err)
	}
	defer inside.Release()
	for name, guard := range map[string]*resilience.Guard{"open": open, "probed": probed, "full": full} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var call resilience.Call
				if err := call.Begin(context.Background(), guard); err == nil {
					b.Fatal("not refused")
				}
			}
		})
	}
}

// BenchmarkEntryOnTrials is an entry that reserves the trials of two breakers that
// recover, and permits, and gives them back.
func BenchmarkEntryOnTrials(b *testing.B) {
	registry := newRegistry(b, `{"breakers": {"default": {"testDelay": "0s"}}, "bulkheads": {"default": {"maxConcurrentCalls": 100}}}`)
	entry := newGuard(b, registry, resilience.Guards{
		Check:   []resilience.Calls{{Breaker: "a"}, {Breaker: "b"}},
		Preload: append(permits("a", 2), permits("b", 2)...),
	})
	for _, name := range []string{"a", "b"} {
		handle, err := registry.Breaker(name)
		if err != nil {
			b.Fatal(err)
		}
		handle.Trip("a benchmark")
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		var call resilience.Call
		if err := call.Begin(ctx, entry); err != nil {
			b.Fatal(err)
		}
		call.Finish(nil)
	}
	if got := registry.Snapshot().Breakers[0]; got.State != resilience.HalfOpen {
		b.Fatalf("the breaker is %v", got.State)
	}
}
