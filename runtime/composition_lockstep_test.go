package resilience_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	resilience "github.com/resgen-go/resgen/runtime"
)

// lockstep drives composed calls and their model through the same events.
type lockstep struct {
	*rapid.T
	*composition
	source   *text
	registry *resilience.Registry
	guards   map[string]*resilience.Guard
	callers  map[*visit]*caller
}

// caller is the goroutine of a visit.
type caller struct {
	ctx    context.Context // of an entry's body
	cancel context.CancelFunc
	ends   chan error // ends the call that is inside, or the body
	inside atomic.Bool
	over   atomic.Bool
}

// errPanics lets a call panic.
var errPanics = errors.New("panics")

// serve is the dependency, and the body of an entry.
func (c *caller) serve(ctx context.Context) error {
	c.ctx = ctx
	c.inside.Store(true)
	defer c.inside.Store(false)
	select {
	case err := <-c.ends:
		if err == errPanics {
			panic(err)
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newLockstep(t *testing.T, r *rapid.T) *lockstep {
	rules := drawComposedRules(r)
	source, registry := newSource(t, rules.String(), resilience.Count())
	all := resilience.Guards{Breaker: "p", Bulkhead: "p", RateLimit: "p", Timeout: "p"}
	retried, answered, both := all, all, all
	retried.Retry, answered.Fallback, both.Retry, both.Fallback = "p", "p", "p", "p"
	guards := map[string]*resilience.Guard{}
	for name, g := range map[string]resilience.Guards{
		"call": all, "retried": retried, "answered": answered, "both": both,
		"preload": {Check: []resilience.Calls{{Breaker: "p"}}, Preload: permits("p", 2), Rate: []resilience.Tokens{{RateLimit: "p", N: 2}}},
		"lease":   {Lease: permits("p", 2)},
	} {
		guards[name] = newGuard(t, registry, g)
	}
	return &lockstep{r, newComposition(rules), source, registry, guards, map[*visit]*caller{}}
}

// tick moves the clock by the least there is, so that no two events of different
// steps fall on one moment.
func (l *lockstep) tick() { time.Sleep(time.Nanosecond) }

// begin lets a visit begin on both sides.
func (l *lockstep) begin(name string, v *visit) {
	l.tick()
	ctx := context.Background()
	if v.under != nil {
		ctx = l.callers[v.under].ctx
	}
	c := &caller{ends: make(chan error, 1)}
	ctx, c.cancel = context.WithCancel(ctx)
	l.callers[v] = c
	guard := l.guards[name]
	go func() {
		defer c.over.Store(true)
		defer func() { recover() }()
		switch {
		case v.retries && v.answers:
			answeredTries(ctx, guard, c.serve)
		case v.retries:
			tries(ctx, guard, c.serve)
		default:
			answeredDo(ctx, guard, c.serve)
		}
	}()
	synctest.Wait()
	l.start(v)
	l.settle()
}

// settle compares both sides. Calls that began in the same moment would also end in
// one; all but one of them end now.
func (l *lockstep) settle() {
	l.compare()
	began := map[time.Time]bool{}
	for _, v := range slices.Clone(l.going) {
		switch {
		case l.unclear:
			return
		case v.phase != isInside || v.n > 0 || !v.began.Equal(time.Now()):
		case began[v.began]:
			l.finishNow(v, nil)
			l.settle()
			return
		default:
			began[v.began] = true
		}
	}
}

func (l *lockstep) compare() {
	if l.unclear {
		return
	}
	s := l.registry.Snapshot()
	b, h, limit, budget, retries := s.Breakers[0], s.Bulkheads[0], s.RateLimits[0], s.Budgets[0], s.Retries[0]
	got := seen{
		b.State, b.Trials, int(b.SuccessesTotal), int(b.FailuresTotal), h.InUse, h.ReservedIdle, h.Available, h.Waiting,
		limit.Available, budget.Left, int(retries.Retries), int(retries.Recovered), 0,
	}
	for _, method := range s.Fallbacks[0].Methods {
		got.answered += int(method.Refused + method.Timeout + method.Failure)
	}
	if want := l.composition.String(); got.String() != want {
		l.Fatalf("at %v\n got: %v\nwant: %v", time.Now().Format(".000000000"), got, want)
	}
	for v, c := range l.callers {
		if c.inside.Load() != (v.phase == isInside) || c.over.Load() != (v.phase == isOver) {
			l.Fatalf("a visit is in phase %d, inside %v, over %v: %+v", v.phase, c.inside.Load(), c.over.Load(), v)
		}
	}
}

// advance lets time pass, one event after the other.
func (l *lockstep) advance(d time.Duration) {
	for until := time.Now().Add(d); !l.unclear; l.settle() {
		var next *visit
		for _, v := range l.going {
			switch {
			case v.due.IsZero() || v.due.After(until):
			case next == nil || v.due.Before(next.due):
				next = v
			case v.due.Equal(next.due):
				l.unclear = true
			}
		}
		if next == nil || l.unclear {
			time.Sleep(time.Until(until))
			synctest.Wait()
			l.compare()
			return
		}
		time.Sleep(time.Until(next.due))
		synctest.Wait()
		l.expire(next)
	}
}

// pick is one of the visits that can be chosen.
func (l *lockstep) pick(can func(*visit) bool) *visit {
	var from []*visit
	for _, v := range l.going {
		if can(v) {
			from = append(from, v)
		}
	}
	if len(from) == 0 {
		l.Skip("there is none")
	}
	return from[rapid.IntRange(0, len(from)-1).Draw(l.T, "which")]
}

func isCallInside(v *visit) bool { return v.n == 0 && v.phase == isInside }

// finishNow ends a call that is inside, or the body of an entry.
func (l *lockstep) finishNow(v *visit, err error) {
	l.callers[v].ends <- err
	synctest.Wait()
	switch {
	case v.n > 0:
		l.leave(v)
	case err == nil:
		l.finish(v, resilience.Success, false)
	default:
		l.finish(v, resilience.Failure, err == errPanics)
	}
}

func (l *lockstep) endOne(t *rapid.T) {
	v := l.pick(isCallInside)
	l.tick()
	l.finishNow(v, rapid.SampledFrom([]error{nil, nil, nil, errDown, errDown, errDown, errPanics}).Draw(t, "with"))
	l.settle()
}

func (l *lockstep) beginUnder(t *rapid.T) {
	e := l.pick(func(v *visit) bool {
		return v.n > 0 && v.phase == isInside && v.calls < v.n && (v.lease || v.begun < v.n)
	})
	retries, answers := rapid.Bool().Draw(t, "retries"), rapid.Bool().Draw(t, "answers")
	name := map[[2]bool]string{{true, true}: "both", {true, false}: "retried", {false, true}: "answered", {false, false}: "call"}
	l.begin(name[[2]bool{retries, answers}], &visit{under: e, retries: retries, answers: answers})
}

func (l *lockstep) actions() map[string]func(*rapid.T) {
	named := func(name string, v visit) func(*rapid.T) {
		return func(*rapid.T) {
			if len(l.going) > 12 {
				l.Skip("enough")
			}
			v := v
			l.begin(name, &v)
		}
	}
	actions := map[string]func(*rapid.T){
		"call":     named("call", visit{}),
		"retried":  named("retried", visit{retries: true}),
		"answered": named("answered", visit{answers: true}),
		"both":     named("both", visit{retries: true, answers: true}),
		"preload":  named("preload", visit{entry: entry{n: 2, tokens: 2}}),
		"lease":    named("lease", visit{entry: entry{n: 2, lease: true}}),
		"under":    l.beginUnder, "another under": l.beginUnder,
		"end": l.endOne, "end one more": l.endOne, "end another": l.endOne, "end one too": l.endOne,
		"leave": func(*rapid.T) {
			v := l.pick(func(v *visit) bool { return v.n > 0 && v.phase == isInside && v.calls == 0 })
			l.tick()
			l.finishNow(v, nil)
			l.settle()
		},
		"cancel": func(*rapid.T) {
			v := l.pick(func(v *visit) bool { return v.n == 0 || v.phase == isWaiting })
			l.tick()
			l.callers[v].cancel()
			synctest.Wait()
			l.composition.cancel(v)
			l.settle()
		},
		"wait": func(t *rapid.T) {
			l.advance(time.Duration(rapid.IntRange(1, 80).Draw(t, "100 µs")) * 100 * time.Microsecond)
		},
		"wait long": func(t *rapid.T) {
			l.advance(time.Duration(rapid.IntRange(80, 300).Draw(t, "100 µs")) * 100 * time.Microsecond)
		},
		"reload": func(t *rapid.T) {
			l.tick()
			rules := l.composedRules.retuned(t)
			l.source.set(rules.String())
			if err := l.registry.Reload(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			l.tune(rules)
			l.settle()
		},
	}
	for name, act := range actions {
		actions[name] = func(t *rapid.T) {
			if !l.unclear {
				act(t)
			}
		}
	}
	return actions
}

// stop ends everything that goes on.
func (l *lockstep) stop() {
	for _, c := range l.callers {
		c.cancel()
	}
	synctest.Wait()
	for _, c := range l.callers {
		if c.inside.Load() {
			c.ends <- nil
		}
	}
	synctest.Wait()
}

// drain ends everything that goes on, and looks whether all of it is back.
func (l *lockstep) drain() {
	l.stop()
	time.Sleep(time.Second)
	s := l.registry.Snapshot()
	b, h, limit := s.Breakers[0], s.Bulkheads[0], s.RateLimits[0]
	if b.Trials != 0 || h.InUse != 0 || h.ReservedIdle != 0 || h.Waiting != 0 || h.Available != h.MaxConcurrentCalls || limit.Available != limit.Burst {
		l.Fatalf("not everything is back: %d trials, %+v, %+v", b.Trials, h, limit)
	}
}

// TestCompositionFollowsTheModel makes composed calls, one event after the other, and
// compares every permit, token, trial and retry with a model after each.
func TestCompositionFollowsTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(r *rapid.T) {
			l := newLockstep(t, r)
			defer l.registry.Close()
			defer l.stop() // also where they differ
			for range 3 {  // rapid's default is short
				r.Repeat(l.actions())
			}
			l.drain()
		})
	})
}
