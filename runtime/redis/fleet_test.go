package redis

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

func linked(p *process) bool { return strings.HasSuffix(p.links(), "up") }

// startFleet starts a server and processes that have heard of it.
func startFleet(t *testing.T, n int, pairs ...string) (*server, []*process) {
	t.Helper()
	s := startServer(t)
	all := startProcesses(t, n, shared(s.address, pairs...))
	inAll(t, all, "the link is there", linked)
	return s, all
}

// breakDown makes calls of every process fail until the fleet is in an outage.
func breakDown(t *testing.T, all []*process) {
	t.Helper()
	eventually(t, "an outage in every process", func() bool {
		for _, p := range all {
			p.call(errDown)
		}
		return !slices.ContainsFunc(all, func(p *process) bool { return !p.held() })
	})
}

// recover makes calls of every process succeed until all are admitted.
func recovers(t *testing.T, all []*process) {
	t.Helper()
	eventually(t, "every breaker is CLOSED", func() bool {
		for _, p := range all {
			p.call(nil)
		}
		return !slices.ContainsFunc(all, func(p *process) bool { return p.state() != resilience.Closed })
	})
}

func TestAnOutageOpensAndItsEndClosesEveryBreaker(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 5)
	breakDown(t, all)
	recovers(t, all)
	eventually(t, "the begin and the end are told once each", func() bool {
		got := fleetOutages(all)
		return count(got, "b BEGAN") == 1 && count(got, "b ENDED") == 1 && count(got, "b TRIAL") > 0
	})
}

func TestAggregatedCountsAreExact(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 4, "outageWindow", "1m", "minimumErrors", "1000000")
	var group sync.WaitGroup
	for i, p := range all {
		group.Go(func() {
			for j := range 5000 {
				var err error
				if j%10 < i {
					err = errDown
				}
				p.call(err)
			}
		})
	}
	group.Wait()
	d := &desk{t: t, server: s}
	eventually(t, "20000 calls and 3000 failures", func() bool {
		calls, failures := d.counted()
		return calls == 20000 && failures == 3000
	})
}

func TestWritesAreBoundedByProcessesAndInterval(t *testing.T) {
	s, all := startFleet(t, 3, "flushInterval", "100ms", "outageCheckInterval", "0s", "outageWindow", "1m")
	scripts := func() (n int) {
		for line := range strings.SplitSeq(s.do("INFO", "commandstats"), "\n") {
			var some int
			if _, err := fmt.Sscanf(line, "cmdstat_evalsha:calls=%d,", &some); err == nil {
				n += some
			}
		}
		return n
	}
	before, began, calls := scripts(), time.Now(), 0
	for time.Since(began) < time.Second {
		for _, p := range all {
			p.calls(100, nil)
			calls += 100
		}
	}
	took := time.Since(began)
	wrote := scripts() - before
	if most := len(all) * (int(took/(100*time.Millisecond)) + 2); wrote > most || wrote == 0 {
		t.Errorf("%d scripts for %d calls in %v, want at most %d", wrote, calls, took, most)
	}
}

func TestSampledCountsEachTakenSuccessForManyAndEveryFailure(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 1, "recording", "SAMPLED", "successSampleRate", "0.1", "outageWindow", "1m", "minimumErrors", "1000000")
	d := &desk{t: t, server: s}
	for range 100 {
		all[0].calls(100, nil)
		all[0].calls(5, errDown)
	}
	all[0].registry.Close() // hands in the rest
	calls, failures := d.counted()
	if failures != 500 {
		t.Errorf("%v failures are counted, want all 500", failures)
	}
	if n := calls - 500; n < 8500 || n > 11500 || int(n+.5)%10 != 0 {
		t.Errorf("%v successes are counted, want tens that make about 10000", n)
	}
}

