package main

import (
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"go.uber.org/ratelimit"
	"golang.org/x/time/rate"

	resilience "github.com/resgen-go/resgen/runtime"
)

// A path is one way to make a call.
type path struct {
	name string
	peer string        // of a peer's: our path that does the same
	make func() client // anew for each round, so that no layout in memory is favoured
}

// A section is paths whose calls end in the same way.
type section struct {
	name  string
	about string
	ends  func(error) bool // as the section's calls have to
	paths []path
}

var sections = []section{
	{"floor", "The call without a guard, and what guards are made of", succeeds, floors},
	{"closed", "Calls that are made and succeed", succeeds, closed},
	{"refused", "Calls that are refused, the error included", isRefused, refused},
	{"failing", "Calls that are made and some of which fail: the mean of all calls", isMade, failing},
}

func succeeds(err error) bool  { return err == nil }
func isRefused(err error) bool { return err != nil && err != errFailed }
func isMade(err error) bool    { return err == nil || err == errFailed }

var floors = []path{
	{name: "bare", make: func() client { return work{} }},
	{name: "atomic addition", make: func() client { return new(addition) }},
	{name: "two compare-and-swaps", make: func() client { return new(swaps) }},
	{name: "mutex pair", make: func() client { return new(mutex) }},
	{name: "monotonic read", make: func() client { return monotonic{} }},
	{name: "two monotonic reads", make: func() client { return twice{} }},
	{name: "time.Now", make: func() client { return wall{} }},
	{name: "context.WithTimeout", make: func() client { return deadline{} }},
	{name: "allocation of 192 B with pointers", make: func() client { return allocation{func(*[24]*int) {}} }},
}

var closed = []path{
	{name: "breaker STATIC_THRESHOLD", make: guarded(work{}, breakerOnly, static)},
	{name: "breaker CONSECUTIVE_FAILURES", make: guarded(work{}, breakerOnly, consecutive)},
	{name: "breaker CANARY_RATE_THRESHOLD", make: guarded(work{}, breakerOnly, canary)},
	{name: "breaker CANARY_RATE_THRESHOLD, window of time", make: guarded(work{}, breakerOnly, canaryOfTime)},
	{name: "breaker CANARY_RATE_THRESHOLD, slow calls tracked", make: guarded(work{}, breakerOnly, canaryOfSlow)},
	{name: "breaker PACED_RATE_THRESHOLD, window of time", make: guarded(work{}, breakerOnly, paced)},
	{name: "breaker NONE", make: guarded(work{}, breakerOnly, none)},
	{name: "breaker CANARY_RATE_THRESHOLD, one of 512 by key", make: guarded(work{}, byKey, canary)},
	{name: "breaker CANARY_RATE_THRESHOLD, a judge of all results", make: guarded(work{}, withJudge, canary)},
	{name: "bulkhead", make: guarded(work{}, bulkheadOnly, canary)},
	{name: "bulkhead, adaptive", make: adaptive},
	{name: "rate limit", make: guarded(work{}, rateOnly, canary)},
	{name: "breaker and bulkhead", make: guarded(work{}, both, canary)},
	{name: "breaker, bulkhead and retry", make: guarded(work{}, retrying, canary)},
	{name: "breaker, bulkhead and fallback", make: guarded(work{}, fallingBack, canary)},
	{name: "breaker and bulkhead, a stream that is opened and closed", make: guarded(work{}, streaming, canary)},
	{name: "breaker and bulkhead, counted", make: told(both, resilience.Count())},
	{name: "breaker and bulkhead, timed", make: told(both, resilience.Time())},
	{name: "breaker and bulkhead, one of ten methods", make: guarded(work{}, ten, canary)},
	{name: "breaker, bulkhead and timeout", make: guarded(work{}, timed, canary)},
	{name: "entry: two gates, two preloads", make: guarded(work{}, entry, canary)},
	{name: "entry, and two guarded calls inside", make: guarded(work{}, order, canary)},
	{name: "gobreaker", peer: "breaker CONSECUTIVE_FAILURES", make: func() client { return newSony(work{}) }},
	{name: "failsafe-go executor, breaker", peer: "breaker STATIC_THRESHOLD", make: func() client { return newExecutor(work{}, newFailsafe()) }},
	{name: "failsafe-go executor, breaker and bulkhead", peer: "breaker and bulkhead", make: func() client { return newComposed(work{}) }},
	{name: "failsafe-go executor, breaker, bulkhead, retry", peer: "breaker, bulkhead and retry", make: func() client { return newRetrying(work{}) }},
	{name: "failsafe-go executor, breaker, bulkhead, fallback", peer: "breaker, bulkhead and fallback", make: func() client { return newFalling(work{}) }},
	{name: "failsafe-go executor, breaker, bulkhead, timeout", peer: "breaker, bulkhead and timeout", make: func() client { return newTimed(work{}) }},
	{name: "failsafe-go standalone, breaker", peer: "breaker STATIC_THRESHOLD", make: func() client { return &standalone{work{}, newFailsafe(), nil} }},
	{name: "failsafe-go standalone, bulkhead", peer: "bulkhead", make: func() client { return &standalone{work{}, nil, bulkhead.New[int](room)} }},
	{name: "failsafe-go standalone, breaker and bulkhead", peer: "breaker and bulkhead", make: func() client { return &standalone{work{}, newFailsafe(), bulkhead.New[int](room)} }},
	{name: "hystrix-go", peer: "breaker, bulkhead and timeout", make: func() client { return newNetflix("closed", work{}) }},
	{name: "x/sync semaphore", peer: "bulkhead", make: func() client { return newWeighted(room) }},
	{name: "x/time rate", peer: "rate limit", make: func() client { return &bucket{work{}, rate.NewLimiter(1e9, 1e9)} }},
	{name: "uber-go ratelimit", peer: "rate limit", make: func() client { return &leaky{work{}, ratelimit.New(1e9)} }},
	{name: "failsafe-go standalone, rate limiter", peer: "rate limit", make: func() client { return newSmooth(1e9) }},
}

