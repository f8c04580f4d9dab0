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
			if got := b.Snapshot(); got != want {
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
			Refused: 2, RefusedTotal: 2, Figures: Figures{Calls: 3, Failures: 3, FailureRate: 100},
		})
		b.ForceOpen("ann")
		end(b, "success")
		refusing, _ := b.Gate()
		b.CountGate(refusing)
		check(Snapshot{
			State: ForcedOpen, Since: opened, Reason: "forced open", By: "ann",
			Refused: 1, RefusedTotal: 3, Gates: 1, Figures: Figures{Calls: 3, Failures: 3, FailureRate: 100},
		})
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