func TestSamplesAreFair(t *testing.T) {
	for _, p := range []float64{1, .5, .1, .01} {
		sum := 0.0
		for range 2000 {
			sum += sample(100, p)
		}
		if mean := sum / 2000; mean < 100*(1-.1) || mean > 100*(1+.1) {
			t.Errorf("at a rate of %v, 100 successes count %v on average", p, mean)
		}
		if sample(0, p) != 0 {
			t.Errorf("at a rate of %v, no success counts", p)
		}
	}
}

func TestChangesArePushedToProcessesThatDoNothing(t *testing.T) {
	_, all := startFleet(t, 5, "outageCheckInterval", "0s", "flushInterval", "10ms")
	began := time.Now()
	all[0].calls(50, errDown)
	inAll(t, all, "the breaker is OPEN", is(resilience.Open))
	t.Logf("after %v", time.Since(began))
}

func TestT57AProcessThatJoinsWipesNothingAndNoneHoldsALock(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 2, "secondsBeforeRetry", "1h")
	breakDown(t, all)
	before := s.do("HMGET", "shop:{b}:state", "outage", "change", "retry", "reason")
	joined := startProcess(t, shared(s.address, "secondsBeforeRetry", "1h"))
	inAll(t, []*process{joined}, "it is held too", (*process).held)
	inAll(t, all, "the others are still", (*process).held)
	if after := s.do("HMGET", "shop:{b}:state", "outage", "change", "retry", "reason"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state was %v and is %v", before, after)
	}
	eventually(t, "nothing but the begin is told", func() bool {
		return slices.Equal(fleetOutages(append(all, joined)), []string{"b BEGAN"})
	})
	for _, p := range all {
		p.registry.Close() // whoever held a lock would take it along
	}
	s.do("DEL", "shop:{b}:state", "shop:{b}:counts")
	recovers(t, []*process{joined})
}

func TestWithoutAPushTheCheckFindsTheChange(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3, "outageCheckInterval", "200ms")
	s.do("SET", "shop:{b}:manual", "OPEN by a test") // tells nobody
	inAll(t, all, "the breaker is OPEN", is(resilience.Open))
	s.do("DEL", "shop:{b}:manual")
	inAll(t, all, "the breaker is CLOSED", is(resilience.Closed))
	eventually(t, "the begin and the end are told once each", func() bool {
		return slices.Equal(sorted(fleetOutages(all)), []string{"b BEGAN", "b ENDED"})
	})
}

func TestTheFleetSendsThePermittedTrialsNotThatMuchForEachProcess(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 10)
	breakDown(t, all)
	began, admitted := time.Now(), 0
	trials := func() int { return count(fleetOutages(all), "b TRIAL") }
	eventually(t, "some trials", func() bool {
		for _, p := range all {
			if !errors.As(p.call(errDown), new(*resilience.RefusalError)) {
				admitted++
			}
		}
		return time.Since(began) > 1500*time.Millisecond && trials() >= 2
	})
	if trials := trials(); admitted > 3*trials {
		t.Errorf("%d calls were admitted in %d trials of three", admitted, trials)
	}
}

func TestEveryStrategyCanBeShared(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var breakers []string
	for _, kind := range breaker.Strategies {
		settings := `"strategy": "` + kind.Name + `", "shared": true`
		switch kind.Name {
		case "CANARY_RATE_THRESHOLD":
			settings += `, "initialState": "CLOSED", "minimumNumberOfCalls": 100, "permittedNumberOfCallsInHalfOpenState": 3`
		case "PACED_RATE_THRESHOLD":
			settings += `, "minimumNumberOfCalls": 1000, "testDelay": "1ms", "permittedNumberOfCallsInHalfOpenState": 3`
		case "STATIC_THRESHOLD":
			settings += `, "failureThreshold": 100, "failureThresholdCapacity": 100`
		case "CONSECUTIVE_FAILURES":
			settings += `, "failureThreshold": 100`
		}
		breakers = append(breakers, fmt.Sprintf("%q: {%s}", kind.Name, settings))
	}
	text := shared(s.address)
	text = `{"breakers": {` + strings.Join(breakers, ", ") + `}, ` + text[strings.Index(text, `"sharedState"`):]
	all := startProcesses(t, 2, strings.Replace(text, `"breakers": {`, `"breakers": {"b": {}, `, 1))
	for _, kind := range breaker.Strategies {
		t.Run(kind.Name, func(t *testing.T) {
			call := func(p *process, result error) {
				var call resilience.Call
				if call.Begin(t.Context(), p.guard(kind.Name)) == nil {
					call.Finish(result)
					call.Release()
				}
			}
			until := func(state resilience.State, result error) {
				t.Helper()
				eventually(t, state.String(), func() bool {
					open := 0
					for _, p := range all {
						call(p, result)
						if p.breaker(kind.Name).State() == state {
							open++
						}
					}
					return open == len(all)
				})
			}
			until(resilience.Open, errDown)
			until(resilience.Closed, nil)
		})
	}
}

