package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// breakerPlayer plays vectors of breakers through a guard, as generated code
// does.
type breakerPlayer struct {
	t        *testing.T
	vector   vector
	strategy string
	start    time.Time
	registry *resilience.Registry
	guard    *resilience.Guard
	report   func(error) // of a prober outside; nil: there is none
	running  map[string]*running
	nameless []*running
	probe    *scriptedProbe

	mu          sync.Mutex
	transitions []string
	overdue     int
}

// running is a call between its begin and its end.
type running struct {
	call   resilience.Call
	ctx    context.Context
	cancel context.CancelFunc
}

func newBreakerPlayer(t *testing.T, strategy string, v vector) *breakerPlayer {
	p := &breakerPlayer{
		t: t, vector: v, strategy: strategy, start: time.Now(), running: map[string]*running{},
		probe: &scriptedProbe{returns: make(chan struct{})},
	}
	if first := v.Steps[0]; first.Do == "probe_is" {
		p.probe.is(first.Result)
	}
	var err error
	p.registry, err = resilience.New(
		resilience.Settings("vector", settings(strategy, v.Config)),
		resilience.Logger(nil), resilience.Observe(resilience.ObserverFunc(p.observe)))
	if err != nil {
		t.Fatal(err)
	}
	wiring := newWiring(p.registry, "Vector")
	p.guard = wiring.Guard("Call", resilience.Guards{Breaker: "subject", Classify: classify})
	if slices.Contains(v.Features, "probe_worker") {
		wiring.Probe("subject", p.probe.call)
	} else if p.needsReports() {
		if p.report, err = p.registry.ExternalProbe("subject"); err != nil {
			t.Fatal(err)
		}
	}
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return p
}

func classify(err error) resilience.Outcome {
	switch {
	case err == nil:
		return resilience.Success
	case errors.Is(err, errIgnored):
		return resilience.Ignored
	}
	return resilience.Failure
}

// needsReports holds for breakers that nothing but a good probe closes, unless
// the vector is about calls that serve as probes.
func (p *breakerPlayer) needsReports() bool {
	return p.strategy == "CANARY_RATE_THRESHOLD" && !slices.Contains(p.vector.Features, "traffic")
}

func (p *breakerPlayer) observe(event resilience.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case resilience.Transition:
		if e.From != e.To {
			p.transitions = append(p.transitions, shown(e.From)+">"+shown(e.To))
		}
	case resilience.Probed:
		if e.Overdue {
			p.overdue++
		}
	}
}

// shown is a state in the words of the vectors.
func shown(state resilience.State) string {
	return strings.TrimPrefix(state.String(), "FORCED_")
}

func (p *breakerPlayer) close() {
	p.registry.Close()
	p.probe.letGo()
	for _, r := range p.running {
		r.cancel()
		r.call.Release()
	}
	for _, r := range p.nameless {
		r.cancel()
		r.call.Release()
	}
}

func (p *breakerPlayer) sleepUntil(ms int64) {
	time.Sleep(time.Until(p.start.Add(time.Duration(ms) * time.Millisecond)))
	synctest.Wait()
}

func (p *breakerPlayer) do(s step) {
	for _, call := range s.calls() {
		permitted := p.once(s, call)
		synctest.Wait()
		check(p.t, s, "permitted", permitted)
		check(p.t, s, "state_throughout", shown(p.breaker().State()))
	}
	p.compare(s)
}

func (p *breakerPlayer) once(s step, call string) (permitted bool) {
	switch s.Do {
	case "start", "acquire":
		return p.begin(s.Do, call)
	case "end":
		p.finish(p.running[call], s.Result)
		delete(p.running, call)
	case "release":
		p.finish(p.nameless[0], "cancel")
		p.nameless = p.nameless[1:]
	case "tick":
	case "probe_is", "probe_returns":
		p.script(s)
	case "force_open", "hold_open", "half_open", "probe_ok", "probe_fail", "reset":
		p.operate(s.Do)
	default:
		return p.whole(s)
	}
	return false
}

// begin asks for a call that goes on running.
func (p *breakerPlayer) begin(do, call string) (permitted bool) {
	r := p.ask()
	switch {
	case r == nil:
		return false
	case do == "start":
		p.running[call] = r
	default:
		p.nameless = append(p.nameless, r)
	}
	return true
}

func (p *breakerPlayer) whole(s step) (permitted bool) {
	r := p.ask()
	if r == nil {
		return false
	}
	time.Sleep(time.Duration(s.Took) * time.Millisecond)
	p.finish(r, s.Do)
	return true
}

func (p *breakerPlayer) ask() *running {
	r := new(running)
	r.ctx, r.cancel = context.WithCancel(context.Background())
	var err error
	if err = r.call.Begin(r.ctx, p.guard); err != nil {
		r.cancel()
		if !errors.Is(err, resilience.ErrOpen) {
			p.t.Errorf("refused with %v", err)
		}
		return nil
	}
	return r
}

