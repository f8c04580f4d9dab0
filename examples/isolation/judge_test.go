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
	rate: 100, timeout: 500 * time.Millisecond,
	pools: pools{pool{"shared", 20}, pool{"a", 10}, pool{"b", 10}},
	over:  time.Second, slice: 100 * time.Millisecond, sideBySide: true,
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
	var all []stand.Gauges
	for g.At = 0; g.At < 5*time.Second; g.At += 50 * time.Millisecond {
		all = append(all, g)
	}
	return all
}

// outcome is what is told of a state of A: percents of good answers, and how long
// all answers of /b took.
type outcome struct {
	sharedA, sharedB, splitA, splitB int
	aTook, sharedTook, splitTook     time.Duration
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
		shared: side{record(o.sharedA, o.aTook), record(o.sharedB, o.sharedTook), used(full)},
		split:  side{record(o.splitA, o.aTook), record(o.splitB, o.splitTook), used(full)},
	}
}

var (
	calm = outcome{sharedA: 100, sharedB: 100, splitA: 100, splitB: 100,
		aTook: 5 * time.Millisecond, sharedTook: 5 * time.Millisecond, splitTook: 5 * time.Millisecond}
	storm = outcome{sharedA: 70, sharedB: 70, splitA: 36, splitB: 100,
		aTook: 450 * time.Millisecond, sharedTook: 5 * time.Millisecond, splitTook: 5 * time.Millisecond}
	quiet = calm.but(func(o *outcome) { o.idle = true })
)

// but is an outcome with a change.
func (o outcome) but(change func(*outcome)) outcome {
	change(&o)
	return o
}

// judged is what is said of a claim about these states; what is not told is calm.
func judged(claim int, states map[role]outcome) verdict {
	r := results{experiment: told}
	for _, role := range []role{reference, slow, failing, well} {
		o, ok := states[role]
		if !ok {
			o = calm
		}
		r.cells = append(r.cells, o.cell(role))
	}
	return r.judge()[claim]
}

// The claims, by their place.
const (
	fails = iota
	level
	slows
	p99Level
	soon
	keeps
	keepsP99
	fast
	dead
	free
)

