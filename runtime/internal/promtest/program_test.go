package promtest

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	resgenprom "github.com/resgen-go/resgen/runtime/prometheus"
)

// program is a service whose dependencies fail when the test says so.
type program struct {
	*testing.T
	registry *resilience.Registry
	fleet    *fleet
	source   *source
	address  string
	guards   map[string]*resilience.Guard
}

var settings = `{
	"breakers": {
		"default": {"testDelay": "200ms", "successThreshold": 1},
		"shared": {"shared": true},
		"unenforced": {"failureThreshold": 1, "testDelay": "1h", "enforce": false},
		"tried": {"failureThreshold": 10, "shadow": {"failureThreshold": 1}},
		"slow": {"strategy": "CANARY_RATE_THRESHOLD", "initialState": "CLOSED", "minimumNumberOfCalls": 1, "failureRateThreshold": 100,
			"slowCallDurationThreshold": "5ms", "slowCallRateThreshold": 100},
	},
	"bulkheads": {
		"small": {"maxConcurrentCalls": 1},
		"tried": {"shadow": {"maxConcurrentCalls": 1}},
		"adaptive": {"limit": "ADAPTIVE", "targetLatency": "1s", "maxConcurrentCalls": 100},
	},
	"timeouts": {"short": {"duration": "10ms"}},
	"fallbacks": {"off": {"enabled": false}},
	"retries": {"again": {"initialDelay": "1ms"}},
	"rateLimits": {"few": {"limit": 1, "period": "1h"}},
	"sharedState": {"address": "nowhere:1", "keyPrefix": "shop:"},
	"faults": {"faulty": {"failPercent": 50, "until": "` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}},
}`

func startProgram(t *testing.T) *program {
	p := &program{T: t, fleet: new(fleet), source: &source{text: settings}, guards: map[string]*resilience.Guard{}}
	var err error
	p.registry, err = resilience.New(resilience.Follow(p.source), resilience.Logger(nil), resilience.Time(), resilience.Faults(),
		resilience.Share(func() resilience.Adapter { return p.fleet }), resilience.Observe(resilience.ObserverFunc(func(resilience.Event) {})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.registry.Close() })
	wiring, err := resilience.Wire(p.registry, "example.com/shop", "shop.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	for method, guards := range map[string]resilience.Guards{
		"Down":       {Breaker: "down"},
		"Forced":     {Breaker: "forced"},
		"Flapping":   {Breaker: "flapping"},
		"Shared":     {Breaker: "shared"},
		"Slow":       {Breaker: "slow", Timeout: "short"},
		"Small":      {Bulkhead: "small"},
		"Adaptive":   {Bulkhead: "adaptive"},
		"Few":        {RateLimit: "few"},
		"Faulty":     {Bulkhead: "faulty"},
		"Unenforced": {Breaker: "unenforced"},
		"Tried":      {Breaker: "tried", Bulkhead: "tried"},
		"Again":      {Retry: "again"},
		"Tenant":     {Breaker: "tenants", BreakerBy: "tenant"},
		"Answered":   {Fallback: "answered"},
		"Off":        {Fallback: "off"},
		"Stock":      {Bulkhead: "stock"},
		"Order":      {Preload: []resilience.Permits{{Bulkhead: "stock", N: 1}}},
		"Plan":       {Preload: []resilience.Permits{{Bulkhead: "stock", N: 5}}},
		"Gate":       {Check: []resilience.Calls{{Breaker: "down"}}},
	} {
		p.guards[method] = wiring.Guard(method, guards)
	}
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(resgenprom.Collector(p.registry))
	web := httptest.NewServer(promhttp.HandlerFor(metrics, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	t.Cleanup(web.Close)
	p.address = strings.TrimPrefix(web.URL, "http://")
	return p
}

func (p *program) breaker(name string) *resilience.Breaker {
	b, err := p.registry.Breaker(name)
	if err != nil {
		p.Fatal(err)
	}
	return b
}

var errDown = errors.New("down")

// call makes a call; the dependency does what do says.
func (p *program) call(ctx context.Context, method string, do func(context.Context) error) {
	var call resilience.Call
	defer call.Release()
	err := call.Begin(ctx, p.guards[method])
	if err == nil {
		err = call.Finish(do(call.Context()))
	}
	call.FallsBack(err)
}

func fails(context.Context) error { return errDown }

func well(context.Context) error { return nil }

// everyMoment does something again and again, until the test stops it.
func (p *program) everyMoment(do func()) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				do()
			}
		}
	})
	stop = sync.OnceFunc(func() { close(done); wg.Wait() })
	p.Cleanup(stop)
	return stop
}

// A trouble is something that an alert is for.
type trouble struct {
	alert string // with the name of the guard
	begin func(*program) (end func())
}

var troubles = []trouble{
	{"BreakerOpen down", func(p *program) func() {
		stop := p.everyMoment(func() {
			p.call(context.Background(), "Down", fails)
			p.call(context.Background(), "Answered", fails)
			p.call(context.Background(), "Gate", well)
		})
		return func() {
			stop()
			p.breaker("down").Reset("test")
		}
	}},
	{"BreakerForgotten forced", func(p *program) func() {
		p.breaker("forced").ForceOpen("ann")
		return func() { p.breaker("forced").Reset("ann") }
	}},
	{"BreakerFlapping flapping", func(p *program) func() {
		return p.everyMoment(func() {
			p.breaker("flapping").Trip("test")
			p.breaker("flapping").Reset("test")
		})
	}},
	{"BulkheadFull small", func(p *program) func() {
		var holds resilience.Call
		if err := holds.Begin(context.Background(), p.guards["Small"]); err != nil {
			p.Fatal(err)
		}
		stop := p.everyMoment(func() { p.call(context.Background(), "Small", well) })
		return func() {
			stop()
			holds.Finish(nil)
		}
	}},
	{"WrongReservation stock", func(p *program) func() {
		return p.everyMoment(func() {
			p.call(context.Background(), "Plan", well)
			p.call(context.Background(), "Order", func(ctx context.Context) error {
				p.call(ctx, "Stock", well)
				p.call(ctx, "Stock", well)
				p.call(ctx, "Small", well) // which it does not declare, and which is full
				return nil
			})
		})
	}},
	{"RateLimitReached few", func(p *program) func() {
		return p.everyMoment(func() { p.call(context.Background(), "Few", well) })
	}},
	{"BudgetEmpty again", func(p *program) func() {
		return p.everyMoment(func() {
			var attempts resilience.Attempts
			defer attempts.Release()
			for attempts.Next(context.Background(), p.guards["Again"]) {
				attempts.Finish(errDown)
			}
		})
	}},
	{"SettingsRejected ", func(p *program) func() {
		p.source.set("{", p.registry)
		return func() { p.source.set(settings, p.registry) }
	}},
	{"FleetLost ", func(p *program) func() {
		p.fleet.Link(sharing.Link{Err: errDown})
		return func() { p.fleet.Link(sharing.Link{}) }
	}},
	{"BreakerOpen shared", func(p *program) func() { // held by all
		p.fleet.joined.Hold(1, breaker.Now().Add(time.Hour), "outage of all processes")
		return func() { p.fleet.joined.Ramp(1, "over") }
	}},
	{"", func(p *program) func() { // every other call is slow and outlives its timeout, which opens no breaker
		return p.everyMoment(func() {
			p.call(context.Background(), "Slow", well)
			p.call(context.Background(), "Slow", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			p.call(context.Background(), "Adaptive", well)
			p.call(context.Background(), "Faulty", well)
			p.call(context.Background(), "Tried", well)
			p.call(context.Background(), "Unenforced", fails) // which opens, and is no matter for an alert
		})
	}},
}

// source is settings that the test changes.
type source struct {
	mu   sync.Mutex
	text string
}

func (s *source) Read() (string, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "resilience.json", []byte(s.text), nil
}

func (s *source) Follow(func()) (func(), error) { return func() {}, nil }

func (s *source) set(text string, registry *resilience.Registry) {
	s.mu.Lock()
	s.text = text
	s.mu.Unlock()
	registry.Reload()
}

// fleet is an adapter that shares with nobody.
type fleet struct {
	sharing.Hooks
	joined *breaker.Breaker
}

func (f *fleet) Start(hooks sharing.Hooks)                          { f.Hooks = hooks }
func (f *fleet) Configure(*sharedstate.Settings, bool) error        { return nil }
func (f *fleet) Join(b *breaker.Breaker, _ breaker.Fleet)           { f.joined = b }
func (f *fleet) Leave(*breaker.Breaker)                             {}
func (f *fleet) Transition(breaker.Transition)                      {}
func (f *fleet) Event(breaker.FleetEvent)                           {}
func (f *fleet) Snapshot() []sharing.Breaker                        { return nil }
func (f *fleet) Order(context.Context, string, sharing.Order) error { return nil }
func (f *fleet) Close()                                             {}
