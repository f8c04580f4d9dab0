package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// A play goes on in steps of a tenth of a second, in which a healthy process
// makes one call.
const (
	processes = 60
	step      = 100
	busy      = 200 // calls of the broken host in a step
	minute    = 60_000
	window    = 2 * minute
	retry     = 20_000
)

// A scheme decides for all processes.
type scheme struct {
	name string
	own  bool // each process has a breaker of its own, too: 3 failures among the last 10 calls, for 20 s
	make func() decider
}

// decider is told each call, and each step.
type decider interface {
	count(process int, now int64, failed bool)
	step(now int64, open []bool) // which processes have opened their own breakers
	held(now int64) bool
	writes() int
}

var schemes = []scheme{
	{"the source: a write a sample, p = .05, a counter a minute", false, func() decider { return &counters{rate: .05, every: minute} }},
	{"sums of all processes, each second", true, func() decider { return &counters{rate: 1, every: window / 24, aggregated: true} }},
	{"sums alone, without breakers of their own", false, func() decider { return &counters{rate: 1, every: window / 24, aggregated: true} }},
	{"votes, and sums in which a process counts as one", true, newVotes},
}

// counters add all calls up, in buckets: at half of the calls, and twenty
// failures, an outage begins.
type counters struct {
	rate       float64 // probability with which a success is counted, as 1/rate
	every      int64   // length of a bucket
	aggregated bool    // one write a second of each process, in place of one a call
	calls      map[int64]float64
	failures   map[int64]float64
	until      int64
	wrote      int
	dirty      [processes]bool
}

func (c *counters) count(process int, now int64, failed bool) {
	if c.calls == nil {
		c.calls, c.failures = map[int64]float64{}, map[int64]float64{}
	}
	bucket := now - now%c.every
	switch {
	case failed:
		c.calls[bucket]++
		c.failures[bucket]++
	case rand.Float64() < c.rate:
		c.calls[bucket] += 1 / c.rate
	default:
		return
	}
	if c.dirty[process] = true; !c.aggregated {
		c.wrote++
	}
}

func (c *counters) step(now int64, _ []bool) {
	if c.aggregated && now%1000 == 0 {
		for i, dirty := range c.dirty {
			if dirty {
				c.wrote++
			}
			c.dirty[i] = false
		}
	}
	var calls, failures float64
	for bucket := range c.calls {
		if bucket <= now-window {
			delete(c.calls, bucket)
			delete(c.failures, bucket)
			continue
		}
		calls, failures = calls+c.calls[bucket], failures+c.failures[bucket]
	}
	if now >= c.until && failures >= 20 && failures*2 >= calls {
		c.until = now + retry
		clear(c.calls)
		clear(c.failures)
	}
}

func (c *counters) held(now int64) bool { return now < c.until }
func (c *counters) writes() int         { return c.wrote }

// votes is the rule of the product, as the store runs it.
type votes struct {
	state    rule.State
	alive    map[string]bool
	windows  [processes]map[int64]tally
	reported [processes]tally
	at       [processes]int64
	voted    [processes]bool
	again    [processes]int64
	calm     bool
	wrote    int
}

type tally struct{ calls, failures int64 }

func newVotes() decider {
	v := &votes{alive: map[string]bool{}, calm: true}
	for i := range processes {
		v.alive[name(i)] = true
		v.windows[i] = map[int64]tally{}
		v.at[i] = rand.Int64N(1000) - 1000
	}
	return v
}

func name(process int) string { return fmt.Sprint("p", process) }

var settings = rule.Settings{
	Threshold: 50, Errors: 20, Window: window, Votes: 3, Share: 50, Retry: retry, Trial: 10_000, Ramp: 1000, Good: 5, Of: 5,
}

func (v *votes) count(process int, now int64, failed bool) {
	bucket := now - now%(window/24)
	t := v.windows[process][bucket]
	if t.calls++; failed {
		t.failures++
	}
	v.windows[process][bucket] = t
}