func TestClaimsAreJudgedByFigures(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for name, c := range map[string]struct {
		claim               int
		slow, failing, well outcome
		want                ruling
		why                 string
	}{
		"/b fails with A":          {fails, storm, calm, calm, supported, "/b 70 % ok, with a pool each 100 %"},
		"/b fails just enough":     {fails, storm.but(func(o *outcome) { o.sharedB = 85 }), calm, calm, supported, "85 %"},
		"/b fails a little":        {fails, storm.but(func(o *outcome) { o.sharedB = 90 }), calm, calm, middling, "90 % ok, with a pool each 100 %: between the margins"},
		"/b does not fail":         {fails, storm.but(func(o *outcome) { o.sharedB = 95 }), calm, calm, unsupported, "95 %"},
		"too little load to fail":  {fails, quiet, calm, calm, undecided, "the permits of shared never ran out (0.0 of 20 in use on average)"},
		"/b fails as /a does":      {level, storm, calm, calm, supported, "bad answers: /b 30 %, /a 30 %; with a pool each /b 0 %, in the reference 0 %"},
		"/b fails half as much":    {level, storm.but(func(o *outcome) { o.sharedB, o.sharedA = 82, 64 }), calm, calm, supported, "/b 18 %, /a 36 %"},
		"/b fails less":            {level, storm.but(func(o *outcome) { o.sharedB, o.sharedA = 82, 56 }), calm, calm, middling, "/b 18 %, /a 44 %"},
		"/b fails far less":        {level, storm.but(func(o *outcome) { o.sharedB, o.sharedA = 80, 20 }), calm, calm, unsupported, "/b 20 %, /a 80 %"},
		"only /a fails":            {level, storm.but(func(o *outcome) { o.sharedB = 100 }), calm, calm, unsupported, "/b 0 %"},
		"/b is no slower":          {slows, storm, calm, calm, unsupported, "p50 of good answers of /b 5"},
		"/b is slower":             {slows, storm.but(func(o *outcome) { o.sharedTook = ms(100) }), calm, calm, supported, "ms, with a pool each 5"},
		"/b is somewhat slower":    {slows, storm.but(func(o *outcome) { o.sharedTook = ms(15) }), calm, calm, middling, ""},
		"/b never answers":         {slows, storm.but(func(o *outcome) { o.sharedB = 0 }), calm, calm, undecided, "no good answers"},
		"p99 as /a's":              {p99Level, storm.but(func(o *outcome) { o.sharedTook = ms(400) }), calm, calm, supported, "p99 of all answers: /b 4"},
		"p99 as ever":              {p99Level, storm, calm, calm, unsupported, "p99 of all answers: /b 5"},
		"p99 far below /a's":       {p99Level, storm.but(func(o *outcome) { o.sharedTook = ms(100) }), calm, calm, unsupported, "/a 45"},
		"p99 nearly half of /a's":  {p99Level, storm.but(func(o *outcome) { o.sharedTook = ms(205) }), calm, calm, middling, ""},
		"at once, by errors":       {soon, storm.but(func(o *outcome) { o.sharedA, o.sharedB = 0, 0 }), calm, calm, supported, "errors after 0.2 timeout periods; p99 never"},
		"at once, by time":         {soon, storm.but(func(o *outcome) { o.sharedB, o.sharedTook = 100, ms(400) }), calm, calm, supported, "errors never; p99 after 0.2 timeout periods"},
		"never":                    {soon, storm.but(func(o *outcome) { o.sharedB = 100 }), calm, calm, unsupported, "errors never; p99 never"},
		"a pool each keeps /b up":  {keeps, storm, calm, calm, supported, "/b 100 % ok, in the reference 100 %, while /a has 36 %"},
		"a pool each nearly does":  {keeps, storm.but(func(o *outcome) { o.splitB = 98 }), calm, calm, middling, "98 %"},
		"a pool each does not":     {keeps, storm.but(func(o *outcome) { o.splitB = 95 }), calm, calm, unsupported, "95 %"},
		"A's pool is never full":   {keeps, quiet, calm, calm, undecided, "the permits of a never ran out"},
		"p99 is kept":              {keepsP99, storm, calm, calm, supported, "in the reference 5"},
		"p99 a little higher":      {keepsP99, storm.but(func(o *outcome) { o.splitTook = ms(29) }), calm, calm, supported, ""},
		"p99 far higher":           {keepsP99, storm.but(func(o *outcome) { o.splitTook = ms(60) }), calm, calm, unsupported, "p99 of all answers of /b 6"},
		"refusals are slow":        {fast, storm, calm, calm, unsupported, "/a: 64 refused (p50, p99 45"},
		"refusals are fast":        {fast, storm.but(func(o *outcome) { o.aTook = ms(3) }), calm, calm, supported, "0 timed out"},
		"down harms less":          {dead, storm, calm, calm, supported, "down: 0 points"},
		"down harms less by time":  {dead, calm.but(func(o *outcome) { o.sharedTook = ms(50) }), calm, calm, supported, "slow: 0 points"},
		"down harms as much":       {dead, storm, storm, calm, unsupported, "down: 30 points"},
		"neither harms":            {dead, calm, calm, calm, undecided, "not even a slow one harms"},
		"down harms a little":      {dead, storm, calm.but(func(o *outcome) { o.sharedB = 95 }), calm, middling, "down: 5 points"},
		"isolation is free":        {free, storm, calm, calm, supported, "/a 100 % ok, with one pool 100 %"},
		"isolation has a price":    {free, storm, calm, calm.but(func(o *outcome) { o.splitA = 63 }), unsupported, "/a 63 % ok"},
		"isolation costs a little": {free, storm, calm, calm.but(func(o *outcome) { o.splitA = 94 }), middling, ""},
		"too much load for either": {free, storm, calm, storm, undecided, "even one pool is too small"},
	} {
		t.Run(name, func(t *testing.T) {
			got := judged(c.claim, map[role]outcome{slow: c.slow, failing: c.failing, well: c.well})
			if got.ruling != c.want || !strings.Contains(got.why, c.why) {
				t.Errorf("%s: %v (%d), %s; want %d, %s", got.claim, got.ruling, got.ruling, got.why, c.want, c.why)
			}
		})
	}
}

