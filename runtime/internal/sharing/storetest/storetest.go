// Package storetest says what a store of shared breakers must bear, as tests that
// run against any, and has one in memory to test what works with stores.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// Place is where some stores meet.
type Place interface {
	// Open connects to the place, as a process does.
	Open(testing.TB) fleet.Store
	// Lose drops all that is known of a breaker.
	Lose(testing.TB, string)
}

// Quick are settings by which the rule shows in a second what takes minutes.
var Quick = rule.Settings{Threshold: 50, Errors: 6, Window: 2400, Votes: 3, Share: 50, Retry: 50, Trial: 200, Ramp: 50, Good: 2, Of: 3}

// bench is a place with a test at it.
type bench struct {
	*testing.T
	place Place
	store fleet.Store
	known map[string]rule.View
}

// Run runs the tests, each at a place of its own.
func Run(t *testing.T, open func(*testing.T) Place) {
	tests := map[string]func(*bench){
		"votes begin an outage":                       (*bench).votes,
		"a report that is repeated counts once":       (*bench).repeats,
		"what is lost comes back":                     (*bench).losses,
		"an outage that ended stays ended":            (*bench).endings,
		"trials are as many as the settings say":      (*bench).trials,
		"a trial that does not come back is given on": (*bench).hanging,
		"news reaches others":                         (*bench).pushes,
		"a process that goes is counted no more":      (*bench).goes,
		"one exchange serves many breakers":           (*bench).many,
		"an exchange ends with its context":           (*bench).cancelled,
	}
	for about, test := range tests {
		t.Run(about, func(t *testing.T) {
			place := open(t)
			b := &bench{t, place, place.Open(t), map[string]rule.View{}}
			defer b.store.Close()
			test(b)
		})
	}
}

// tell is an exchange of one process about breaker b, with what it knows.
func (b *bench) tell(process string, change func(*rule.Input)) rule.View {
	b.Helper()
	last := b.known[process]
	in := rule.Input{
		Process: process, Rule: Quick, Calls: 10, Told: max(last.Change, 1), Ended: last.Ended, Outage: last.Outage, RetryIn: last.RetryIn, Known: last.Hand,
	}
	if change != nil {
		change(&in)
	}
	response, err := b.store.Exchange(b.Context(), fleet.Request{Process: process, Alive: time.Minute, Inputs: []fleet.Input{{Breaker: "b", Input: in}}})
	if err == nil {
		err = response.Answers[0].Err
	}
	if err != nil {
		b.Fatal(err)
	}
	b.known[process] = response.Answers[0].View
	return response.Answers[0].View
}

func open(in *rule.Input)  { in.Failures, in.Vote = 3, rule.Open }
func wants(in *rule.Input) { in.Want = true }

// begin brings an outage about.
func (b *bench) begin() rule.View {
	b.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, process := range []string{"p1", "p2", "p3"} {
			if v := b.tell(process, open); v.Outage != 0 {
				return v
			}
		}
	}
	b.Fatal("three votes of three began no outage")
	return rule.View{}
}

func (b *bench) votes() {
	for _, process := range []string{"p4", "p5"} {
		b.tell(process, nil)
	}
	b.tell("p1", open)
	time.Sleep(150 * time.Millisecond)
	if v := b.tell("p2", open); v.Outage != 0 {
		b.Errorf("two votes of four are enough: %+v", v)
	}
	if v := b.begin(); v.Votes != 3 || v.Witnesses != 5 {
		b.Errorf("the outage began by %+v", v.Figures)
	}
}

func (b *bench) repeats() {
	for range 5 {
		b.tell("p1", func(in *rule.Input) { in.Calls, in.Failures = 10, 2 })
	}
	time.Sleep(20 * time.Millisecond)
	if v := b.tell("p1", func(in *rule.Input) { in.Calls, in.Failures = 10, 2 }); v.Calls != 10 || v.Failures != 2 {
		b.Errorf("figures are %+v, want 10 calls and 2 failures", v.Figures)
	}
}

func (b *bench) losses() {
	began := b.begin()
	b.place.Lose(b.T, "b")
	if v := b.tell("new", nil); v.Outage != 0 {
		b.Errorf("nobody has told it, and still: %+v", v)
	}
	b.known["p1"] = began
	if v := b.tell("p1", nil); v.Outage != began.Outage || len(v.Events) != 0 {
		b.Errorf("told of outage %d, it has %d, with events %v", began.Outage, v.Outage, v.Events)
	}
}