func TestStatesSetByHandComeBeforeTheFleet(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 4)
	forced, disabled, reset, rest := all[0], all[1], all[2], all[3]
	forced.breaker("b").ForceOpen("test")
	disabled.breaker("b").Disable("test")
	breakDown(t, all[2:])
	reset.breaker("b").Reset("test")
	time.Sleep(100 * time.Millisecond) // several exchanges
	got := []resilience.State{forced.state(), disabled.state(), reset.state()}
	want := []resilience.State{resilience.ForcedOpen, resilience.Disabled, resilience.Closed}
	if !slices.Equal(got, want) {
		t.Errorf("states are %v, want %v", got, want)
	}
	recovers(t, []*process{rest})
	if forced.state() != resilience.ForcedOpen || disabled.state() != resilience.Disabled {
		t.Error("the end of an outage ended a state set by hand")
	}
}

func TestTheTokenPassesOnFromAProcessWithoutCalls(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 2)
	breakDown(t, all)
	idle, busy := all[0], all[1]
	eventually(t, "the idle process has the token", func() bool { return idle.state() == resilience.HalfOpen })
	eventually(t, "the idle process follows the other", func() bool {
		busy.call(nil)
		return busy.state() == resilience.Closed && idle.state() == resilience.Closed
	})
}

func TestAClosedProcessHandsInItsCountsAndItsToken(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 2, "flushInterval", "1h", "outageWindow", "1h")
	all[0].calls(7, nil)
	all[0].registry.Close()
	if calls, _ := (&desk{t: t, server: s}).counted(); calls != 7 {
		t.Errorf("%v calls are counted, want 7", calls)
	}

	_, all = startFleet(t, 2, "trialTimeout", "20s")
	breakDown(t, all)
	eventually(t, "a process has the token", func() bool {
		return all[0].state() == resilience.HalfOpen || all[1].state() == resilience.HalfOpen
	})
	if all[0].state() != resilience.HalfOpen {
		all[0], all[1] = all[1], all[0]
	}
	all[0].registry.Close()
	recovers(t, all[1:])
}

// A process that is closed when it has other things to ask hands in its counts
// all the same.
func TestCloseHandsInCountsWhateverElseIsDue(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	want := 0.0
	for range 30 {
		p := startProcess(t, shared(s.address, "minimumErrors", "1000000", "outageWindow", "1m"))
		eventually(t, "the link is there", func() bool { return linked(p) })
		p.calls(5, errDown)
		s.do("PUBLISH", "shop:changes", "b")
		p.registry.Close()
		if want += 5; !countedIs(t, s, want) {
			t.Fatalf("the server has not %v failures after a process was closed", want)
		}
	}
}

func countedIs(t *testing.T, s *server, want float64) bool {
	_, failures := (&desk{t: t, server: s}).counted()
	return failures == want
}

