package main

import (
	"context"
	"errors"
	"time"

	"github.com/afex/hystrix-go/hystrix"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/fallback"
	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/sony/gobreaker/v2"
	"go.uber.org/ratelimit"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// room is the size of every bulkhead with free permits, never is longer than any
// run, and errRefused the error of adapters whose library reports a bool.
const (
	room  = 1000
	never = time.Hour
)

var errRefused = errors.New("refused")

// The adapters below are what somebody writes by hand to put a library before a
// client.

type sony struct {
	next    client
	breaker *gobreaker.CircuitBreaker[int]
}

func newSony(next client) *sony {
	return &sony{next, gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
		Timeout:     never,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures > 100 },
	})}
}

func (c *sony) Do(ctx context.Context, n int) (int, error) {
	return c.breaker.Execute(func() (int, error) { return c.next.Do(ctx, n) })
}

// open makes the breaker refuse.
func (c *sony) open() client {
	for c.breaker.State() != gobreaker.StateOpen {
		c.breaker.Execute(func() (int, error) { return 0, errFailed })
	}
	return c
}

func newFailsafe() circuitbreaker.CircuitBreaker[int] {
	return circuitbreaker.NewBuilder[int]().WithFailureThresholdRatio(100, 100).WithDelay(never).Build()
}

func openFailsafe() circuitbreaker.CircuitBreaker[int] {
	breaker := newFailsafe()
	breaker.Open()
	return breaker
}

// executor runs calls by failsafe-go's executor.
type executor struct {
	next     client
	policies failsafe.Executor[int]
}

func newExecutor(next client, policies ...failsafe.Policy[int]) *executor {
	return &executor{next, failsafe.With(policies...)}
}

func newComposed(next client) *executor {
	return newExecutor(next, newFailsafe(), bulkhead.New[int](room))
}

func newFalling(next client) *executor {
	return newExecutor(next, fallback.NewWithResult(1), newFailsafe(), bulkhead.New[int](room))
}

func newRetrying(next client) *executor {
	return newExecutor(next, retrypolicy.NewWithDefaults[int](), newFailsafe(), bulkhead.New[int](room))
}

func newTimed(next client) *executor {
	return newExecutor(next, newFailsafe(), bulkhead.New[int](room), timeout.New[int](never))
}

func (c *executor) Do(ctx context.Context, n int) (int, error) {
	return c.policies.WithContext(ctx).GetWithExecution(func(e failsafe.Execution[int]) (int, error) {
		return c.next.Do(e.Context(), n)
	})
}

// standalone uses failsafe-go's policies by hand: the fastest way it offers.
type standalone struct {
	next     client
	breaker  circuitbreaker.CircuitBreaker[int] // nil: none
	bulkhead bulkhead.Bulkhead[int]             // nil: none
}

func (c *standalone) Do(ctx context.Context, n int) (int, error) {
	if c.bulkhead != nil {
		if !c.bulkhead.TryAcquirePermit() {
			return 0, bulkhead.ErrFull
		}
		defer c.bulkhead.ReleasePermit()
	}
	if c.breaker == nil {
		return c.next.Do(ctx, n)
	}
	if !c.breaker.TryAcquirePermit() {
		return 0, circuitbreaker.ErrOpen
	}
	result, err := c.next.Do(ctx, n)
	if err != nil {
		c.breaker.RecordError(err)
	} else {
		c.breaker.RecordSuccess()
	}
	return result, err
}

// netflix runs calls by hystrix-go, which keeps its circuits by name.
type netflix struct {
	next client
	name string
}

func newNetflix(name string, next client) *netflix {
	hystrix.ConfigureCommand(name, hystrix.CommandConfig{
		Timeout:               int(never.Milliseconds()),
		MaxConcurrentRequests: 100 * room, // its tickets come back some time after the call
		SleepWindow:           int(never.Milliseconds()),
		ErrorPercentThreshold: 50,
	})
	return &netflix{next, name}
}

func (c *netflix) Do(ctx context.Context, n int) (result int, err error) {
	err = hystrix.DoC(ctx, c.name, func(ctx context.Context) error {
		result, err = c.next.Do(ctx, n)
		return err
	}, nil)
	return result, err
}

// open makes the circuit refuse: hystrix-go looks at the calls of whole seconds.
func (c *netflix) open() client {
	well := c.next
	c.next = failed{}
	for circuit, _, _ := hystrix.GetCircuit(c.name); !circuit.IsOpen(); {
		c.Do(context.Background(), 1)
	}
	c.next = well
	return c
}

// weighted limits calls by x/sync's semaphore.
type weighted struct {
	next    client
	permits *semaphore.Weighted
}

func newWeighted(size int64) *weighted { return &weighted{work{}, semaphore.NewWeighted(size)} }

func (c *weighted) Do(ctx context.Context, n int) (int, error) {
	if !c.permits.TryAcquire(1) {
		return 0, errRefused
	}
	defer c.permits.Release(1)
	return c.next.Do(ctx, n)
}

// bucket limits calls by x/time's token bucket.
type bucket struct {
	next   client
	tokens *rate.Limiter
}

func (c *bucket) Do(ctx context.Context, n int) (int, error) {
	if !c.tokens.Allow() {
		return 0, errRefused
	}
	return c.next.Do(ctx, n)
}

// leaky limits calls by uber-go's leaky bucket, which only waits.
type leaky struct {
	next client
	pace ratelimit.Limiter
}

func (c *leaky) Do(ctx context.Context, n int) (int, error) {
	c.pace.Take()
	return c.next.Do(ctx, n)
}

// smooth limits calls by failsafe-go's rate limiter, used by hand.
type smooth struct {
	next  client
	turns ratelimiter.RateLimiter[int]
}

// newSmooth has so many turns in a second, the first of which is there at once.
func newSmooth(perSecond float64) client {
	c := &smooth{work{}, ratelimiter.NewSmoothWithMaxRate[int](time.Duration(float64(time.Second) / perSecond))}
	if perSecond < 1 {
		c.turns.TryAcquirePermit()
	}
	return c
}

func (c *smooth) Do(ctx context.Context, n int) (int, error) {
	if !c.turns.TryAcquirePermit() {
		return 0, errRefused
	}
	return c.next.Do(ctx, n)
}
