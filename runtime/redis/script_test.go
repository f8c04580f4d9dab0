package redis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
	"github.com/resgen-go/resgen/runtime/internal/sharing/storetest"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// frozen is the script with a clock that the test sets.
func frozen(t testing.TB) *lua.Script {
	clock := "redis.call('TIME')"
	text := strings.Replace(lua.Exchange.Text, "local time = "+clock, "local at = tonumber(redis.call('GET', 'clock'))\nlocal time = {math.floor(at / 1000), at % 1000 * 1000}", 1)
	if text == lua.Exchange.Text {
		t.Fatal("the script does not read the clock where the test expects it")
	}
	return lua.New(text)
}

// desk talks to the script as processes do, without the rest of them.
type desk struct {
	t      testing.TB
	server *server
	script *lua.Script
	store  *store
}

func newDesk(t testing.TB, s *server) *desk {
	c := &client{Client: s.Client, timeout: patience}
	return &desk{t, s, frozen(t), newStore(c, "shop:")}
}

// at sets the clock.
func (d *desk) at(now int64) { d.server.do("SET", "clock", fmt.Sprint(now)) }

// view is what a tool sees of a breaker.
func (d *desk) view(breaker string) rule.View {
	d.t.Helper()
	response, err := d.store.Exchange(context.Background(), fleet.Request{Inputs: []fleet.Input{{Breaker: breaker, Input: rule.Input{Rule: small}}}})
	if err != nil || response.Answers[0].Err != nil {
		d.t.Fatal(err, response)
	}
	return response.Answers[0].View
}

// counted is what all processes have reported of b.
func (d *desk) counted() (calls, failures float64) {
	v := d.view("b")
	return float64(v.Calls), float64(v.Failures)
}

// exchange runs the script with inputs of one process.
func (d *desk) exchange(process string, alive time.Duration, inputs ...fleet.Input) fleet.Response {
	var response fleet.Response
	response.Answers = make([]fleet.Answer, len(inputs))
	for _, b := range d.store.batches(fleet.Request{Process: process, Alive: alive, Inputs: inputs}) {
		command := d.server.B().Arbitrary("EVAL", d.script.Text, fmt.Sprint(len(b.keys))).Keys(b.keys...).Args(b.args...).Build()
		if err := d.store.take(&response, b, d.server.Do(context.Background(), command)); err != nil {
			d.t.Fatal(err)
		}
	}
	return response
}

var small = rule.Settings{Threshold: 50, Errors: 6, Window: 2400, Votes: 3, Share: 50, Retry: 500, Trial: 300, Ramp: 100, Good: 2, Of: 3}

// The script is rule.Step: on any sequence of inputs the two say the same.
func TestTheScriptIsTheRule(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := newDesk(t, s)
	clock := int64(1_000_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		s.do("FLUSHALL")
		state, alive := new(rule.State), map[string]int64{}
		known, made := map[string]rule.View{}, map[rule.Event]bool{}
		clock += 10_000_000
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			clock += rapid.SampledFrom([]int64{0, 1, 5, 50, 99, 100, 101, 300, 500, 1500, 2500, -200}).Draw(t, "passed")
			d.at(clock)
			s.do("ZREMRANGEBYSCORE", d.store.slot(0)+"alive", "-inf", fmt.Sprint(clock)) // also what a clock that goes back would revive
			in := drawInput(t, known, clock)
			expires := clock + int64(rapid.SampledFrom([]int{1000, 20000}).Draw(t, "alive"))
			if in.Process != "" {
				alive[in.Process] = expires
			}
			live := map[string]bool{}
			maps.DeleteFunc(alive, func(_ string, until int64) bool { return until <= clock })
			for process := range alive {
				live[process] = true
			}
			want := rule.Step(state, live, in, clock)
			got := d.exchange(in.Process, time.Duration(expires-clock)*time.Millisecond, fleet.Input{Breaker: "b", Input: in}).Answers[0]
			if got.Err != nil || got.Dropped != "" {
				t.Fatalf("step %d: %v, dropped %q", i, got.Err, got.Dropped)
			}
			got.Events = slices.DeleteFunc(got.Events, func(e rule.Event) bool { return made[e] && e.N > in.Told }) // those told late
			for _, e := range want.Events {
				made[e] = true
			}
			if diff := cmp.Diff(want, got.View, ignoreEmpty); diff != "" {
				t.Fatalf("step %d at %d, %+v (-rule +script):\n%s", i, clock, in, diff)
			}
			known[in.Process] = want
		}
	})
}

var ignoreEmpty = cmp.Transformer("events", func(events []rule.Event) []rule.Event {
	if len(events) == 0 {
		return nil
	}
	return events
})

// drawInput is what a process may say that saw some views, not always the last.
func drawInput(t *rapid.T, known map[string]rule.View, now int64) rule.Input {
	process := rapid.SampledFrom([]string{"p1", "p2", "p3", "p4", "p5", ""}).Draw(t, "process")
	last := known[rapid.SampledFrom([]string{process, process, process, "p1"}).Draw(t, "knows as")]
	other := small
	other.Window, other.Errors = 1200, 2
	in := rule.Input{
		Process: process, Rule: rapid.SampledFrom([]rule.Settings{small, small, small, other}).Draw(t, "rule"),
		Ended: last.Ended, Outage: last.Outage, RetryIn: last.RetryIn, Known: last.Hand, Told: rapid.SampledFrom([]int64{0, last.Change}).Draw(t, "told"),
		Calls: rapid.SampledFrom([]int64{0, 3, 10, 1000}).Draw(t, "calls"),
		Vote:  rapid.SampledFrom([]rule.Vote{rule.Closed, rule.Closed, rule.Open, rule.Left, rule.Young}).Draw(t, "vote"),
		Want:  rapid.Bool().Draw(t, "want"),
	}
	in.Failures = min(in.Calls, rapid.SampledFrom([]int64{0, 0, 1, 3, 700}).Draw(t, "failures"))
	if last.Permit != 0 {
		in.Trial = rule.Trial{Outage: last.Outage, ID: last.Permit, Result: rapid.SampledFrom([]rule.Result{rule.None, rule.Good, rule.Bad, rule.Unused}).Draw(t, "trial")}
	}
	switch rapid.IntRange(0, 40).Draw(t, "odd") {
	case 0:
		in.Outage = now + rapid.SampledFrom([]int64{-5000, 3000, 7200000}).Draw(t, "outage")
	case 1:
		in.Ended = now + rapid.SampledFrom([]int64{-5000, 3000, 7200000}).Draw(t, "ended")
	case 2, 3:
		in.Order = &rule.Hand{
			Word: rapid.SampledFrom([]string{rule.Force, rule.Off, rule.Close}).Draw(t, "order"), By: "Ann: test",
			For: rapid.SampledFrom([]int64{0, 400}).Draw(t, "for"),
		}
	}
	return in
}

// spot is a real server as a place of stores.
type spot struct{ server *server }

func (p spot) Open(t testing.TB) fleet.Store {
	s := new(sharedstate.Settings)
	setting.Defaults(s)
	s.Address, s.Service, s.Timeout = new(p.server.address), new("shop"), patience
	store, err := backend.Connect(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func (p spot) Lose(_ testing.TB, breaker string) {
	for _, kind := range []string{"state:", "reports:", "history:"} {
		p.server.do("DEL", "shop:v2:{shop:v2:0}"+kind+breaker)
	}
}

func TestRedisIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Place { return spot{startServer(t)} })
}