func TestCloseEndsEveryGoroutine(t *testing.T) {
	s, all := startFleet(t, 3, "timeout", "500ms")
	breakDown(t, all)
	all[0].registry.Close()
	s.freeze()
	began := time.Now()
	all[1].registry.Close()
	if took := time.Since(began); took > patience {
		t.Errorf("closing took %v while the server is frozen", took)
	}
	s.stop()
	all[2].registry.Close()
	for _, p := range all {
		if p.held() {
			t.Error("a breaker is held after Close, and nobody will let it go")
		}
	}
	eventually(t, "all goroutines end", func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return strings.Count(string(stacks), "redis.(*worker)")+strings.Count(string(stacks), "redis.(*fleet)") == 0
	})
}

// changing is a settings source that a test rewrites.
type changing struct {
	mu      sync.Mutex
	text    string
	changed func()
}

func (c *changing) Read() (string, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "r.json", []byte(c.text), nil
}

func (c *changing) Follow(changed func()) (stop func(), err error) {
	c.changed = changed
	return func() {}, nil
}

func (c *changing) set(text string) {
	c.mu.Lock()
	c.text = text
	c.mu.Unlock()
	c.changed()
}

func TestSharingIsTurnedOffAndOnWhileAnOutageLasts(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	on := shared(s.address, "secondsBeforeRetry", "1h")
	tests := map[string]string{
		"for one breaker":  strings.Replace(on, `"shared": true`, `"shared": false`, 1),
		"for all breakers": shared(s.address, "secondsBeforeRetry", "1h", "enabled", "false"),
	}
	for about, off := range tests {
		t.Run(about, func(t *testing.T) {
			s.do("FLUSHALL")
			source := &changing{text: on}
			p := followProcess(t, resilience.Follow(source))
			breakDown(t, []*process{p})
			connected := func() bool { link := p.registry.Snapshot().Fleet; return link != nil && link.Connected }
			eventually(t, "the snapshot knows the link", connected) // told behind the outage
			source.set(off)
			recovers(t, []*process{p})
			eventually(t, "the snapshot knows no link", func() bool { return !connected() })
			source.set(on)
			inAll(t, []*process{p}, "held again", (*process).held)
			eventually(t, "the snapshot knows the link again", connected)
		})
	}
	t.Run("by redis-cli", func(t *testing.T) {
		s.do("FLUSHALL")
		p := startProcess(t, on)
		breakDown(t, []*process{p})
		s.do("SET", "shop:{b}:manual", "OFF")
		recovers(t, []*process{p})
		s.do("DEL", "shop:{b}:manual")
		inAll(t, []*process{p}, "held again", (*process).held)
	})
}

// unshared are settings that end the sharing of the breaker.
func unshared(settings string) string {
	return strings.Replace(settings, `"shared": true`, `"shared": false`, 1)
}

func TestSharingThatPausesLosesNoCountAndRepeatsNoEvent(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	on := shared(s.address, "outageWindow", "1m")
	source := &changing{text: on}
	p := followProcess(t, resilience.Follow(source))
	breakDown(t, []*process{p})
	recovers(t, []*process{p})
	d := &desk{t: t, server: s}
	before := d.settled()
	eventually(t, "the end is told", func() bool { return slices.Contains(p.outages(), "b ENDED") })
	told := p.outages()
	for i := range 3 {
		p.calls(10, nil) // in no report yet
		source.set(unshared(on))
		p.calls(1000, nil)
		source.set(on)
		eventually(t, "10 calls more each time", func() bool {
			calls, _ := d.counted()
			return calls == before+float64(10*(i+1))
		})
	}
	p.calls(7, nil)
	eventually(t, "7 calls more", func() bool {
		calls, _ := d.counted()
		return calls == before+37
	})
	if got := p.outages(); !slices.Equal(got, told) {
		t.Errorf("events were %q, and are %q", told, got)
	}
}

