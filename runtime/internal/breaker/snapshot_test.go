package breaker_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
)

func TestSnapshotEncodesToStableJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("payments", with[Static](nil).Strategy(), Hooks{})
		check := func(want string) {
			t.Helper()
			if got, err := json.Marshal(b.Snapshot()); err != nil || string(got) != want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, want)
			}
		}
		check(`{"name":"payments","strategy":"STATIC_THRESHOLD","state":"CLOSED","since":"2000-01-01T00:00:00Z",` +
			`"admits":true,"refused":0,"gates":0,"trials":0,` +
			`"calls":0,"failures":0,"slowCalls":0,"failureRate":-1,"slowCallRate":-1}`)
		time.Sleep(time.Second)
		for range 4 {
			end(b, "failure")
		}
		check(`{"name":"payments","strategy":"STATIC_THRESHOLD","state":"OPEN","since":"2000-01-01T00:00:01Z",` +
			`"admits":false,"retryAt":"2000-01-01T00:00:21Z","refused":1,"gates":0,"trials":0,` +
			`"calls":3,"failures":3,"slowCalls":0,"failureRate":100,"slowCallRate":0}`)
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