// The generator was held up, and requests came so late that they could have
// filled the pool of B by themselves.
func TestFieldI04ThePairedControlDecidesOnABusyMachine(t *testing.T) {
	r := results{experiment: told, cells: []cell{calm.cell(reference), storm.cell(slow), calm.cell(failing), calm.cell(well)}}
	for i := range r.cells {
		for _, record := range r.cells[i].records() {
			late(record, 2)
		}
	}
	for i, want := range map[int]ruling{fails: supported, level: supported, keeps: supported, slows: unsupported, dead: supported, free: supported} {
		if v := r.judge()[i]; v.ruling != want {
			t.Errorf("%s: %v, %s", v.claim, v.ruling, v.why)
		}
	}
}

// B with its own pool suffered from the machine, but far less.
func TestFieldI04AControlThatIsFarBetterOffDecides(t *testing.T) {
	busy := storm.but(func(o *outcome) { o.sharedB, o.splitB = 60, 94 })
	r := results{experiment: told, cells: []cell{calm.cell(reference), busy.cell(slow), calm.cell(failing), calm.cell(well)}}
	late(r.cells[1].shared.a, 2)
	late(r.cells[1].split.b, 2)
	for i, want := range map[int]ruling{fails: supported, level: supported, dead: supported, keeps: undecided, free: supported} {
		if v := r.judge()[i]; v.ruling != want {
			t.Errorf("%s: %v, %s", v.claim, v.ruling, v.why)
		}
	}
}

// late adds answers of which one in a hundred was sent much later than planned.
func late(r *load.Record, n int) {
	for range n {
		r.Add(load.Answer{Number: 0, Sent: 900 * time.Millisecond, Took: 5 * time.Millisecond})
	}
}

func TestFieldI04WithoutAControlTheMachineIsTheReason(t *testing.T) {
	both := storm.but(func(o *outcome) { o.splitB = 75 }) // B fails with its own pool, too
	r := results{experiment: told, cells: []cell{calm.cell(reference), both.cell(slow), calm.cell(failing), calm.cell(well)}}
	late(r.cells[1].shared.a, 2)
	for _, i := range []int{fails, keeps, dead} {
		if v := r.judge()[i]; v.ruling != undecided || !strings.Contains(v.why, "requests came 8") || !strings.Contains(v.why, "75 %") && i != dead {
			t.Errorf("%s: %v, %s", v.claim, v.ruling, v.why)
		}
	}
	r.sideBySide = false // nor where both services were not measured at the same time
	r.cells[1] = storm.cell(slow)
	late(r.cells[1].split.b, 2)
	if v := r.judge()[fails]; v.ruling != undecided || !strings.Contains(v.why, "which fills its pool without A") {
		t.Errorf("%v, %s", v.ruling, v.why)
	}
}

func TestFieldI04ALateP99OfABusyMachineIsNotBlamedOnA(t *testing.T) {
	slower := storm.but(func(o *outcome) { o.splitTook = 60 * time.Millisecond })
	r := results{experiment: told, cells: []cell{calm.cell(reference), slower.cell(slow), calm.cell(failing), calm.cell(well)}}
	late(r.cells[1].shared.a, 2)
	if v := r.judge()[keepsP99]; v.ruling != undecided || !strings.Contains(v.why, "the machine was busy") {
		t.Errorf("%v, %s", v.ruling, v.why)
	}
}

func TestTooFewRequestsDecideNothing(t *testing.T) {
	few := load.NewRecord(told.plan())
	for i := range 90 {
		few.Add(load.Answer{Number: i, Sent: time.Duration(i) * 10 * time.Millisecond, Kind: load.Refused})
	}
	stormy := storm.cell(slow)
	stormy.split.b = few
	r := results{experiment: told, cells: []cell{calm.cell(reference), stormy, calm.cell(failing), calm.cell(well)}}
	if v := r.judge()[fails]; v.ruling != undecided || !strings.Contains(v.why, "only 90 requests/s were sent") {
		t.Errorf("%v, %s", v.ruling, v.why)
	}
}

