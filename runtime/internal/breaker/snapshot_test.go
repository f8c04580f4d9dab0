package breaker_test

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
)

func TestSnapshotsSayHowItIsAndWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("payments", with[Static](nil).Strategy(), Hooks{})
		check := func(want Snapshot) {
			t.Helper()
			want.Name, want.Strategy = "payments", "STATIC_THRESHOLD"
			got := b.Snapshot()
			got.Ever, got.OpensAt = Ever{}, 0 // they have tests of their own
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		}
		none := Figures{FailureRate: -1, SlowCallRate: -1}
		made := time.Now()
		check(Snapshot{State: Closed, Since: made, Admits: true, Figures: none})
		time.Sleep(time.Second)
		for range 5 {
			end(b, "failure")
		}
		opened := made.Add(time.Second)
		check(Snapshot{
			State: Open, Since: opened, Reason: "3 of the last 3 calls failed", RetryAt: opened.Add(20 * time.Second),
			Refused: 2, RefusedTotal: 2, LastFailure: Trouble{At: opened}, Figures: Figures{Calls: 3, Failures: 3, FailureRate: 100},
		})
		b.ForceOpen("ann")
		end(b, "success")
		refusing, _ := b.Gate()
		b.CountGate(refusing)
		check(Snapshot{
			State: ForcedOpen, Since: opened, Reason: "forced open", By: "ann",
			Refused: 1, RefusedTotal: 3, Gates: 1, LastFailure: Trouble{At: opened}, Figures: Figures{Calls: 3, Failures: 3, FailureRate: 100},
		})
	})
}

func TestFieldL02TroublesAreTheLastThatCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last Transition
		b := New("payments", with(func(s *Static) { s.FailureThreshold, s.SuccessThreshold = 2, 2 }).Strategy(), Hooks{
			Transition: func(t Transition) { last = t },
		})
		fail := func(p *Period, text string) { p.Failure(false, "Payments.Charge", text) }
		admit := func() *Period {
			p, admitted := b.Admit()
			if !admitted {
				t.Fatal("refused")
			}
			return p
		}
		check := func(when string, want Trouble, transition bool) {
			t.Helper()
			if got := b.Snapshot().LastFailure; got != want {
				t.Errorf("%s: the snapshot has %+v, want %+v", when, got, want)
			}
			if transition && last.LastFailure != want {
				t.Errorf("%s: the transition has %+v, want %+v", when, last.LastFailure, want)
			}
		}
		late := admit()
		fail(admit(), "first")
		first := Trouble{time.Now(), "Payments.Charge", "first"}
		time.Sleep(time.Second)
		check("a second later", first, false)
		admit().Success(false)
		admit().Ignore()
		check("after a success and an ignored call", first, false)
		fail(admit(), "second")
		second := Trouble{time.Now(), "Payments.Charge", "second"}
		check("as it opens", second, true)
		time.Sleep(time.Minute)
		fail(late, "late")
		check("after a result of an earlier period", second, false)
		trial := admit()
		check("as it tries", second, true)
		fail(trial, "trial")
		trials := Trouble{time.Now(), "Payments.Charge", "trial"}
		check("after a trial that failed", trials, false)
		b.Disable("test")
		fail(admit(), "disabled")
		check("while DISABLED", trials, true)
		b.MetricsOnly("test")
		fail(admit(), "metrics")
		check("while METRICS_ONLY", Trouble{time.Now(), "Payments.Charge", "metrics"}, false)
	})
}

func TestFieldL02CanariesTellTheirFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("payments", with[Canary](nil).Strategy(), Hooks{})
		if reason := b.Snapshot().Reason; reason == "" {
			t.Error("it starts OPEN for no reason")
		}
		canary, admitted := b.Admit()
		if !admitted {
			t.Fatal("refused")
		}
		canary.Failure(false, "Payments.Charge", "down")
		if got, want := b.Snapshot().LastFailure, (Trouble{time.Now(), "Payments.Charge", "down"}); got != want {
			t.Errorf("the snapshot has %+v, want %+v", got, want)
		}
	})
}

func TestTransitionsSayWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reasons []string
		b := New("payments", with(func(s *Canary) { s.InitialState = "CLOSED" }).Strategy(), Hooks{
			Transition: func(t Transition) { reasons = append(reasons, t.Reason+"/"+t.By) },
		})
		for range 39 {
			end(b, "success")
		}
		for range 11 {
			end(b, "failure")
		}
		time.Sleep(time.Second)
		end(b, "success")
		for range 10 {
			end(b, "success")
		}
		b.ForceOpen("alice: migration")
		want := []string{
			"failure rate 22 % of 50 calls reached 21 %/",
			"a call let through as canary succeeded/",
			"failure rate of 10 trials stayed below 21 %/",
			"forced open/alice: migration",
		}
		if len(reasons) != len(want) {
			t.Fatalf("reasons %q", reasons)
		}
		for i := range want {
			if reasons[i] != want[i] {
				t.Errorf("reason %q, want %q", reasons[i], want[i])
			}
		}
	})
}

func TestTheTableOfStrategiesIsRight(t *testing.T) {
	for _, kind := range Strategies {
		if name := withDefaults(kind).Strategy().Name(); name != kind.Name {
			t.Errorf("the row %s makes %s", kind.Name, name)
		}
	}
}

func TestNoCallIsSlowUnlessTheSettingsSayWhen(t *testing.T) {
	for _, kind := range Strategies {
		if after := New("b", withDefaults(kind).Strategy(), Hooks{}).SlowAfter(); after != 0 {
			t.Errorf("%s takes calls for slow after %v", kind.Name, after)
		}
	}
}
