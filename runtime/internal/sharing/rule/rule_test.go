package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var usual = Settings{Threshold: 50, Errors: 20, Window: 120_000, Votes: 3, Share: 50, Retry: 20_000, Trial: 10_000, Ramp: 1000, Good: 2, Of: 3}

const start = 1_000_000

// table is a breaker with processes that report as they are told.
type table struct {
	State
	alive map[string]bool
	now   int64
	known map[string]View
}

func newTable() *table {
	return &table{alive: map[string]bool{}, now: start, known: map[string]View{}}
}

func (b *table) tell(process string, in Input) View {
	b.alive[process] = true
	last := b.known[process]
	in.Process, in.Told, in.Ended, in.Outage, in.RetryIn = process, max(last.Change, 1), max(in.Ended, last.Ended), max(in.Outage, last.Outage), last.RetryIn
	if in.Rule == (Settings{}) {
		in.Rule = usual
	}
	v := Step(&b.State, b.alive, in, b.now)
	b.known[process] = v
	return v
}

// all lets n processes report, and then again when that has settled.
func (b *table) all(n int, in func(process int) Input) {
	for range 2 {
		for i := range n {
			b.tell(fmt.Sprint("p", i), in(i))
		}
		b.now += 6000
	}
}

func TestFleetS01WhatBeginsAnOutage(t *testing.T) {
	open := Input{Calls: 10, Failures: 3, Vote: Open}
	well := Input{Calls: 1000}
	some := func(n int, in, rest Input) func(int) Input {
		return func(i int) Input {
			if i < n {
				return in
			}
			return rest
		}
	}
	tests := []struct {
		about   string
		members int
		in      func(int) Input
		begins  bool
	}{
		{"all are well", 60, some(0, open, well), false},
		{"the only process", 1, some(1, open, well), true},
		{"one of two", 2, some(1, open, well), false},
		{"both of two", 2, some(2, open, well), true},
		{"two of three", 3, some(2, open, well), false},
		{"three of four", 4, some(3, open, well), true},
		{"two of four are half, and too few", 4, some(2, open, well), false},
		{"half of sixty", 60, some(30, open, well), true},
		{"one less than half of sixty", 60, some(29, open, well), false},
		{"those that make no calls are no witnesses", 60, some(3, open, Input{}), true},
		{"those that have just come are", 60, some(3, open, Input{Vote: Young}), false},
		{"thin failures", 60, some(60, Input{Calls: 2, Failures: 1}, well), true},
		{"thin failures below the threshold", 60, some(60, Input{Calls: 100, Failures: 49}, well), false},
		{"thin failures below the minimum", 19, some(19, Input{Calls: 2, Failures: 1}, well), false},
		{"a host that fails many", 60, some(1, Input{Calls: 1e6, Failures: 1e6}, Input{Calls: 1}), false},
		{"two such hosts", 60, some(2, Input{Calls: 1e6, Failures: 1e6}, Input{Calls: 1}), false},
		{"three such hosts count for four each", 60, some(3, Input{Calls: 1e6, Failures: 1e6}, Input{Calls: 1}), false},
		{"a host that succeeds much hides nothing", 20, some(19, Input{Calls: 10, Failures: 9}, Input{Calls: 1e6}), true},
	}
	for _, test := range tests {
		b := newTable()
		if b.all(test.members, test.in); (b.Outage != 0) != test.begins {
			t.Errorf("%s: outage %d, %+v", test.about, b.Outage, b.Figures)
		}
	}
}

func TestAVoteOfTheDeadIsNone(t *testing.T) {
	b := newTable()
	b.all(4, func(i int) Input { return Input{Calls: 10} })
	for i := range 3 {
		b.tell(fmt.Sprint("p", i), Input{Calls: 10, Failures: 3, Vote: Open})
		delete(b.alive, fmt.Sprint("p", i))
	}
	b.now += 6000
	b.tell("p3", Input{Calls: 10, Failures: 1})
	if b.Outage != 0 || b.Votes != 0 || b.Calls != 40 {
		t.Errorf("outage %d by %+v, want none, and the calls of the dead", b.Outage, b.Figures)
	}
	b.now += usual.Window + 1
	if b.tell("p3", Input{Calls: 10, Failures: 1}); b.Calls != 10 || len(b.Records) != 1 {
		t.Errorf("after a window there are %d calls in %d records", b.Calls, len(b.Records))
	}
}

// outage is a table in an outage whose trials may begin.
func outage(t *testing.T) *table {
	t.Helper()
	b := newTable()
	b.all(3, func(int) Input { return Input{Calls: 10, Failures: 3, Vote: Open} })
	if b.Outage == 0 {
		t.Fatal("no outage")
	}
	b.now = b.Retry
	return b
}

func (b *table) try(process string, result Result) View {
	v := b.tell(process, Input{Want: true})
	return b.tell(process, Input{Trial: Trial{Outage: v.Outage, ID: v.Permit, Result: result}})
}

