package redis

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// The token is kept for trials that are slow, as long as the breaker waits for
// them, and passes on where they hang.
func TestFieldF01TokenIsKeptForTrialsThatTakeTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, strategy := new(settings), new(breaker.Static)
		setting.Defaults(s)
		setting.Defaults(strategy)
		strategy.MaxHalfOpenDuration = 2 * time.Minute
		m := &member{core: breaker.New("b", strategy.Strategy(), breaker.Hooks{})}
		m.core.Hold(1, "an outage")
		m.core.Try(1, "the token is here")
		m.progress = trialProgress{at: time.Now()}
		if _, admitted := m.core.Admit(); !admitted {
			t.Fatal("the trial is refused")
		}
		m.stalled(time.Now(), s)
		for waited := time.Duration(0); waited <= 3*time.Minute; waited += 10 * time.Second {
			if got, want := m.stalled(time.Now(), s), waited >= 2*time.Minute; got != want {
				t.Errorf("%v after the trial began: stalled is %t", waited, got)
			}
			time.Sleep(10 * time.Second)
		}
	})
}

// tried is a member whose breaker has the trials of outage 1.
func tried(strategy *breaker.Static) *member {
	m := &member{core: breaker.New("b", strategy.Strategy(), breaker.Hooks{}), membership: joined, outage: 1}
	m.core.Hold(1, "an outage")
	m.core.Try(1, "the token is here")
	m.trying.Store(1)
	m.progress = trialProgress{at: time.Now()}
	return m
}

// A process whose trials come back has six times the patience of one that has
// made none, from the last one on.
func TestTheTokenIsKeptWhileTrialsComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, strategy := new(settings), new(breaker.Static)
		setting.Defaults(s)
		setting.Defaults(strategy)
		strategy.SuccessThreshold, strategy.SuccessThresholdCapacity = 9, 9
		m := tried(strategy)
		for range 3 {
			p, admitted := m.core.Admit()
			if !admitted {
				t.Fatal("the trial is refused")
			}
			p.Success(false)
			for _, waited := range []time.Duration{0, s.TrialTimeout, 6 * s.TrialTimeout} {
				time.Sleep(waited - time.Since(m.progress.at))
				if m.stalled(time.Now(), s) {
					t.Errorf("%v after a good trial the token passes on", waited)
				}
			}
		}
		time.Sleep(time.Nanosecond)
		if !m.stalled(time.Now(), s) {
			t.Error("the token is kept without trials")
		}
	})
}

// Of processes that might try, one goes first whose callers wait.
func TestAProcessWithoutCallersAsksForTheTokenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, strategy := new(settings), new(breaker.Static)
		setting.Defaults(s)
		setting.Defaults(strategy)
		held := func() *member {
			m := &member{core: breaker.New("b", strategy.Strategy(), breaker.Hooks{}), membership: joined, outage: 1}
			m.core.Hold(1, "an outage")
			m.tryAt = time.Now()
			return m
		}
		later := func(m *member) time.Duration {
			m.yield(time.Now(), s)
			return time.Until(m.tryAt)
		}
		if idle := held(); later(idle) != s.TrialTimeout/10 {
			t.Errorf("without callers it waits for %v", time.Until(idle.tryAt))
		} else if time.Sleep(s.TrialTimeout / 10); later(idle) != 0 {
			t.Errorf("and then again for %v", time.Until(idle.tryAt))
		}
		busy := held()
		if p, admitted := busy.core.Admit(); !admitted {
			p.Refused()
		}
		if later(busy) != 0 {
			t.Errorf("with a caller that waits it waits for %v", time.Until(busy.tryAt))
		}
		byHand := held()
		byHand.core.ForceOpen("by hand")
		if later(byHand) != s.TrialTimeout {
			t.Errorf("with a state set by hand it waits for %v", time.Until(byHand.tryAt))
		}
		early := held()
		early.tryAt = early.tryAt.Add(time.Second)
		if later(early) != time.Second {
			t.Errorf("before it is due, it waits for %v", time.Until(early.tryAt))
		}
	})
}

func TestAMemberLooksForWhatItDoesNotKnow(t *testing.T) {
	m := &member{membership: joined, known: 7}
	for _, change := range []int64{6, 7} {
		if m.nudge(change) || m.stale {
			t.Errorf("it looks for change %d, though it knows of 7", change)
		}
	}
	for _, change := range []int64{8, 0} {
		m.stale, m.lookAt = false, time.Now()
		if !m.nudge(change) || !m.stale || !m.lookAt.IsZero() {
			t.Errorf("it does not look for change %d", change)
		}
	}
	m.membership = left
	if m.nudge(8) {
		t.Error("it looks though it is not shared")
	}
}

func TestEntriesOfTheHistoryAreRead(t *testing.T) {
	got, ok := readChange("1732959999999 BEGAN host-7 62 % of 20 calls")
	want := change{time.UnixMilli(1732959999999), "BEGAN", "host-7", "62 % of 20 calls"}
	if !ok || got != want {
		t.Errorf("read %v, %t, want %v", got, ok, want)
	}
	for _, entry := range []string{"", "1732959999999 BEGAN host-7", "x BEGAN host-7 62 %"} {
		if _, ok := readChange(entry); ok {
			t.Errorf("%q is read", entry)
		}
	}
}

// A breaker that is shared no more hands in what it owes, in this order.
func TestWhatAPartedMemberOwesIsDue(t *testing.T) {
	s, now := new(settings), time.Now()
	setting.Defaults(s)
	s.KeyPrefix = new("shop:")
	m := &member{core: breaker.New("b", new(breaker.Static).Strategy(), breaker.Hooks{}), fleet: newFleet(), lookAt: now}
	expect := func(script *lua.Script) {
		t.Helper()
		at, ask := m.plan(now, now)
		if !at.Equal(now) || ask(s, now).script != script {
			t.Errorf("at %v it asks otherwise", at)
		}
	}
	m.verdict.Store(&verdict{})
	m.reports, m.unanswered = []report{{}}, true
	expect(lua.Settle)
	m.verdict.Store(nil)
	expect(lua.Record)
	m.reports = nil
	expect(lua.Look)
	m.unanswered = false
	if at, _ := m.plan(now, now); at.Sub(now) < idle {
		t.Errorf("it owes nothing, and asks in %v", at.Sub(now))
	}
}
