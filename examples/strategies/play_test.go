package main

import (
	"slices"
	"strings"
	"sync"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

var played = sync.OnceValues(playAll)

// tracksOf returns what the strategies made of the situation with that title.
func tracksOf(t *testing.T, title string) map[string]track {
	t.Helper()
	plays, err := played()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(plays, func(p play) bool { return strings.HasPrefix(p.title, title) })
	if i < 0 {
		t.Fatalf("no situation is called %s…", title)
	}
	tracks := make(map[string]track)
	for _, track := range plays[i].tracks {
		tracks[track.strategy] = track
	}
	return tracks
}

func talliesOf(t *testing.T, title string) map[string]tally {
	t.Helper()
	tallies := make(map[string]tally)
	for strategy, track := range tracksOf(t, title) {
		tallies[strategy] = count(track.calls)
	}
	return tallies
}

func TestStaticLetsACallThroughToADeadDependencyEvery20Seconds(t *testing.T) {
	var lost []int // turns
	for call, seen := range tracksOf(t, "Dead for 250 seconds")["STATIC_THRESHOLD"].calls {
		if seen.lost {
			lost = append(lost, call/callsPerTurn)
		}
	}
	want := []int{96, 96, 96} // at two minutes it opens, with the third
	for turn := 96 + 16; turn < 296; turn += 16 {
		want = append(want, turn)
	}
	if !slices.Equal(lost, want) {
		t.Errorf("calls were lost in turns %v, want %v", lost, want)
	}
}

func TestCanaryLosesNoCallToADeadDependencyOnceItIsOpen(t *testing.T) {
	got := talliesOf(t, "Dead for 250 seconds")
	if canary := got["CANARY_RATE_THRESHOLD"]; canary.Lost != 21 || canary.InTrials != 0 {
		t.Errorf("%+v, want 21 lost, as many as open it, and none in trials", canary)
	}
	for _, other := range []string{"STATIC_THRESHOLD", "CONSECUTIVE_FAILURES", "PACED_RATE_THRESHOLD"} {
		if got[other].InTrials < 12 {
			t.Errorf("%s: %+v, want a loss in trials at least every 20 s", other, got[other])
		}
	}
}

func TestCanaryIsBackWithinATurn(t *testing.T) {
	for _, title := range []string{"Dead for 250 seconds", "Not up yet"} {
		got := talliesOf(t, title)
		if got["CANARY_RATE_THRESHOLD"].Wronged > callsPerTurn {
			t.Errorf("%s: %+v, want one turn wrongly refused at most", title, got["CANARY_RATE_THRESHOLD"])
		}
		if got["STATIC_THRESHOLD"].Wronged < 5*callsPerTurn {
			t.Errorf("%s: %+v, want that it waits for the end of its 20 s", title, got["STATIC_THRESHOLD"])
		}
	}
}

func TestCanaryLosesNothingToADependencyThatIsNotUpYet(t *testing.T) {
	got := talliesOf(t, "Not up yet")
	if got["CANARY_RATE_THRESHOLD"].Lost != 0 || got["STATIC_THRESHOLD"].Lost == 0 {
		t.Errorf("CANARY %+v, STATIC %+v, want that only STATIC loses calls",
			got["CANARY_RATE_THRESHOLD"], got["STATIC_THRESHOLD"])
	}
}

func TestOnlyStaticPunishesThreeIsolatedTimeouts(t *testing.T) {
	for strategy, got := range talliesOf(t, "Stable") {
		want := tally{Lost: 3}
		if strategy == "STATIC_THRESHOLD" {
			want.Wronged = 2 + 16*callsPerTurn // the rest of the turn, and 20 s
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", strategy, got, want)
		}
	}
}

func TestFlappingCostsStaticRefusalsAndCanaryLosses(t *testing.T) {
	got := talliesOf(t, "Flapping")
	static, canary := got["STATIC_THRESHOLD"], got["CANARY_RATE_THRESHOLD"]
	if static.Wronged < 5*canary.Wronged || canary.Lost < 2*static.Lost || canary.InTrials != 0 {
		t.Errorf("STATIC %+v, CANARY %+v", static, canary)
	}
}

func TestSlowRecoveryDeceivesCanary(t *testing.T) {
	got := talliesOf(t, "Dead for a minute, then recovering slowly")
	canary := got["CANARY_RATE_THRESHOLD"]
	for strategy, other := range got {
		if strategy != "CANARY_RATE_THRESHOLD" && other.InTrials >= canary.InTrials {
			t.Errorf("%s: %+v, want fewer losses in trials than CANARY's %+v", strategy, other, canary)
		}
	}
	if static := got["STATIC_THRESHOLD"]; static.Wronged < 2*canary.Wronged {
		t.Errorf("STATIC %+v, CANARY %+v, want that STATIC refuses far more", static, canary)
	}
}

func TestStaticRefusesMostOfADependencyThatIsNeverQuiteWell(t *testing.T) {
	got := talliesOf(t, "Never quite well")
	for strategy, other := range got {
		switch wronged := other.Wronged; {
		case strategy == "STATIC_THRESHOLD" && wronged < turns*callsPerTurn/2:
			t.Errorf("%s: %+v, want more than half refused", strategy, other)
		case strategy != "STATIC_THRESHOLD" && wronged > callsPerTurn:
			t.Errorf("%s: %+v, want hardly any refused", strategy, other)
		}
	}
}

func TestEveryCallIsJudgedByItsAnswer(t *testing.T) {
	plays, err := played()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plays {
		for _, track := range p.tracks {
			for call, seen := range track.calls {
				bad := p.answers[call] != well
				if seen.lost && !bad || seen.wronged && (bad || seen.found == resilience.Closed) {
					t.Fatalf("%s, %s, call %d: %+v, and the answer is %d", p.title, track.strategy, call, seen, p.answers[call])
				}
			}
			if got := count(track.calls); track.strategy == "NONE" && got != (tally{Lost: countBad(p.answers)}) {
				t.Errorf("%s: NONE has %+v, want all that would fail lost and none refused", p.title, got)
			}
		}
	}
}

func TestJitterOfProbesChangesNoResult(t *testing.T) {
	const slowRecovery = 4
	answers := situations[slowRecovery].answers()
	first, err := playOne(answers, "CANARY_RATE_THRESHOLD")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := playOne(answers, "CANARY_RATE_THRESHOLD"); err != nil || !slices.Equal(first, again) {
			t.Fatalf("another run came out as %+v, %v, the first as %+v", count(again), err, count(first))
		}
	}
}

func TestSettingsAtFaultEndThePlay(t *testing.T) {
	_, err := playOne(situations[0].answers(), "STATIC_TRESHOLD")
	if err == nil || !strings.Contains(err.Error(), "STATIC_THRESHOLD") {
		t.Errorf("got %v, want a fault that suggests STATIC_THRESHOLD", err)
	}
}
