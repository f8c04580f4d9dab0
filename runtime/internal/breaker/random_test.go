package breaker_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Every strategy behaves as the model: random operations at random moments,
// everything observable compared after each.
func TestBreakerBehavesAsTheModel(t *testing.T) {
	for _, kind := range Strategies {
		t.Run(kind.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) { // without Deadline, which a bubble lacks
					p := newPair(t, func() Settings { return drawSettings(t, kind) })
					t.Repeat(p.actions())
				})
			})
		})
	}
}

// A breaker whose strategy changes keeps its state and its outcomes, as far as
// the new window holds them.
func TestReconfigureBehavesAsTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			p := newPair(t, func() Settings {
				return drawSettings(t, rapid.SampledFrom(Strategies).Draw(t, "strategy"))
			})
			t.Repeat(p.actions())
		})
	})
}

// A look at a breaker settles what successes left for later. Where somebody looks
// only now and then, and windows get full often, that makes no difference.
func TestABreakerThatIsSeldomLookedAtBehavesAsTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			p := newPair(t, func() Settings {
				settings := drawSettings(t, rapid.SampledFrom(Strategies).Draw(t, "strategy"))
				switch s := settings.(type) {
				case *Static:
					s.FailureThresholdCapacity = min(s.FailureThresholdCapacity, s.FailureThreshold+2)
				case *Canary:
					s.SlidingWindowSize = rapid.IntRange(1, 6).Draw(t, "size")
				}
				return settings
			})
			actions := p.actions()
			actions["look"] = actions[""]
			delete(actions, "")
			actions["keep totals"] = func(t *rapid.T) { p.breaker.KeepTotals(rapid.Bool().Draw(t, "keep")) }
			t.Repeat(actions)
			p.compare(t)
		})
	})
}

// pair is a breaker and its model, which must not differ.
type pair struct {
	breaker *Breaker
	model   *model
	report  func(error)
	draw    func() Settings // for a change of settings
	running []runningCall
	events  []event
}

type runningCall struct {
	period *Period
	model  call
}

func newPair(t *rapid.T, draw func() Settings) *pair {
	settings := draw()
	p := &pair{draw: draw}
	p.breaker = New("subject", settings.Strategy(), Hooks{Transition: p.observe})
	external := rapid.Bool().Draw(t, "external")
	if external {
		p.report, _ = p.breaker.ExternalProbe()
	}
	p.model = newModel(settings, external)
	return p
}

func (p *pair) observe(tr Transition) {
	p.events = append(p.events, event{tr.From, tr.To, tr.By, tr.At, tr.Refused, shown(tr.Figures)})
}

func shown(f Figures) figures {
	return figures{f.Calls, f.Failures, f.SlowCalls, f.FailureRate, f.SlowCallRate}
}

func (p *pair) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":            p.compare,
		"wait":        p.wait,
		"admit":       func(t *rapid.T) { p.admit(t) },
		"end":         p.end,
		"call":        p.call,
		"calls":       p.calls,
		"successes":   p.successes,
		"report":      p.reports,
		"control":     p.control,
		"reconfigure": p.reconfigure,
	}
}

func (p *pair) admit(t *rapid.T) bool {
	limit := rapid.SampledFrom([]time.Duration{0, 0, time.Second, 90 * time.Second}).Draw(t, "timeout")
	c, want := p.model.admit(limit)
	period, got := p.breaker.Admit()
	if got != want {
		t.Fatalf("admitted: %v, want %v", got, want)
	}
	if !got {
		period.Refused()
		p.model.refused++
		return false
	}
	if limit > 0 {
		period.Bound(limit)
	}
	p.running = append(p.running, runningCall{period, c})
	return true
}

// end ends any call that runs, an old one too.
func (p *pair) end(t *rapid.T) {
	if len(p.running) == 0 {
		t.Skip("none runs")
	}
	i := rapid.IntRange(0, len(p.running)-1).Draw(t, "which")
	p.finish(i, rapid.SampledFrom([]string{"success", "failure", "ignored", "slow", "slow failure", "abandoned", "slow abandoned"}).Draw(t, "result"))
}

