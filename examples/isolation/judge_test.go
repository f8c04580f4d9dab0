package main

import (
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
	resilience "github.com/resgen-go/resgen/runtime"
)

// told is an experiment whose results are made up.
var told = experiment{
	rate: 100, timeout: 500 * time.Millisecond, pools: sizes{20, 10, 10},
	over: time.Second, slice: 100 * time.Millisecond,
	policies: []policy{{title: "a policy"}},
}

// record has 100 answers, so many of them ok, each after a time.
func record(ok int, took time.Duration) *load.Record {
	r := load.NewRecord(told.plan())
	for i := range 100 {
		kind := load.OK
		if i >= ok {
			kind = load.Refused
		}
		r.Add(load.Answer{Number: i, Sent: time.Duration(i) * 10 * time.Millisecond, Kind: kind, Took: took})
	}
	return r
}

// used are gauges of pools of which so many permits were in use.
func used(permits map[string]int) []stand.Gauges {
	g := stand.Gauges{Pools: make(map[string]resilience.BulkheadSnapshot)}
	for pool, size := range map[string]int{"shared": 20, "a": 10, "b": 10} {
		g.Pools[pool] = resilience.BulkheadSnapshot{Name: pool, MaxConcurrentCalls: size, InUse: permits[pool]}
	}
	return []stand.Gauges{g}
}

// outcome is what is told of a state of A: percents of good answers, and how long
// those of /b took.
type outcome struct {
	sharedA, sharedB, splitA, splitB int
	sharedTook, splitTook            time.Duration
	idle                             bool // no pool ran out
}

func (o outcome) cell(role role) cell {
	full := map[string]int{"shared": 20, "a": 10}
	if o.idle {
		full = nil
	}
	return cell{
		state:  state{role: role, title: "A is as told"},
		policy: told.policies[0],
		shared: side{record(o.sharedA, 0), record(o.sharedB, o.sharedTook), used(full)},
		split:  side{record(o.splitA, 0), record(o.splitB, o.splitTook), used(full)},
	}
}

var (
	calm  = outcome{sharedA: 100, sharedB: 100, splitA: 100, splitB: 100, sharedTook: 5 * time.Millisecond, splitTook: 5 * time.Millisecond}
	storm = outcome{sharedA: 70, sharedB: 70, splitA: 36, splitB: 100, sharedTook: 5 * time.Millisecond, splitTook: 5 * time.Millisecond}
)

// but is an outcome with a change.
func (o outcome) but(change func(*outcome)) outcome {
	change(&o)
	return o
}

func TestClaimsAreJudgedByFigures(t *testing.T) {
	const (
		fails, slows, keeps, dead, free = 0, 1, 2, 3, 4
	)
	for name, c := range map[string]struct {
		claim               int
		slow, failing, well outcome
		want                ruling
		why                 string
	}{
		"/b fails with A":          {fails, storm, calm, calm, supported, "/b 70 % ok, with a pool each 100 %"},
		"/b fails just enough":     {fails, storm.but(func(o *outcome) { o.sharedB = 85 }), calm, calm, supported, "85 %"},
		"/b fails a little":        {fails, storm.but(func(o *outcome) { o.sharedB = 90 }), calm, calm, undecided, "90 %"},
		"/b does not fail":         {fails, storm.but(func(o *outcome) { o.sharedB = 95 }), calm, calm, unsupported, "95 %"},
		"too little load to fail":  {fails, storm.but(func(o *outcome) { o.idle = true }), calm, calm, undecided, "the permits of shared never ran out (0.0 of 20 in use on average)"},
		"/b is no slower":          {slows, storm, calm, calm, unsupported, "p50 of /b 5"},
		"/b is slower":             {slows, storm.but(func(o *outcome) { o.sharedTook = 100 * time.Millisecond }), calm, calm, supported, "ms, with a pool each 5"},
		"/b is somewhat slower":    {slows, storm.but(func(o *outcome) { o.sharedTook = 15 * time.Millisecond }), calm, calm, undecided, ""},
		"/b never answers":         {slows, storm.but(func(o *outcome) { o.sharedB = 0 }), calm, calm, undecided, "no good answers"},
		"a pool each keeps /b up":  {keeps, storm, calm, calm, supported, "/b 100 % ok, while /a has 36 %"},
		"a pool each nearly does":  {keeps, storm.but(func(o *outcome) { o.splitB = 98 }), calm, calm, undecided, "98 %"},
		"a pool each does not":     {keeps, storm.but(func(o *outcome) { o.splitB = 95 }), calm, calm, unsupported, "95 %"},
		"A's pool is never full":   {keeps, storm.but(func(o *outcome) { o.idle = true }), calm, calm, undecided, "the permits of a never ran out"},
		"down harms less":          {dead, storm, calm, calm, supported, "down: 0 points"},
		"down harms less by time":  {dead, calm.but(func(o *outcome) { o.sharedTook = 50 * time.Millisecond }), calm, calm, supported, "slow: 0 points"},
		"down harms as much":       {dead, storm, storm, calm, unsupported, "down: 30 points"},
		"neither harms":            {dead, calm, calm, calm, undecided, ""},
		"down harms a little":      {dead, storm, calm.but(func(o *outcome) { o.sharedB = 95 }), calm, undecided, "down: 5 points"},
		"isolation is free":        {free, storm, calm, calm, supported, "/a 100 % ok, with one pool 100 %"},
		"isolation has a price":    {free, storm, calm, calm.but(func(o *outcome) { o.splitA = 63 }), unsupported, "/a 63 % ok"},
		"isolation costs a little": {free, storm, calm, calm.but(func(o *outcome) { o.splitA = 94 }), undecided, ""},
		"too much load for either": {free, storm, calm, storm, undecided, "even one pool is too small"},
	} {
		t.Run(name, func(t *testing.T) {
			r := results{experiment: told, cells: []cell{c.slow.cell(slow), c.failing.cell(failing), c.well.cell(well)}}
			got := r.judge()[c.claim]
			if got.ruling != c.want || !strings.Contains(got.why, c.why) {
				t.Errorf("%s: %v, %s; want %v, %s", got.claim, got.ruling, got.why, c.want, c.why)
			}
		})
	}
}