func (b *bench) endings() {
	began := b.begin()
	time.Sleep(60 * time.Millisecond)
	var v rule.View
	for range 2 {
		v = b.tell("p1", wants)
		v = b.tell("p1", func(in *rule.Input) { in.Trial = rule.Trial{Outage: v.Outage, ID: v.Permit, Result: rule.Good} })
	}
	if v.Outage != 0 || v.Ended != began.Outage || v.RampFor < 0 {
		b.Fatalf("two good trials did not end it: %+v", v)
	}
	b.known["late"] = began
	if v := b.tell("late", nil); v.Outage != 0 {
		b.Error("a process that is late brings back what ended")
	}
	b.place.Lose(b.T, "b")
	if v := b.tell("late", func(in *rule.Input) { in.Outage, in.Ended = began.Outage, 0 }); v.Outage == 0 {
		b.Error("nobody knows that it ended, and it is not there")
	}
	b.known["p1"] = v
	if v := b.tell("p1", nil); v.Outage != 0 || len(v.Events) != 0 {
		b.Errorf("told that it ended, it goes on: %+v", v)
	}
}

func (b *bench) trials() {
	b.begin()
	if v := b.tell("p1", wants); v.Permit != 0 {
		b.Error("a trial before its time")
	}
	time.Sleep(60 * time.Millisecond)
	permits := 0
	for _, process := range []string{"p1", "p2", "p3", "p4", "p5"} {
		if v := b.tell(process, wants); v.Permit != 0 {
			permits++
		}
	}
	if permits != int(Quick.Of) {
		b.Errorf("%d trials at a time, want %d", permits, Quick.Of)
	}
	for _, process := range []string{"p1", "p2"} {
		last := b.known[process]
		b.tell(process, func(in *rule.Input) { in.Trial = rule.Trial{Outage: last.Outage, ID: last.Permit, Result: rule.Bad} })
	}
	if v := b.known["p2"]; v.Outage == 0 || v.RetryIn == 0 || v.Out != 0 {
		b.Errorf("after two bad trials of three: %+v", v)
	}
}

func (b *bench) hanging() {
	b.begin()
	time.Sleep(60 * time.Millisecond)
	for _, process := range []string{"p1", "p2", "p3"} {
		b.tell(process, wants)
	}
	if v := b.tell("p4", wants); v.Permit != 0 {
		b.Error("a fourth trial of three")
	}
	time.Sleep(210 * time.Millisecond)
	if v := b.tell("p4", nil); v.Out != 0 {
		b.Errorf("trials that did not come back are still out: %+v", v)
	}
}

func (b *bench) pushes() {
	other := b.place.Open(b.T)
	defer other.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	heard := make(chan string, 100)
	go other.Changes(ctx, func(name string, _ int64) { heard <- name })
	if name := <-heard; name != "" {
		b.Errorf("the first news is of %q", name)
	}
	b.begin()
	for {
		select {
		case name := <-heard:
			if name == "b" {
				return
			}
		case <-time.After(10 * time.Second):
			b.Fatal("no news of b")
		}
	}
}

func (b *bench) goes() {
	b.tell("p1", nil)
	b.tell("p2", nil)
	_, err := b.store.Exchange(b.Context(), fleet.Request{Process: "p1", Inputs: []fleet.Input{{Breaker: "b", Input: rule.Input{
		Process: "p1", Rule: Quick, Calls: 17, Failures: 1, Told: 1,
	}}}})
	if err != nil {
		b.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	if v := b.tell("p2", nil); v.Members != 1 || v.Calls != 27 {
		b.Errorf("figures are %+v, want one process, and the 27 calls of both", v.Figures)
	}
}

func (b *bench) many() {
	request := fleet.Request{Process: "p1", Alive: time.Minute}
	for _, name := range []string{"b", "a b", "{x}", "c:d", "é"} {
		request.Inputs = append(request.Inputs, fleet.Input{Breaker: name, Input: rule.Input{Process: "p1", Rule: Quick, Calls: int64(len(name)), Told: 1}})
	}
	response, err := b.store.Exchange(b.Context(), request)
	if err != nil || len(response.Answers) != len(request.Inputs) {
		b.Fatal(err, response)
	}
	for i, answer := range response.Answers {
		if answer.Err != nil || answer.Calls != request.Inputs[i].Calls {
			b.Errorf("of %q: %+v", request.Inputs[i].Breaker, answer)
		}
	}
}

func (b *bench) cancelled() {
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	if _, err := b.store.Exchange(ctx, fleet.Request{Process: "p1", Alive: time.Minute}); !errors.Is(err, context.Canceled) {
		b.Errorf("error %v", err)
	}
}
