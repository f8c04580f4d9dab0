package resilience_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// bulkheadPlayer plays vectors of bulkheads. Each call runs on a goroutine of
// its own, since it may have to wait.
type bulkheadPlayer struct {
	t        *testing.T
	start    time.Time
	registry *resilience.Registry
	guard    *resilience.Guard
	calls    map[string]*placed
}

// placed is a call that wants a place.
type placed struct {
	status atomic.Value
	cancel context.CancelFunc
	end    chan string // its result
}

func newBulkheadPlayer(t *testing.T, v vector) *bulkheadPlayer {
	registry, err := resilience.New(resilience.Settings("vector", settings("BULKHEAD", v.Config)), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	wiring := newWiring(registry, "Vector")
	guard := wiring.Guard("Call", resilience.Guards{Bulkhead: "subject"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return &bulkheadPlayer{t: t, start: time.Now(), registry: registry, guard: guard, calls: map[string]*placed{}}
}

func (p *bulkheadPlayer) close() {
	for _, c := range p.calls {
		c.cancel()
		close(c.end)
	}
	synctest.Wait()
	if left := p.registry.Snapshot().Bulkheads[0]; left.InUse != 0 || left.Waiting != 0 {
		p.t.Errorf("in the end %+v", left)
	}
	p.registry.Close()
}

func (p *bulkheadPlayer) sleepUntil(ms int64) {
	time.Sleep(time.Until(p.start.Add(time.Duration(ms) * time.Millisecond)))
	synctest.Wait()
}

func (p *bulkheadPlayer) do(s step) {
	for _, name := range s.calls() {
		p.once(s, name)
		synctest.Wait()
		if s.Do == "acquire" {
			check(p.t, s, "outcome", p.calls[name].status.Load())
		}
	}
	if statuses, ok := s.Expect["status"].(map[string]any); ok {
		for name, want := range statuses {
			if got := p.calls[name].status.Load(); got != want {
				p.t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	}
	now := p.registry.Snapshot().Bulkheads[0]
	check(p.t, s, "running", now.InUse)
	check(p.t, s, "queued", now.Waiting)
	check(p.t, s, "available", now.Available)
}

func (p *bulkheadPlayer) once(s step, name string) {
	switch s.Do {
	case "acquire":
		p.acquire(name)
	case "release":
		p.calls[name].finish("success")
	case "end":
		p.calls[name].finish(s.Result)
	case "cancel":
		p.calls[name].cancel()
		p.calls[name].finish("cancel")
	case "stray_release":
		new(resilience.Call).Release()
	case "tick":
	default:
		p.t.Fatalf("unknown step %q", s.Do)
	}
}

func (p *bulkheadPlayer) acquire(name string) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &placed{cancel: cancel, end: make(chan string, 1)}
	c.status.Store("queued")
	if before := p.calls[name]; before != nil {
		close(before.end) // a call that was turned away comes again
	}
	p.calls[name] = c
	began := time.Now()
	go func() {
		var call resilience.Call
		err := call.Begin(ctx, p.guard)
		switch {
		case errors.Is(err, context.Canceled):
			c.status.Store("cancelled")
		case err != nil && time.Since(began) > 0:
			c.status.Store("timed_out")
		case err != nil:
			c.status.Store("rejected")
		default:
			c.run(&call)
			return
		}
		<-c.end
		call.Release() // by who has none
	}()
}

// finish ends the call, or tries to once more.
func (c *placed) finish(result string) {
	select {
	case c.end <- result:
	default:
	}
}

func (c *placed) run(call *resilience.Call) {
	defer func() { recover() }()
	defer func() {
		call.Release()
		call.Release() // once too often
	}()
	c.status.Store("running")
	switch result := <-c.end; result {
	case "panic":
		c.status.Store("done")
		panic(errFailed)
	case "cancel":
		c.status.Store("cancelled")
		call.Finish(context.Canceled)
	case "failure":
		c.status.Store("done")
		call.Finish(errFailed)
	default:
		c.status.Store("done")
		call.Finish(nil)
	}
}