func TestFleetS06ARelapseInTheRampIsTriedAgainSoonAndRampsLower(t *testing.T) {
	b := outage(t)
	b.try("p0", Good)
	b.try("p0", Good)
	if b.Outage != 0 || b.RampAt != b.now {
		t.Fatalf("two good trials: %+v", b.State)
	}
	b.now += 2 * usual.Ramp // two fifths of the calls
	relapse := func() {
		for range 2 {
			for i := range 3 {
				b.tell(fmt.Sprint("p", i), Input{Calls: 10, Failures: 5, Vote: Open})
			}
			b.now += 250
		}
	}
	relapse()
	if b.Outage == 0 || b.Retry-b.Outage != usual.Ramp || b.Top != 240 {
		t.Errorf("after a relapse at 40 %%: outage %d, retry after %d, top %d", b.Outage, b.Retry-b.Outage, b.Top)
	}
	b.now = b.Retry
	b.try("p0", Good)
	b.try("p0", Good)
	if at := Share(3*usual.Ramp, usual.Ramp, b.Top); at != 264 {
		t.Errorf("the next ramp is at %d after three steps, want 264", at)
	}
	b.now = b.RampAt + 500
	relapse()
	if b.Outage == 0 || b.Retry-b.Outage != usual.Retry {
		t.Errorf("a relapse at a tenth is tried again after %d, want %d", b.Retry-b.Outage, usual.Retry)
	}
}

func TestBadTrialsPutOffTheNextAndLostOnesTheirRound(t *testing.T) {
	b := outage(t)
	b.try("p0", Bad)
	if b.Retry > b.now {
		t.Error("one bad trial of three, of which two have to be good, decides")
	}
	b.try("p1", Bad)
	if b.Retry != b.now+usual.Retry || b.Given != 0 {
		t.Errorf("after two bad trials: %+v", b.State)
	}
	b.now = b.Retry
	for i := range 3 {
		b.tell(fmt.Sprint("p", i), Input{Want: true})
	}
	b.now += usual.Trial
	if v := b.tell("p3", Input{Want: true}); v.RetryIn != usual.Retry || !strings.Contains(v.Reason, "did not come back") {
		t.Errorf("when three of three are lost: %+v", v)
	}
}

func TestFleetS09OfEquallyManySettingsTheLongerWindowHolds(t *testing.T) {
	b := newTable()
	short := usual
	short.Window, short.Errors = 60_000, 1
	b.tell("p0", Input{Calls: 10, Rule: short})
	b.now += 5000
	b.tell("p1", Input{Calls: 10, Failures: 1, Rule: usual})
	b.now += 5000
	b.tell("p0", Input{Calls: 10, Failures: 1, Rule: short})
	if kinds := Kinds(b.Rules); len(kinds) != 2 || kinds[0].Window != usual.Window {
		t.Errorf("in force are %+v", kinds)
	}
}

func TestSettingsAreReadAsTheyAreWritten(t *testing.T) {
	if got, ok := ParseSettings(usual.String()); !ok || got != usual {
		t.Errorf("%q is read as %+v", usual, got)
	}
	for _, text := range []string{"", "x", "1 2 3", usual.String() + " 1", "nan" + usual.String()[2:], "-1" + usual.String()[2:], "1e300" + usual.String()[2:]} {
		if got, ok := ParseSettings(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// Whatever is told in whatever order, these hold.
func TestTheRuleKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newTable()
		last := b.State
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			b.now += rapid.SampledFrom([]int64{0, 1, 250, 1000, 6000, 20_000, 130_000}).Draw(t, "passed")
			process := fmt.Sprint("p", rapid.IntRange(0, 5).Draw(t, "process"))
			v := b.known[process]
			in := Input{
				Calls: rapid.Int64Range(0, 50).Draw(t, "calls"), Vote: Vote(rapid.IntRange(0, 3).Draw(t, "vote")), Want: rapid.Bool().Draw(t, "want"),
				Trial: Trial{v.Outage, v.Permit, Result(rapid.IntRange(0, 3).Draw(t, "trial"))},
			}
			in.Failures = rapid.Int64Range(0, in.Calls).Draw(t, "failures")
			if rapid.IntRange(0, 9).Draw(t, "lost") == 0 {
				b.State = State{Records: maps.Clone(b.Records)} // an old copy, or none
			}
			now := b.tell(process, in)
			promise := func(holds bool, what string) {
				if !holds {
					t.Fatalf("%s: %+v after %+v", what, b.State, last)
				}
			}
			promise(now.Ended >= v.Ended, "what ended stays ended")
			promise(now.Outage == 0 || now.Outage > now.Ended, "an outage that lasts is newer than those that ended")
			promise(v.Outage == 0 || now.Outage == v.Outage || now.Ended >= v.Outage || now.Outage > v.Outage, "an outage that a process knows is not lost")
			promise(now.Out <= usual.Of && now.Good < usual.Good && now.Bad <= usual.Of-usual.Good+1, "trials are bounded")
			promise(now.RetryIn <= usual.Retry, "the retry is near")
			promise(now.Change >= v.Change, "numbers grow")
			promise(slices.IsSortedFunc(now.Events, func(a, b Event) int { return int(a.N - b.N) }), "events are in order")
			last = b.State
		}
	})
}

// A tool that looks all the time keeps no process from judging.
func TestToolsThatLookDecideNothing(t *testing.T) {
	s, alive := new(State), map[string]bool{"a": true, "b": true, "c": true}
	rule := Settings{Threshold: 50, Errors: 10, Window: 2000, Votes: 3, Share: 50, Retry: 200, Trial: 600, Ramp: 20, Good: 3, Of: 3}
	for now := int64(1_000_000); now < 1_003_000; now += 2 {
		Step(s, alive, Input{Rule: rule}, now)
		if now%20 == 0 {
			for process := range alive {
				Step(s, alive, Input{Process: process, Rule: rule, Calls: 20, Failures: 20, Vote: Open, Told: s.Change}, now+1)
			}
		}
	}
	if s.Outage == 0 {
		t.Errorf("no outage begins: %+v", *s)
	}
}
