package breaker

import (
	"testing"
	"time"
)

// A success that only takes a number may find that a failure came meanwhile. Then
// it is judged like any other.
func TestASuccessNumberedBesideAFailureIsJudged(t *testing.T) {
	settings := &Paced{FailureRateThreshold: 50, MinimumNumberOfCalls: 2, SlidingWindowDuration: time.Hour}
	b := New("subject", settings.Strategy(), Hooks{})
	p, _ := b.Admit()
	p.Failure(false, "", "")
	p.number() // of a success that saw no failure when it ended
	if got := b.Snapshot(); got.State != Open || got.Calls != 2 || got.Failures != 1 {
		t.Errorf("half of two calls failed, the last one to be numbered was good: %+v", got)
	}
	p.number()
	if got := b.Snapshot(); got.State != Open || got.Calls != 2 {
		t.Errorf("one that is numbered after the end counts: %+v", got)
	}
}

// beside is a strategy that opens at a failure, while successes are numbered that
// come after it.
type beside struct {
	consecutive
	successes func()
}

func (s beside) Closed() Rules {
	return Rules{Window: Window{Calls: 10}, Judge: rule(func(Counts) Verdict {
		s.successes()
		return Verdict{Open, "a failure"}
	})}
}

func TestFiguresAreThoseThatDecided(t *testing.T) {
	var b *Breaker
	b = New("subject", beside{consecutive{&Consecutive{}}, func() { b.period.Load().outcomes.Add(3) }}, Hooks{})
	p, _ := b.Admit()
	p.Failure(false, "", "")
	if got := b.Snapshot(); got.State != Open || got.Calls != 1 || got.Failures != 1 {
		t.Errorf("a failure opened it, and three successes came later: %+v", got)
	}
}

// Refusals are what a service makes many of while a dependency is down.
func TestRefusalsWhileOpenTakeNoLock(t *testing.T) {
	b := New("subject", (&Static{FailureThreshold: 1, FailureThresholdCapacity: 1, TestDelay: time.Hour}).Strategy(), Hooks{})
	for state, open := range map[State]func(string){Open: b.Trip, ForcedOpen: b.ForceOpen} {
		b.Reset("")
		open("")
		if p := b.period.Load(); p.state != state || !p.asleep() {
			t.Errorf("in %v a call asks the lock", p.state)
		}
	}
}