var refused = []path{
	{name: "breaker, a delay runs", make: tripped(breakerOnly, static)},
	{name: "breaker, a probe decides", make: probed},
	{name: "breaker and bulkhead, a delay runs", make: tripped(both, static)},
	{name: "bulkhead full", make: full},
	{name: "rate limit reached", make: spent},
	{name: "entry: one of two gates, a delay runs", make: tripped(entry, static)},
	{name: "gobreaker", peer: "breaker, a delay runs", make: func() client { return newSony(work{}).open() }},
	{name: "failsafe-go executor, breaker", peer: "breaker, a delay runs", make: func() client { return newExecutor(work{}, openFailsafe()) }},
	{name: "failsafe-go standalone, breaker", peer: "breaker, a delay runs", make: func() client { return &standalone{work{}, openFailsafe(), nil} }},
	{name: "failsafe-go standalone, bulkhead", peer: "bulkhead full", make: func() client { return &standalone{work{}, nil, bulkhead.New[int](0)} }},
	{name: "hystrix-go", peer: "breaker, a delay runs", make: func() client { return newNetflix("open", work{}).open() }},
	{name: "x/sync semaphore", peer: "bulkhead full", make: func() client { return newWeighted(0) }},
	{name: "x/time rate", peer: "rate limit reached", make: func() client { return &bucket{work{}, rate.NewLimiter(1e-9, 0)} }},
	{name: "failsafe-go standalone, rate limiter", peer: "rate limit reached", make: func() client { return newSmooth(1e-9) }},
}

var failing = []path{
	{name: "bare, 1 of 2 fails", make: func() client { return halfFailing{} }},
	{name: "breaker STATIC_THRESHOLD in 100, 1 of 2 fails", make: guarded(halfFailing{}, breakerOnly, static)},
	{name: "breaker CONSECUTIVE_FAILURES, 1 of 2 fails", make: guarded(halfFailing{}, breakerOnly, consecutive)},
	{name: "breaker CANARY_RATE_THRESHOLD in 100, 1 of 2 fails", make: guarded(halfFailing{}, breakerOnly, canary)},
	{name: "breaker CANARY_RATE_THRESHOLD in 100000, 1 of 2 fails", make: guarded(halfFailing{}, breakerOnly, canaryIn100000)},
	{name: "breaker PACED_RATE_THRESHOLD, 1 of 2 fails", make: guarded(halfFailing{}, breakerOnly, paced)},
	{name: "gobreaker, 1 of 2 fails", peer: "breaker CONSECUTIVE_FAILURES, 1 of 2 fails", make: func() client { return newSony(halfFailing{}) }},
	{name: "failsafe-go executor, breaker, 1 of 2 fails", peer: "breaker STATIC_THRESHOLD in 100, 1 of 2 fails", make: func() client { return newExecutor(halfFailing{}, newFailsafe()) }},
	{name: "failsafe-go standalone, breaker, 1 of 2 fails", peer: "breaker STATIC_THRESHOLD in 100, 1 of 2 fails", make: func() client { return &standalone{halfFailing{}, newFailsafe(), nil} }},
	{name: "bare, 1 of 100 fails", make: func() client { return rarelyFailing{} }},
	{name: "breaker STATIC_THRESHOLD in 100, 1 of 100 fails", make: guarded(rarelyFailing{}, breakerOnly, static)},
	{name: "breaker CANARY_RATE_THRESHOLD in 100, 1 of 100 fails", make: guarded(rarelyFailing{}, breakerOnly, canary)},
	{name: "breaker CANARY_RATE_THRESHOLD in 100 and bulkhead, 1 of 100 fails", make: guarded(rarelyFailing{}, both, canary)},
}