func TestAHolderOfTheTokenWhoseSharingIsTurnedOffGivesItBack(t *testing.T) {
	t.Parallel()
	ways := map[string]func(string) string{
		"for one breaker": unshared,
		"for all breakers": func(on string) string {
			return strings.Replace(on, `"sharedState": {`, `"sharedState": {"enabled": false, `, 1)
		},
		"with the whole section": func(string) string { return `{}` },
		"with all but enabled": func(string) string {
			return `{"breakers": {"default": {"shared": true}}, "sharedState": {"enabled": false}}`
		},
	}
	for about, off := range ways {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			on := shared(s.address, "trialTimeout", "1h")
			source := &changing{text: on}
			holder := followProcess(t, resilience.Follow(source))
			breakDown(t, []*process{holder})
			inAll(t, []*process{holder}, "it has the token", is(resilience.HalfOpen))
			other := startProcess(t, on)
			inAll(t, []*process{other}, "the other is held", (*process).held)
			source.set(off(on))
			recovers(t, []*process{other})
		})
	}
}

// The breaker leaves while the answer that tells of its outage is on its way.
func TestAChangeIsToldThoughTheBreakerLeft(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*proxy){
		"and the answer comes": func(*proxy) {},
		"and the answer is lost": func(p *proxy) {
			p.set(proxyMode{refuse: true})
			p.set(proxyMode{})
		},
	}
	for about, spoil := range ways {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 0)
			on := shared(r.proxy.address(), "outageWindow", "1m")
			source := &changing{text: on}
			p := followProcess(t, resilience.Follow(source))
			inAll(t, []*process{p}, "the link is there", linked)
			r.proxy.set(proxyMode{delay: 100 * time.Millisecond})
			p.calls(30, errDown)
			eventually(t, "an outage on the server", func() bool { return r.server.do("HGET", "shop:{b}:state", "outage") != "" })
			source.set(unshared(on))
			spoil(r.proxy)
			eventually(t, "the begin is told", func() bool { return slices.Equal(p.outages(), []string{"b BEGAN"}) })
		})
	}
}

// What a breaker that left has to hand in is worth nothing once the window is
// over.
func TestABreakerThatLeftGivesUpWithItsWindow(t *testing.T) {
	t.Parallel()
	static, s := new(breaker.Static), new(settings)
	setting.Defaults(static)
	setting.Defaults(s)
	m, now := &member{core: breaker.New("b", static.Strategy(), breaker.Hooks{}), fleet: newFleet()}, time.Now()
	m.join(breaker.Fleet{})
	m.reports = []report{{1, now, 5, 1}}
	m.leave(now, s)
	m.lose(lua.Record, now.Add(s.OutageWindow), s)
	if !m.busy() {
		t.Error("it gives up within the window")
	}
	m.lose(lua.Record, now.Add(s.OutageWindow+time.Second), s)
	if m.busy() || m.isLost() {
		t.Error("it does not give up")
	}
}

func TestOneOptionServesManyRegistries(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	option := Share()
	first, second := shareProcess(t, shared(s.address), option), shareProcess(t, shared(s.address), option)
	breakDown(t, []*process{first})
	inAll(t, []*process{second}, "it is held", (*process).held)
	eventually(t, "the begin is told by the one that found it", func() bool { return count(first.outages(), "b BEGAN") == 1 })
	if got := second.outages(); count(got, "b BEGAN") != 0 {
		t.Errorf("the other tells %q", got)
	}
	first.registry.Close()
	third := shareProcess(t, shared(s.address), option)
	inAll(t, []*process{third}, "it is held", (*process).held)
}

// force sets the key of an operator, or deletes it, and tells so.
func (s *server) force(words string) {
	s.t.Helper()
	if words == "" {
		s.do("DEL", "shop:{b}:manual")
	} else {
		s.do("SET", "shop:{b}:manual", words)
	}
	s.do("PUBLISH", "shop:changes", "b")
}

