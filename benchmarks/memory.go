package main

import (
	"context"
	"fmt"
	"runtime"

	resilience "github.com/resgen-go/resgen/runtime"
)

const (
	breakers    = 1_000_000
	perRegistry = 100_000
)

// memory is what a breaker in a registry takes, in bytes.
type memory struct {
	idle float64            // one of a million, in ten registries
	used map[string]float64 // by path: one that has made 200 calls
}

// heavy are the paths whose breakers are weighed.
var heavy = []struct{ path, settings string }{
	{"STATIC_THRESHOLD in 100", static},
	{"CONSECUTIVE_FAILURES", consecutive},
	{"CANARY_RATE_THRESHOLD in 100", canary},
	{"CANARY_RATE_THRESHOLD, window of time", canaryOfTime},
	{"PACED_RATE_THRESHOLD, window of time", paced},
}

func measureMemory() memory {
	m := memory{idle: weigh(breakers, canary, func(*resilience.Guard) {}), used: map[string]float64{}}
	for _, h := range heavy {
		m.used[h.path] = weigh(perRegistry/10, h.settings, fillWindow)
	}
	return m
}

// weigh makes n breakers, does something with the guard of each, and returns what
// one of them takes. The guards are not kept.
func weigh(n int, settings string, do func(*resilience.Guard)) float64 {
	var registries []*resilience.Registry
	before := heap()
	for made := 0; made < n; {
		registry := must(resilience.New(resilience.Settings("benchmark", []byte(`{"breakers": {"default": {`+settings+`}}}`)), resilience.Logger(nil)))
		wiring := must(resilience.Wire(registry, "benchmark", "memory", work{}))
		for range min(perRegistry, n) {
			do(wiring.Guard("Do", resilience.Guards{Breaker: fmt.Sprintf("breaker %d", made)}))
			made++
		}
		registries = append(registries, registry)
	}
	taken := heap() - before
	runtime.KeepAlive(registries)
	return float64(taken) / float64(n)
}

// fillWindow makes 200 calls of which one in ten fails.
func fillWindow(guard *resilience.Guard) {
	for n := range 200 {
		var call resilience.Call
		if err := call.Begin(context.Background(), guard); err != nil {
			panic(err)
		}
		if n%10 == 0 {
			call.Finish(errFailed)
		} else {
			call.Finish(nil)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one found dead is swept now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