func (p *pair) finish(i int, result string) {
	r := p.running[i]
	p.running = append(p.running[:i:i], p.running[i+1:]...)
	switch result {
	case "ignored":
		p.model.end(r.model, nil)
		r.period.Ignore()
	case "abandoned":
		p.model.end(r.model, nil)
		r.period.Abandon(false)
	case "slow abandoned":
		p.model.end(r.model, &outcome{slow: true, abandoned: true})
		r.period.Abandon(true)
	case "success", "slow":
		p.model.end(r.model, &outcome{slow: result == "slow"})
		r.period.Success(result == "slow")
	default:
		p.model.end(r.model, &outcome{failed: true, slow: result == "slow failure"})
		r.period.Failure(result == "slow failure", "", "")
	}
}

func (p *pair) call(t *rapid.T) {
	p.whole(t, rapid.SampledFrom([]string{"success", "failure"}).Draw(t, "result"))
}

func (p *pair) calls(t *rapid.T) {
	for _, failed := range rapid.SliceOfN(rapid.Bool(), 1, 20).Draw(t, "failed") {
		p.whole(t, map[bool]string{true: "failure", false: "success"}[failed])
	}
}

func (p *pair) successes(t *rapid.T) {
	for range rapid.IntRange(1, 200).Draw(t, "n") {
		p.whole(t, "success")
	}
}

func (p *pair) whole(t *rapid.T, result string) {
	if p.admit(t) {
		p.finish(len(p.running)-1, result)
	}
}

func (p *pair) reports(t *rapid.T) {
	if p.report == nil {
		t.Skip("no prober")
	}
	err := rapid.SampledFrom([]error{nil, errors.New("down")}).Draw(t, "err")
	p.model.report(err)
	p.report(err)
}

func (p *pair) control(t *rapid.T) {
	switch rapid.SampledFrom([]string{"trip", "trip", "reset", "force open", "disable", "metrics only"}).Draw(t, "operation") {
	case "trip":
		p.model.trip("me")
		p.breaker.Trip("me")
	case "reset":
		p.model.force(Closed, "you")
		p.breaker.Reset("you")
	case "force open":
		p.model.force(ForcedOpen, "me")
		p.breaker.ForceOpen("me")
	case "disable":
		p.model.force(Disabled, "you")
		p.breaker.Disable("you")
	case "metrics only":
		p.model.force(MetricsOnly, "me")
		p.breaker.MetricsOnly("me")
	}
}

func (p *pair) reconfigure(*rapid.T) {
	settings := p.draw()
	p.model.reconfigure(settings)
	p.breaker.Reconfigure(settings.Strategy())
}

// wait waits some while, preferably to a moment at which something happens, or
// just before.
func (p *pair) wait(t *rapid.T) {
	now := time.Now()
	moments := []time.Time{now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)}
	m := p.model
	if at, ends := m.delayedUntil(); ends {
		moments = append(moments, at)
	}
	if s, serve := m.canaries(); serve && m.state == Open {
		moments = append(moments, m.tickAt(s), m.canaryLostAt())
	}
	if m.state == HalfOpen && !m.newest.IsZero() {
		moments = append(moments, m.newest.Add(m.longest()), m.backed, m.newest.Add(time.Second))
	}
	if _, span := m.window(); len(m.outcomes) > 0 {
		moments = append(moments, m.outcomes[0].at.Add(span), m.outcomes[len(m.outcomes)/2].at.Add(span))
	}
	until := rapid.SampledFrom(moments).Draw(t, "until")
	until = until.Add(time.Duration(rapid.IntRange(-1, 0).Draw(t, "early")))
	time.Sleep(until.Sub(now))
}

func (p *pair) compare(t *rapid.T) {
	m := p.model
	s := p.breaker.Snapshot()
	want := fmt.Sprint(m.state, m.since, m.admits(), m.retryAt(), m.refused, m.trialsOut-m.trialsIn, m.figures())
	got := fmt.Sprint(s.State, s.Since, s.Admits, s.RetryAt, s.Refused, s.Trials, shown(s.Figures))
	if got != want {
		t.Fatalf("breaker %v\n  model %v", got, want)
	}
	if _, admits := p.breaker.Gate(); admits != s.Admits {
		t.Fatalf("the gate says %v, the snapshot %v", admits, s.Admits)
	}
	if got, want := fmt.Sprint(p.events), fmt.Sprint(m.events); got != want {
		t.Fatalf("events %v\n  want %v", got, want)
	}
}

