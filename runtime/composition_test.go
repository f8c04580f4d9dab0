package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// composed is a service whose calls have every guard there is, under entries of every
// kind, while settings are reloaded, callers go and clients panic.
type composed struct {
	t        *testing.T
	registry *resilience.Registry
	guards   map[string]*resilience.Guard
	made     atomic.Uint64 // calls that reached the dependency
	failed   atomic.Uint64 // of these: those whose failure counts
	lasting  atomic.Int64  // streams that are open
}

func composedSettings(r *rand.Rand) string {
	return fmt.Sprintf(`{
		"breakers": {"p": {"failureThreshold": %d, "failureThresholdCapacity": 20, "testDelay": "10ms", "successThreshold": 2}},
		"bulkheads": {"p": {"maxConcurrentCalls": %d, "maxWaitDuration": "15ms", "queueCapacity": 8}},
		"rateLimits": {"p": {"limit": %d, "burst": 20, "maxWaitDuration": "5ms"}},
		"timeouts": {"p": {"duration": "%dms"}},
		"retries": {"p": {"maxAttempts": %d, "initialDelay": "2ms", "maxDuration": "80ms"}},
		"budgets": {"p": {"percent": 20, "burst": 30}},
		"fallbacks": {"p": {"enabled": %t}}
	}`, 3+r.IntN(10), 6+r.IntN(10), 500+r.IntN(1000), 15+r.IntN(20), 1+r.IntN(4), r.IntN(2) == 0)
}

func newComposed(t *testing.T, seed uint64) (*composed, *text) {
	source, registry := newSource(t, composedSettings(rand.New(rand.NewPCG(seed, 0))), resilience.Count())
	c := &composed{t: t, registry: registry, guards: map[string]*resilience.Guard{}}
	all := resilience.Guards{Breaker: "p", Bulkhead: "p", RateLimit: "p", Timeout: "p"}
	add := func(name string, change func(*resilience.Guards)) {
		guards := all
		change(&guards)
		c.guards[name] = newGuard(t, registry, guards)
	}
	add("call", func(*resilience.Guards) {})
	add("retried", func(g *resilience.Guards) { g.Retry = "p" })
	add("answered", func(g *resilience.Guards) { g.Fallback = "p" })
	add("both", func(g *resilience.Guards) { g.Retry, g.Fallback = "p", "p" })
	check := []resilience.Calls{{Breaker: "p"}}
	tokens := []resilience.Tokens{{RateLimit: "p", N: 3}}
	for name, guards := range map[string]resilience.Guards{
		"preload": {Check: check, Preload: permits("p", 3), Rate: tokens},
		"lease":   {Check: check, Lease: permits("p", 2)},
		"check":   {Check: check},
		"whole":   {Check: check, Preload: permits("p", 2), Timeout: "p", Fallback: "p"},
	} {
		c.guards[name] = newGuard(t, registry, guards)
	}
	return c, source
}

// TestCompositionIsExact lets random users make composed calls. What clients saw is
// counted beside, and must be what the breaker counted; in the end everything that was
// taken is back.
func TestCompositionIsExact(t *testing.T) {
	seeds, happened := uint64(20), [4]uint64{}
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			c, source := newComposed(t, seed)
			var users sync.WaitGroup
			for i := range 30 {
				user := &composing{c, rand.New(rand.NewPCG(seed, uint64(i+1)))}
				users.Go(func() {
					for range 40 {
						time.Sleep(time.Duration(user.IntN(10)) * time.Millisecond)
						user.act(t.Context(), 0)
					}
				})
			}
			random := rand.New(rand.NewPCG(seed, 1000))
			for range 40 {
				time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
				reload(t, source, c.registry, composedSettings(random))
			}
			users.Wait()
			synctest.Wait()
			for i, n := range c.check(seed) {
				happened[i] += n
			}
		})
	}
	for i, what := range []string{"failures", "refusals by a breaker", "refusals by a bulkhead", "retries"} {
		if happened[i] == 0 {
			t.Errorf("there were no %s", what)
		}
	}
}