func TestSlowBDecidesNothing(t *testing.T) {
	bad := storm.but(func(o *outcome) { o.splitTook = 120 * time.Millisecond }) // holds 12 of its 10 permits
	r := results{experiment: told, cells: []cell{bad.cell(slow), calm.cell(failing), calm.cell(well)}}
	if v := r.judge()[2]; v.ruling != undecided || !strings.Contains(v.why, "fills its pool without A") {
		t.Errorf("%v, %s", v.ruling, v.why)
	}
}

func TestLoadThatWasNotAsPlannedDecidesNothing(t *testing.T) {
	late := load.NewRecord(told.plan())
	few := load.NewRecord(told.plan())
	for i := range 100 {
		at := time.Duration(i) * 10 * time.Millisecond
		late.Add(load.Answer{Number: i, Sent: at + 150*time.Millisecond})
		if i%10 != 0 {
			few.Add(load.Answer{Number: i, Sent: at})
		}
	}
	for want, bad := range map[string]*load.Record{"requests came 140 ms late": late, "only 90 requests/s were sent": few} {
		stormy := storm.cell(slow)
		stormy.split.b = bad
		r := results{experiment: told, cells: []cell{stormy, calm.cell(failing), calm.cell(well)}}
		for i, v := range r.judge()[:4] { // the last is not about a slow A
			if v.ruling != undecided || !strings.Contains(v.why, want) {
				t.Errorf("claim %d: %v, %s; want undecided: %s", i, v.ruling, v.why, want)
			}
		}
		if v := r.judge()[4]; v.ruling != supported {
			t.Errorf("the claim about a healthy A: %v, %s", v.ruling, v.why)
		}
	}
}

func TestWhatRanOutIsNamed(t *testing.T) {
	full := storm.cell(slow).shared
	if got := told.ranOut(full, "shared"); got != "permits of shared (all 20 in use 100 % of the time)" {
		t.Errorf("full: got %s", got)
	}
	for want, kind := range map[string]load.Kind{"time (timed out: 1)": load.TimedOut, "the dependency (errors: 1)": load.Failed} {
		bad := calm.but(func(o *outcome) { o.idle = true }).cell(slow).shared
		bad.a.Total.Add(kind, 0)
		if got := told.ranOut(bad, "shared"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	idle := calm.but(func(o *outcome) { o.idle = true }).cell(slow).shared
	if got := told.ranOut(idle, "shared"); got != "nothing" {
		t.Errorf("idle: got %s", got)
	}
}

func TestUsageLeavesTheWarmUpOut(t *testing.T) {
	e := told
	e.warmUp = time.Second
	pool := func(at time.Duration, inUse, waiting int) stand.Gauges {
		b := resilience.BulkheadSnapshot{MaxConcurrentCalls: 4, InUse: inUse, Waiting: waiting}
		return stand.Gauges{At: at, Pools: map[string]resilience.BulkheadSnapshot{"a": b}, ServingA: inUse + waiting}
	}
	s := side{gauges: []stand.Gauges{pool(0, 4, 9), pool(time.Second, 4, 3), pool(2*time.Second, 1, 0)}}
	if got, want := e.usage(s, "a"), (usage{pool: "a", size: 4, mean: 2.5, full: 50, queue: 3}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if a, b := e.serving(s); a != 7 || b != 0 {
		t.Errorf("%d and %d goroutines, want 7 and none", a, b)
	}
}