func TestFieldI02EveryPartOfTheHypothesisIsAClaim(t *testing.T) {
	for i, words := range map[int]string{
		level: "errors of /b rise to the level of /a", p99Level: "p99 of /b rises to the level of /a",
		soon: "within a few timeout periods", keeps: "good answers of /b within their reference",
		keepsP99: "p99 of /b within its reference", fast: "fast refusals instead of timeouts",
	} {
		if !strings.Contains(claims[i].words, words) {
			t.Errorf("claim %d is %q", i, claims[i].words)
		}
	}
}

func TestFieldI02TimeoutsAreNoFastRefusals(t *testing.T) {
	c := storm.but(func(o *outcome) { o.aTook = time.Millisecond }).cell(slow)
	for range 100 {
		c.split.a.Total.Add(load.TimedOut, 500*time.Millisecond)
	}
	r := results{experiment: told, cells: []cell{calm.cell(reference), c, calm.cell(failing), calm.cell(well)}}
	if v := r.judge()[fast]; v.ruling != unsupported || !strings.Contains(v.why, "64 refused (p50, p99 1") || !strings.Contains(v.why, "100 timed out") {
		t.Errorf("%v, %s", v.ruling, v.why)
	}
}

func TestFieldI02MeetingIsCountedFromTheFault(t *testing.T) {
	e := told
	e.strikes, e.timeout = 300*time.Millisecond, 200*time.Millisecond
	c := calm.cell(slow)
	for i := range 30 { // before the fault, and in the sixth slice
		c.shared.b.Slices[i%2*5].Add(load.Refused, 0)
	}
	if got := e.meets(c, errorsMeet); got < 1.49 || got > 1.51 {
		t.Errorf("met %v, want after 1.5 timeout periods", got)
	}
}

func TestWhatRanOutIsNamed(t *testing.T) {
	full := storm.cell(slow).shared
	if got := told.ranOut(full, "shared"); got != "permits of shared (60 of 200 requests refused, all 20 in use 100 % of the time)" {
		t.Errorf("full: got %s", got)
	}
	for want, kind := range map[string]load.Kind{"time (timed out: 1)": load.TimedOut, "the dependency (errors: 1)": load.Failed} {
		bad := quiet.cell(slow).shared
		bad.a.Total.Add(kind, 0)
		if got := told.ranOut(bad, "shared"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	idle := quiet.cell(slow).shared
	if got := told.ranOut(idle, "shared"); got != "nothing" {
		t.Errorf("idle: got %s", got)
	}
}

func TestFieldI01ARefusalIsProof(t *testing.T) {
	missed := storm.but(func(o *outcome) { o.idle = true }).cell(slow) // by the gauges
	for want, got := range map[string]string{
		"permits of shared (60 of 200 requests refused, all 20 in use 0 % of the time)": told.ranOut(missed.shared, "shared"),
		"permits of a (64 of 100 requests refused, all 10 in use 0 % of the time)":      told.ranOut(missed.split, "a", "b"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if v := judged(fails, map[role]outcome{slow: storm.but(func(o *outcome) { o.idle = true })}); v.ruling != supported {
		t.Errorf("%v, %s", v.ruling, v.why)
	}
}

func TestFieldI01ACallThatWaitsIsProof(t *testing.T) {
	s := quiet.cell(slow).shared
	g := s.gauges[0].Pools["shared"]
	g.Waiting = 3
	s.gauges[0].Pools["shared"] = g
	if got, want := told.ranOut(s, "shared"), "permits of shared (up to 3 waiting, all 20 in use 0 % of the time)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUsageLeavesTheWarmUpOut(t *testing.T) {
	e := told
	e.warmUp = time.Second
	pool := func(at time.Duration, inUse, waiting int) stand.Gauges {
		b := resilience.BulkheadSnapshot{MaxConcurrentCalls: 4, InUse: inUse, Waiting: waiting}
		return stand.Gauges{At: at, Pools: map[string]resilience.BulkheadSnapshot{"a": b}, ServingA: inUse + waiting}
	}
	s := side{a: record(100, 0), gauges: []stand.Gauges{pool(0, 4, 9), pool(time.Second, 4, 3), pool(2*time.Second, 1, 0)}}
	if got, want := e.usage(s, "a"), (usage{pool: "a", size: 4, mean: 2.5, full: 50, queue: 3, sent: 100}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if a, b := e.serving(s); a != 7 || b != 0 {
		t.Errorf("%d and %d goroutines, want 7 and none", a, b)
	}
}