func (c *composed) check(seed uint64) (happened [4]uint64) {
	t := c.t
	if open := c.lasting.Load(); open != 0 {
		t.Errorf("seed %d: %d streams are open", seed, open)
	}
	time.Sleep(time.Second)
	s := c.registry.Snapshot()
	b, h, l, budget := s.Breakers[0], s.Bulkheads[0], s.RateLimits[0], s.Budgets[0]
	if b.Trials != 0 || h.InUse != 0 || h.ReservedIdle != 0 || h.Waiting != 0 || h.Available != h.MaxConcurrentCalls ||
		l.Available != l.Burst || l.Waiting != 0 || budget.Left < 0 || budget.Left > float64(budget.Burst) {
		t.Errorf("seed %d: not everything is back: %d trials, %+v, %+v, %+v", seed, b.Trials, h, l, budget)
	}
	if counted := b.SuccessesTotal + b.FailuresTotal; counted > c.made.Load() || b.FailuresTotal > c.failed.Load() {
		t.Errorf("seed %d: %d outcomes and %d failures counted, of %d calls and %d failures",
			seed, counted, b.FailuresTotal, c.made.Load(), c.failed.Load())
	}
	return [4]uint64{b.FailuresTotal, b.RefusedTotal, h.Refused.Full, s.Retries[0].Retries}
}

type composing struct {
	*composed
	*rand.Rand
}

func (u *composing) act(ctx context.Context, depth int) {
	defer func() {
		if p := recover(); p != nil && p != any(errFailing) {
			panic(p)
		}
	}()
	if u.IntN(6) == 0 {
		short, cancel := context.WithTimeout(ctx, time.Duration(u.IntN(25))*time.Millisecond)
		defer cancel()
		ctx = short
	}
	switch kind := u.IntN(9); kind {
	case 0:
		do(ctx, u.guards["call"], u.step)
	case 1:
		tries(ctx, u.guards["retried"], u.step)
	case 2:
		answeredDo(ctx, u.guards["answered"], u.step)
	case 3:
		answeredTries(ctx, u.guards["both"], u.step)
	case 4:
		u.stream(ctx)
	default:
		if depth > 1 {
			return
		}
		name := []string{"preload", "lease", "check", "whole"}[kind-5]
		answeredDo(ctx, u.guards[name], func(ctx context.Context) error {
			for range 1 + u.IntN(3) {
				u.act(ctx, depth+1)
			}
			return nil
		})
	}
}

// answeredDo makes a call that falls back, where its guard has a fallback.
func answeredDo(ctx context.Context, guard *resilience.Guard, next func(context.Context) error) {
	var call resilience.Call
	defer call.Release()
	err := call.Begin(ctx, guard)
	if err == nil {
		err = call.Finish(next(call.Context()))
	}
	call.FallsBack(err)
}

// answeredTries is answeredDo for a call that is made again where it fails.
func answeredTries(ctx context.Context, guard *resilience.Guard, next func(context.Context) error) {
	var tries resilience.Attempts
	defer tries.Release()
	var err error
	for tries.Next(ctx, guard) {
		err = tries.Finish(next(tries.Context()))
	}
	tries.FallsBack(err)
	tries.Result(err)
}

// stream opens what is read later, and closes it at last.
func (u *composing) stream(ctx context.Context) {
	opened, err := fetch(ctx, u.guards["call"], func(ctx context.Context) (io.ReadCloser, error) {
		if err := u.step(ctx); err != nil {
			return nil, err
		}
		u.made.Add(1) // a failure while reading counts as one more
		u.failed.Add(1)
		body := &body{ctx: ctx, left: u.IntN(2000), pause: time.Millisecond}
		if u.IntN(3) == 0 {
			body.err = errFailing
		}
		return body, nil
	})
	if err != nil {
		return
	}
	u.lasting.Add(1)
	defer u.lasting.Add(-1)
	defer opened.Close()
	if u.IntN(3) > 0 {
		io.Copy(io.Discard, opened)
	}
}

// step is one call of the dependency.
func (u *composing) step(ctx context.Context) error {
	u.made.Add(1)
	err := work(ctx, time.Duration(u.IntN(20))*time.Millisecond, nil)
	switch {
	case err != nil:
		u.failed.Add(1)
		return err
	case u.IntN(40) == 0:
		u.failed.Add(1)
		panic(errFailing)
	case u.IntN(5) == 0:
		u.failed.Add(1)
		return errors.Join(errFailing)
	}
	return nil
}