func TestAnOperatorForcesAnOutageThatLasts(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 2, "outageCheckInterval", "0s")
	breakDown(t, all)
	eventually(t, "trials", func() bool { return s.do("HGET", "shop:{b}:state", "holder") != "" })
	s.force("OPEN till noon, Ann")
	eventually(t, "the reason is the operator's", func() bool {
		return s.do("HGET", "shop:{b}:state", "reason") == "by hand: till noon, Ann"
	})
	inAll(t, all, "the breaker is OPEN", is(resilience.Open))
	for began := time.Now(); time.Since(began) < 500*time.Millisecond; time.Sleep(time.Millisecond) {
		for _, p := range all {
			if p.call(nil) == nil {
				t.Fatal("a call is admitted in an outage by hand")
			}
		}
	}
	s.force("")
	recovers(t, all)
	eventually(t, "two outages, one after the other", func() bool {
		got := fleetOutages(all)
		return count(got, "b BEGAN") == 2 && count(got, "b ENDED") == 2
	})
}

func TestAnOutageByHandEndsWithItsKeyWithoutChecks(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 2, "outageCheckInterval", "0s")
	s.force("OPEN test")
	inAll(t, all, "the breaker is OPEN", is(resilience.Open))
	s.do("PEXPIRE", "shop:{b}:manual", "1")
	eventually(t, "every breaker is CLOSED", func() bool {
		return all[0].state() == resilience.Closed && all[1].state() == resilience.Closed
	})
}

// The page tells operators to do that.
func TestAnOutageEndsWhenItsStateIsDeleted(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3, "outageCheckInterval", "1h", "secondsBeforeRetry", "1h")
	breakDown(t, all)
	s.do("DEL", "shop:{b}:state", "shop:{b}:counts")
	s.do("PUBLISH", "shop:changes", "b")
	inAll(t, all, "the breaker is CLOSED", is(resilience.Closed))
	eventually(t, "the end is told once", func() bool { return count(fleetOutages(all), "b ENDED") == 1 })
	for _, p := range all {
		if p.links() != "up" {
			t.Errorf("the process was told %q of its link", p.links())
		}
	}
	if reason := s.do("HGET", "shop:{b}:state", "reason"); reason != "its state was deleted by hand" {
		t.Errorf("the reason is %q", reason)
	}
}

// A breaker may be wired by hand under any name.
func TestNamesMayHaveBlanksAndBraces(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 2, "outageCheckInterval", "0s")
	for _, name := range []string{"a b", "a 5", "}a", "{}", "a}b", "%7D"} {
		all[1].guard(name)
		for range 30 {
			var call resilience.Call
			if call.Begin(t.Context(), all[0].guard(name)) == nil {
				call.Finish(errDown)
				call.Release()
			}
		}
		eventually(t, name+" is OPEN in the other process", func() bool {
			return all[1].breaker(name).State() == resilience.Open
		})
	}
	if got := all[0].links(); got != "up" {
		t.Errorf("the process was told %q of its link: %s", got, all[0].complaint())
	}
	if keys := strings.Fields(s.do("KEYS", "*:state")); !slices.Contains(keys, "shop:{%7Da}:state") {
		t.Errorf("keys are %q", keys)
	}
}

// With a default for keyPrefix the two were one breaker.
func TestFieldN02ServicesOnOneServerShareNoBreakerOfOneName(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	shop := startProcess(t, shared(s.address, "secondsBeforeRetry", "1h"))
	stock := startProcess(t, shared(s.address, "secondsBeforeRetry", "1h", "keyPrefix", "stock:"))
	breakDown(t, []*process{shop})
	stock.calls(5, nil)
	eventually(t, "stock counts", func() bool { return s.do("KEYS", "stock:{b}:counts") != "" })
	if stock.held() || stock.state() != resilience.Closed {
		t.Errorf("an outage of another service makes the breaker %v", stock.state())
	}
	_, err := resilience.New(resilience.Settings("r.json", []byte(shared(s.address, "keyPrefix", ""))), Share())
	if err == nil || !strings.Contains(err.Error(), "sharedState.keyPrefix: missing: two services on one server") {
		t.Errorf("a service without a name: error %v", err)
	}
}

func TestANewAddressIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	first, second := startServer(t), startServer(t)
	source := &changing{text: shared(first.address)}
	p := followProcess(t, resilience.Follow(source))
	p.calls(5, nil)
	eventually(t, "the first server counts", func() bool {
		calls, _ := (&desk{t: t, server: first}).counted()
		return calls == 5
	})
	source.set(shared(second.address))
	p.calls(7, nil)
	eventually(t, "the second server counts", func() bool {
		calls, _ := (&desk{t: t, server: second}).counted()
		return calls == 7
	})
}

func TestTuningLetsNoBreakerGo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	source := &changing{text: shared(s.address, "secondsBeforeRetry", "1h")}
	p := followProcess(t, resilience.Follow(source))
	breakDown(t, []*process{p})
	connections := func() string {
		stats := strings.Fields(s.do("INFO", "stats"))
		return stats[slices.IndexFunc(stats, func(stat string) bool { return strings.HasPrefix(stat, "total_connections_received:") })]
	}
	before := connections()
	for i := range 20 {
		source.set(shared(s.address, "secondsBeforeRetry", "1h", "flushInterval", fmt.Sprint(20+i, "ms")))
		if !p.held() {
			t.Fatal("the breaker was let go")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if after := connections(); after != before {
		t.Errorf("the process connected anew: %s, then %s", before, after)
	}
}

func TestAnotherServerDoesNotCloseABreaker(t *testing.T) {
	t.Parallel()
	first, second := startServer(t), startServer(t)
	source := &changing{text: strings.Replace(shared(first.address, "secondsBeforeRetry", "1h"), `"testDelay": "100ms"`, `"testDelay": "1h"`, 1)}
	p := followProcess(t, resilience.Follow(source))
	breakDown(t, []*process{p})
	source.set(strings.Replace(source.text, first.address, second.address, 1))
	eventually(t, "the fleet lets go", func() bool { return !p.held() })
	time.Sleep(100 * time.Millisecond)
	if p.state() != resilience.Open {
		t.Errorf("the breaker is %v, want OPEN as its strategy has it", p.state())
	}
}

func TestWhatIsWrongWithTheSettingsIsSaid(t *testing.T) {
	t.Setenv("REDIS_URL", "")
	tests := []struct{ about, settings, want string }{
		{"no address", shared(""), "sharedState.address is missing, and $REDIS_URL is not set"},
		{"an address without a port", shared("redis.internal"), "address: is no address such as"},
		{"a password in the file", shared("redis://me:hush@127.0.0.1:1"), "address: has a password in it"},
		{"a password without a scheme", shared("hush@127.0.0.1:1"), "address: is no address such as"},
		{"an address for its variable", shared("", "addressEnv", "redis://me:hush@h:1"), "addressEnv: is not a name of an environment variable"},
		{"a password for its variable", shared("127.0.0.1:1", "passwordEnv", "hush@"), "passwordEnv: is not a name of an environment variable"},
		{"a brace in the prefix", shared("127.0.0.1:1", "keyPrefix", "a{b}:"), "keyPrefix: has a brace or a blank"},
		{"a rate that is not used", shared("127.0.0.1:1", "successSampleRate", "0.5"), "0.5 needs recording SAMPLED"},
		{"a certificate without its key", shared("127.0.0.1:1", "tlsCertFile", "x"), "needs tlsKeyFile"},
		{"a flush that is longer than the window", shared("127.0.0.1:1", "flushInterval", "1m"), "1m is above outageWindow (2s)"},
		{"a file that is not there", shared("127.0.0.1:1", "tls", "true", "tlsCAFile", "/nowhere"), "sharedState.tlsCAFile: can't read the file: no such file or directory"},
		{"a password for a file of authorities", shared("127.0.0.1:1", "tls", "true", "tlsCAFile", "hush"), "sharedState.tlsCAFile: can't read the file"},
		{"a password for a certificate", shared("127.0.0.1:1", "tls", "true", "tlsCertFile", "hush", "tlsKeyFile", "hush"), "sharedState.tlsCertFile: can't read the file"},
		{"a password for the name of a variable", shared("", "addressEnv", "hush"), "sharedState.address is missing, and the variable that addressEnv names is not set"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			_, err := resilience.New(resilience.Settings("r.json", []byte(test.settings)), Share())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("error %v, want …%s…", err, test.want)
			}
		})
	}
}