func (p *breakerPlayer) finish(r *running, result string) {
	defer r.cancel()
	defer r.call.Release()
	switch result {
	case "success", "slow":
		r.call.Finish(nil)
	case "failure", "slow_failure":
		r.call.Finish(fmt.Errorf("wrapped: %w", errFailed))
	case "ignored":
		r.call.Finish(fmt.Errorf("wrapped: %w", errIgnored))
	case "cancel":
		r.cancel()
		r.call.Finish(fmt.Errorf("wrapped: %w", r.ctx.Err()))
	case "panic":
		p.panics(r)
	default:
		p.t.Fatalf("unknown result %q", result)
	}
}

func (p *breakerPlayer) panics(r *running) {
	defer func() {
		if got := recover(); got != errFailed {
			p.t.Errorf("the panic became %v", got)
		}
	}()
	defer r.call.Release()
	panic(errFailed)
}

func (p *breakerPlayer) operate(do string) {
	switch b := p.breaker(); do {
	case "force_open":
		b.Trip("vector")
	case "hold_open":
		b.ForceOpen("vector")
	case "reset":
		b.Reset("vector")
	case "probe_fail":
		p.report(errFailed)
	case "probe_ok":
		p.report(nil)
	case "half_open":
		if p.report != nil {
			p.report(nil)
		}
	}
}

func (p *breakerPlayer) script(s step) {
	if s.Do == "probe_is" {
		p.probe.is(s.Result)
	} else {
		p.probe.letGo()
	}
}

func (p *breakerPlayer) breaker() *resilience.Breaker {
	b, err := p.registry.Breaker("subject")
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *breakerPlayer) compare(s step) {
	snapshot := p.registry.Snapshot().Breakers[0]
	if s.Do != "half_open" {
		check(p.t, s, "state", shown(snapshot.State))
	}
	if states, ok := s.Expect["state_in"].([]any); ok && !slices.Contains(states, any(shown(snapshot.State))) {
		p.t.Errorf("state is %v, want one of %v", snapshot.State, states)
	}
	check(p.t, s, "rejected", snapshot.Refused)
	check(p.t, s, "remaining_delay_ms", max(0, time.Until(snapshot.RetryAt).Milliseconds()))
	p.compareEvents(s)
	late := p.vector.ID == "canary/overlap-late-results-while-open-show-in-the-numbers" && snapshot.State == resilience.Open
	if !late {
		p.compareFigures(s, snapshot.Figures)
	}
}

func (p *breakerPlayer) compareEvents(s step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	probes := p.probe.count()
	check(p.t, s, "overdue", p.overdue)
	check(p.t, s, "probes", probes)
	if between, ok := s.Expect["probes_between"].([]any); ok {
		if n := float64(probes); n < number(between[0]) || n > number(between[1]) {
			p.t.Errorf("%v probes, want %v", n, between)
		}
	}
	if want, ok := s.Expect["transitions"].([]any); ok && fmt.Sprint(want) != fmt.Sprint(p.transitions) {
		p.t.Errorf("transitions %v, want %v", p.transitions, want)
	}
}

func (p *breakerPlayer) compareFigures(s step, f resilience.Figures) {
	check(p.t, s, "calls", f.Calls)
	check(p.t, s, "failures", f.Failures)
	check(p.t, s, "successes", f.Calls-f.Failures)
	check(p.t, s, "slow_calls", f.SlowCalls)
	tolerance := 0.001
	if p.strategy == "STATIC_THRESHOLD" {
		tolerance = 0.5
	}
	for key, got := range map[string]float64{"failure_rate": f.FailureRate, "slow_rate": f.SlowCallRate} {
		if want, ok := s.Expect[key]; ok && math.Abs(number(want)-got) > tolerance {
			p.t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

func number(v any) float64 {
	n, err := v.(json.Number).Float64()
	if err != nil {
		panic(err)
	}
	return n
}

// scriptedProbe ends as a vector says.
type scriptedProbe struct {
	mu      sync.Mutex
	result  string
	returns chan struct{} // closed when a probe that hangs returns
	calls   int
}

func (p *scriptedProbe) is(result string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result = result
}

func (p *scriptedProbe) letGo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.returns)
	p.returns = make(chan struct{})
}

func (p *scriptedProbe) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

func (p *scriptedProbe) begin() (result string, returns <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	return p.result, p.returns
}

func (p *scriptedProbe) call(ctx context.Context) error {
	switch result, returns := p.begin(); result {
	case "failure":
		return errFailed
	case "panic":
		panic(errFailed)
	case "goexit":
		runtime.Goexit()
	case "heeds_timeout":
		<-ctx.Done()
		return ctx.Err()
	case "hang":
		<-returns
		return errFailed
	case "late_success":
		<-returns
	}
	return nil
}