// drawSettings draws small settings, so that everything happens soon.
func drawSettings(t *rapid.T, kind Kind) Settings {
	settings := kind.New()
	setting.Defaults(settings)
	small := rapid.IntRange(1, 6)
	delay := rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Second})
	longest := rapid.SampledFrom([]time.Duration{time.Second, time.Minute})
	rate := rapid.SampledFrom([]float64{0.1, 21, 33.3, 50, 57, 66.7, 100})
	switch s := settings.(type) {
	case *Static:
		s.FailureThreshold = small.Draw(t, "failureThreshold")
		s.FailureThresholdCapacity = s.FailureThreshold + rapid.SampledFrom([]int{0, 1, 5, 90}).Draw(t, "more")
		s.SuccessThreshold = small.Draw(t, "successThreshold")
		s.SuccessThresholdCapacity = s.SuccessThreshold + rapid.IntRange(0, 3).Draw(t, "more")
		s.TestDelay, s.MaxHalfOpenDuration = delay.Draw(t, "delay"), longest.Draw(t, "longest")
	case *Consecutive:
		s.FailureThreshold, s.SuccessThreshold = small.Draw(t, "failureThreshold"), small.Draw(t, "successThreshold")
		s.TestDelay, s.MaxHalfOpenDuration = delay.Draw(t, "delay"), longest.Draw(t, "longest")
	case *Canary:
		drawCanary(t, s)
		s.FailureRateThreshold, s.MaxHalfOpenDuration = rate.Draw(t, "rate"), longest.Draw(t, "longest")
	case *Paced:
		s.FailureRateThreshold, s.SuccessRateThreshold = rate.Draw(t, "rate"), rate.Draw(t, "success rate")
		s.SlidingWindowDuration = rapid.SampledFrom([]time.Duration{time.Millisecond, 2 * time.Second, time.Minute}).Draw(t, "window")
		s.MinimumNumberOfCalls = small.Draw(t, "minimum")
		s.PermittedNumberOfCallsInHalfOpenState = small.Draw(t, "permitted")
		s.TestDelay, s.MaxHalfOpenDuration = delay.Draw(t, "delay"), longest.Draw(t, "longest")
	}
	return settings
}

func drawCanary(t *rapid.T, s *Canary) {
	s.MinimumNumberOfCalls = rapid.SampledFrom([]int{1, 2, 5, 50, 1000}).Draw(t, "minimum")
	s.PermittedNumberOfCallsInHalfOpenState = rapid.IntRange(1, 6).Draw(t, "permitted")
	s.SlidingWindowSize = rapid.SampledFrom([]int{1, 2, 10, 63, 64, 65, 100}).Draw(t, "window")
	s.SlidingWindowType = rapid.SampledFrom([]string{"COUNT_BASED", "TIME_BASED"}).Draw(t, "type")
	s.InitialState = rapid.SampledFrom([]string{"OPEN", "CLOSED"}).Draw(t, "initial")
	if rapid.Bool().Draw(t, "slow calls") {
		s.SlowCallDurationThreshold = new(time.Second)
		if rapid.Bool().Draw(t, "judged") {
			s.SlowCallRateThreshold = new(rapid.SampledFrom([]float64{0.1, 50, 100}).Draw(t, "slow rate"))
		}
	}
	if rapid.Bool().Draw(t, "waits") {
		s.WaitDurationInOpenState = new(rapid.SampledFrom([]time.Duration{time.Millisecond, 5 * time.Second}).Draw(t, "wait"))
	}
	if n := rapid.IntRange(0, 3).Draw(t, "perTick"); n > 0 {
		s.ProbesPerTick = new(n)
	}
	s.ProbeBackoffMax = rapid.SampledFrom([]time.Duration{time.Second, 5 * time.Second, math.MaxInt32 * time.Second}).Draw(t, "backoff")
}
