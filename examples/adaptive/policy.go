package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"golang.org/x/sync/semaphore"

	resilience "github.com/resgen-go/resgen/runtime"
)

// policy is a way to bound how many calls one client has in flight. Make returns a
// guarded client and its end.
type policy struct {
	name  string
	class string // in the chart
	make  func(bare Dependency) (guarded Dependency, stop func() error, err error)
}

// The limits that all clients begin with, and the most that one may grow to.
const (
	initial = 25
	most    = 200
)

var policies = []policy{
	{"fixed 25", "fixed", withResgen(`{"maxConcurrentCalls": 25}`)},
	{"adaptive", "adaptive", withResgen(`{"limit": "ADAPTIVE", "maxConcurrentCalls": 200}`)},
	{"failsafe-go", "failsafe", withFailsafe},
	{"semaphore 25", "semaphore", withSemaphore},
}

// withResgen puts the generated wrapper before the client. Each client has a
// registry, as processes do.
func withResgen(bulkhead string) func(Dependency) (Dependency, func() error, error) {
	settings := fmt.Sprintf(`{"bulkheads": {"dependency": %s}, "timeouts": {"dependency": {"duration": "%v"}}}`, bulkhead, timeout)
	return func(bare Dependency) (Dependency, func() error, error) {
		registry, err := resilience.New(resilience.Settings("settings", []byte(settings)), resilience.Logger(nil))
		if err != nil {
			return nil, nil, err
		}
		guarded, err := NewResilientDependency(bare, registry)
		return guarded, registry.Close, err
	}
}

var errFull = errors.New("no room")

func unstoppable() error { return nil }

// limited is a client behind a limiter of another library.
type limited struct {
	Dependency
	begin func() (end func(error), ok bool)
}

func (l limited) Ask(ctx context.Context) error {
	end, ok := l.begin()
	if !ok {
		return errFull
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := l.Dependency.Ask(ctx)
	end(err)
	return err
}

// withFailsafe is the limiter of failsafe-go. Calls that time out are recorded, not
// dropped, because their durations are what tells of an overload.
func withFailsafe(bare Dependency) (Dependency, func() error, error) {
	limiter := adaptivelimiter.NewBuilder[any]().WithLimits(1, most, initial).Build()
	return limited{bare, func() (func(error), bool) {
		permit, ok := limiter.TryAcquirePermit()
		return func(error) { permit.Record() }, ok
	}}, unstoppable, nil
}

func withSemaphore(bare Dependency) (Dependency, func() error, error) {
	permits := semaphore.NewWeighted(initial)
	return limited{bare, func() (func(error), bool) {
		return func(error) { permits.Release(1) }, permits.TryAcquire(1)
	}}, unstoppable, nil
}
