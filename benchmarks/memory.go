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

// measureMemory returns what a breaker in a registry takes, in bytes: one of a
// million that are idle, and one of a few whose windows hold 100 calls.
func measureMemory() (idle, used float64) {
	return weigh(breakers, func(*resilience.Guard) {}), weigh(perRegistry/10, fillWindow)
}

// weigh makes n breakers, does something with the guard of each, and returns what
// one of them takes. The guards are not kept.
func weigh(n int, do func(*resilience.Guard)) float64 {
	var registries []*resilience.Registry
	before := heap()
	for made := 0; made < n; {
		registry := must(resilience.New(resilience.Settings("benchmark", []byte(`{"breakers": {"default": {`+canary+`}}}`)), resilience.Logger(nil)))
		wiring := registry.Wire("benchmark")
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