func (v *votes) step(now int64, open []bool) {
	for i := range processes {
		var t tally
		for bucket, some := range v.windows[i] {
			if bucket <= now-window {
				delete(v.windows[i], bucket)
				continue
			}
			t.calls, t.failures = t.calls+some.calls, t.failures+some.failures
		}
		quiet := v.calm && t.failures == 0 && v.at[i] >= 0
		wait := int64(1000)
		if quiet {
			wait = window / 2
		}
		again := v.again[i] > 0 && now >= v.again[i]
		if open[i] == v.voted[i] && !again && (t == v.reported[i] || now-v.at[i] < wait) {
			continue
		}
		v.report(i, now, t, open[i])
	}
}

func (v *votes) report(process int, now int64, t tally, open bool) {
	in := rule.Input{
		Process: name(process), Rule: settings, Ended: v.state.Ended, Outage: v.state.Outage, Calls: t.calls, Failures: t.failures,
	}
	if open {
		in.Vote = rule.Open
	}
	view := rule.Step(&v.state, v.alive, in, now+epoch)
	v.wrote++
	if v.again[process] = 0; view.Again > 0 && open {
		v.again[process] = now + view.Again
	}
	v.at[process], v.reported[process], v.voted[process] = now, t, open
	if v.calm && !view.Calm {
		for i := range processes { // all hear of the first failure, and report
			v.at[i] = min(v.at[i], now-1000)
		}
	}
	v.calm = view.Calm
}

// epoch keeps numbers of outages above 0.
const epoch = 1_000_000

func (v *votes) held(int64) bool { return v.state.Outage != 0 }
func (v *votes) writes() int     { return v.wrote }

// breaker is a process's own.
type breaker struct {
	last  []bool // failed
	until int64
}

func (b *breaker) open(now int64) bool { return now < b.until }

func (b *breaker) add(now int64, failed bool) {
	if b.last = append(b.last, failed); len(b.last) > 10 {
		b.last = b.last[1:]
	}
	failures := 0
	for _, f := range b.last {
		if f {
			failures++
		}
	}
	if failures >= 3 {
		b.last, b.until = nil, now+retry
	}
}

// play lets time pass, and returns for how many steps the processes were held.
func play(s scheme, d decider, from, to int64, calls func(process int) (n int, fail bool), until func(failed int) bool) (held, failed int, end int64) {
	var own [processes]breaker
	open := make([]bool, processes)
	for end = from; end < to; end += step {
		now := end
		for i := range own {
			n, fail := calls(i)
			for range n {
				if d.held(now) || s.own && own[i].open(now) {
					break
				}
				d.count(i, now, fail)
				if own[i].add(now, fail); fail {
					failed++
				}
			}
			open[i] = s.own && own[i].open(now)
		}
		if d.step(now, open); d.held(now) {
			held++
		}
		if until(failed) && d.held(now) {
			return held, failed, end
		}
	}
	return held, failed, end
}

// measure plays a scheme through.
func measure(s scheme) row {
	r := row{name: s.name}
	well := func(int) (int, bool) { return 1, false }
	never := func(int) bool { return false }
	share := func(calls func(int) (int, bool)) float64 {
		d := s.make()
		play(s, d, 0, 3*minute, well, never)
		held, _, _ := play(s, d, 3*minute, 13*minute, calls, never)
		return 100 * float64(held*step) / (10 * minute)
	}
	r.host = share(func(i int) (int, bool) {
		if i == 0 {
			return busy, true
		}
		return 1, false
	})
	r.zone = share(func(i int) (int, bool) { return 1, i < processes*4/10 })
	d := s.make()
	play(s, d, 0, 2*minute, well, never)
	before := d.writes()
	play(s, d, 2*minute, 12*minute, well, never)
	r.writes = float64(d.writes()-before) / (10 * 60)
	const death = 12 * minute
	_, failed, end := play(s, d, death, death+10*minute, func(int) (int, bool) { return 1, true }, func(int) bool { return true })
	r.failed, r.hold = failed, float64(end-death)/1000
	return r
}