func TestTheAddressMayComeFromTheEnvironment(t *testing.T) {
	s := startServer(t)
	for database, format := range []string{"redis://%s/", "redis://%s/1", "redis://%s/?db=2"} {
		t.Setenv("REDIS_URL", fmt.Sprintf(format, s.address))
		p := startProcess(t, shared(""))
		p.calls(5, nil)
		s.do("SELECT", fmt.Sprint(database))
		eventually(t, fmt.Sprintf("database %d counts", database), func() bool { return s.do("KEYS", "*counts") != "" })
	}
}

func TestPasswordsComeFromTheEnvironmentOrAFileAndAreNeverShown(t *testing.T) {
	s := startServer(t)
	s.do(append([]string{"ACL", "SETUSER", "me", "on", ">hush"}, rightsInPage(t)...)...)
	s.do("ACL", "SETUSER", "default", "off")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		about, variable, value string
		settings               string
		links                  string
	}{
		{"in a variable", "SECRET", "hush", shared(s.address, "username", "me", "passwordEnv", "SECRET"), "up"},
		{"in a file", "SECRET", "", shared(s.address, "username", "me", "passwordFile", file), "up"},
		{"in REDIS_URL", "REDIS_URL", "redis://me:hush@" + s.address, shared(""), "up"},
		{"wrong", "SECRET", "hushhush", shared(s.address, "username", "me", "passwordEnv", "SECRET"), "down"},
		{"missing", "SECRET", "", shared(s.address), "down"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			p := startProcess(t, test.settings)
			inAll(t, []*process{p}, "it is "+test.links, func(p *process) bool { return p.links() == test.links })
			if test.links == "up" {
				breakDown(t, []*process{p})
				recovers(t, []*process{p})
			}
			if text := p.said(); strings.Contains(text, "hush") {
				t.Errorf("the password is shown: %s", text)
			}
		})
	}
}

func TestTheStartingFileStartsAFleet(t *testing.T) {
	t.Parallel()
	start := settingsfile.Starter(map[string][]string{"breakers": {"b"}})
	if _, err := resilience.New(resilience.Settings("r.json", start), Share()); err != nil || !strings.Contains(string(start), `"keyPrefix": // `) {
		t.Errorf("error %v of the starting file\n%s", err, start)
	}
}

var update = flag.Bool("update", false, "write the table of settings in the page for operators anew")

// pagePath is where the page for operators is.
const pagePath = "../../docs/shared-state.md"

// page is what operators read.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rightsInPage are those that the page says a user needs.
func rightsInPage(t *testing.T) []string {
	t.Helper()
	_, rights, found := strings.Cut(page(t), "ACL SETUSER resgen on '>…' ")
	rights, _, ended := strings.Cut(rights, "```")
	if !found || !ended {
		t.Fatal("the page has no rights in it")
	}
	return strings.Fields(strings.NewReplacer("'", "", "\\", "").Replace(rights))
}

func TestTheTableForOperatorsIsThatOfTheSettings(t *testing.T) {
	const begin, end = "<!-- settings -->\n", "<!-- end -->\n"
	text := page(t)
	before, rest, opened := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no %q … %q", pagePath, begin, end)
	}
	want := before + begin + table() + end + after
	if *update {
		if err := os.WriteFile(pagePath, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Errorf("refresh %s with go test -run Table -update .; its table should be\n%s", pagePath, table())
	}
}

// table shows every setting with its default, range and meaning.
func table() string {
	var rows strings.Builder
	rows.WriteString("\n| setting | default | allowed | meaning |\n|---|---|---|---|\n")
	for _, f := range setting.Describe(new(settings)) {
		value := "–"
		if f.Default != nil {
			value = setting.Format(f.Default)
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", f.Name, value, f.Allowed(), f.Doc)
	}
	return rows.String() + "\n"
}
