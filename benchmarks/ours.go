package main

import (
	"context"
	"fmt"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Settings of breakers whose windows hold 100 calls, and that open only when all
// of them have failed.
const (
	static      = `"strategy": "STATIC_THRESHOLD", "failureThreshold": 100, "failureThresholdCapacity": 100, "testDelay": "1h"`
	consecutive = `"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 100`
	paced       = `"strategy": "PACED_RATE_THRESHOLD", "failureRateThreshold": 100`
	none        = `"strategy": "NONE"`

	canary         = `"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED", "failureRateThreshold": 100`
	canaryIn100000 = canary + `, "slidingWindowSize": 100000`
	canaryOfTime   = canary + `, "slidingWindowType": "TIME_BASED", "slidingWindowSize": 10`
	canaryOfSlow   = canary + `, "slowCallDurationThreshold": "1s", "slowCallRateThreshold": 100`
)

// A wrap puts a generated wrapper before next.
type wrap func(next client, registry *resilience.Registry) (client, error)

func breakerOnly(next client, r *resilience.Registry) (client, error) {
	return newResilientBreakerClient(next, r)
}

func byKey(next client, r *resilience.Registry) (client, error) {
	return newResilientKeyClient(next, r)
}

func bulkheadOnly(next client, r *resilience.Registry) (client, error) {
	return newResilientBulkheadClient(next, r)
}

func rateOnly(next client, r *resilience.Registry) (client, error) {
	return newResilientRateClient(next, r)
}

func both(next client, r *resilience.Registry) (client, error) {
	return newResilientBothClient(next, r)
}

func retrying(next client, r *resilience.Registry) (client, error) {
	return newResilientRetryClient(next, r)
}

func fallingBack(next client, r *resilience.Registry) (client, error) {
	return newResilientFallbackClient(next, r)
}

func withJudge(next client, r *resilience.Registry) (client, error) {
	return newResilientJudgedClient(next, r)
}

func streaming(_ client, r *resilience.Registry) (client, error) {
	streams, err := newResilientStreamClient(bodies{}, r)
	return reading{streams}, err
}

func timed(next client, r *resilience.Registry) (client, error) {
	return newResilientTimeoutClient(next, r)
}

func entry(next client, r *resilience.Registry) (client, error) {
	return newResilientEntryClient(next, r)
}

func ten(_ client, r *resilience.Registry) (client, error) {
	return newResilientTenClient(work{}, r)
}

// order is an entry whose body makes a guarded call for each gate and preload.
func order(next client, r *resilience.Registry) (client, error) {
	a, err := newResilientBothClient(next, r)
	if err != nil {
		return nil, err
	}
	b, err := newResilientOtherClient(next, r)
	if err != nil {
		return nil, err
	}
	return newResilientEntryClient(pair{a, b}, r)
}

// guarded makes a path of ours, whose breakers have the settings.
func guarded(next client, wrap wrap, settings string) func() client {
	return func() client { return must(wrap(next, newRegistry(settings, room))) }
}

// told is guarded with an option of the registry.
func told(wrap wrap, option resilience.Option) func() client {
	return func() client {
		return must(wrap(work{}, newRegistryWith(canary, fmt.Sprintf(`"maxConcurrentCalls": %d`, room), option)))
	}
}

// tripped is a path with a breaker that is OPEN.
func tripped(wrap wrap, settings string) func() client {
	return func() client {
		registry := newRegistry(settings, room)
		wrapper := must(wrap(work{}, registry))
		must(registry.Breaker("a")).Trip("benchmark")
		return wrapper
	}
}

// probed is a path with a breaker that is OPEN until its probe is good.
func probed() client {
	registry := newRegistry(canary, room)
	wrapper := must(breakerOnly(work{}, registry))
	must(registry.ExternalProbe("a"))
	must(registry.Breaker("a")).Trip("benchmark")
	return wrapper
}

// full is a path with a bulkhead whose only permit is taken for good.
func full() client {
	registry := newRegistry(canary, 1)
	wiring := must(resilience.Wire(registry, "benchmark", "full", work{}))
	taken := wiring.Guard("Full", resilience.Guards{Bulkhead: "a"})
	if err := new(resilience.Call).Begin(context.Background(), taken); err != nil {
		panic(err)
	}
	return must(bulkheadOnly(work{}, registry))
}

// spent is a path with a rate limit whose only token is taken for good.
func spent() client {
	const settings = `{"rateLimits": {"a": {"limit": 1, "period": "8760h"}}}`
	client := must(rateOnly(work{}, must(resilience.New(resilience.Settings("benchmark", []byte(settings)), resilience.Logger(nil)))))
	must(client.Do(context.Background(), 1))
	return client
}

func newRegistry(breaker string, size int) *resilience.Registry {
	return newRegistryWith(breaker, fmt.Sprintf(`"maxConcurrentCalls": %d`, size))
}

// adaptive is a path with a bulkhead that finds its size itself.
func adaptive() client {
	const sizes = `"limit": "ADAPTIVE", "targetLatency": "1s", "minConcurrentCalls": 1000, "maxConcurrentCalls": 1000`
	return must(bulkheadOnly(work{}, newRegistryWith(canary, sizes)))
}

func newRegistryWith(breaker, bulkhead string, options ...resilience.Option) *resilience.Registry {
	text := fmt.Sprintf(`{
		"breakers": {"a": {%s}, "b": {%[1]s}},
		"bulkheads": {"a": {%s}, "b": {%[2]s}},
		"timeouts": {"a": {"duration": "1h"}},
		"rateLimits": {"a": {"limit": 1000000000, "burst": 1000000000}},
	}`, breaker, bulkhead)
	return must(resilience.New(append(options, resilience.Settings("benchmark", []byte(text)), resilience.Logger(nil))...))
}

// must is for what fails only if the benchmarks are wrong.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}
