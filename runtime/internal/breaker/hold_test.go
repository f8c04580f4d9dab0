package breaker_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
)

// each runs a test for every strategy, in a bubble, with a breaker that was
// reset to CLOSED.
func each(t *testing.T, test func(*testing.T, *Breaker)) {
	for _, kind := range Strategies {
		t.Run(kind.Name, inBubble(func(t *testing.T) {
			b := New("b", withDefaults(kind).Strategy(), Hooks{})
			defer b.Close()
			b.Reset("test")
			test(t, b)
		}))
	}
}

// finishNext admits a call and ends it.
func finishNext(t *testing.T, b *Breaker, failed bool) {
	t.Helper()
	p, ok := b.Admit()
	switch {
	case !ok:
		t.Fatalf("a call is refused in %v", b.State())
	case failed:
		p.Failure(false, "", "")
	default:
		p.Success(false)
	}
}

func wantState(t *testing.T, b *Breaker, want State) {
	t.Helper()
	if got := b.State(); got != want {
		t.Fatalf("the breaker is %v, want %v", got, want)
	}
}

func TestNothingButTheFleetEndsAHold(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Hold(1, "an outage")
		report, err := b.ExternalProbe()
		if err != nil {
			t.Fatal(err)
		}
		report(nil)
		time.Sleep(10000 * time.Hour)
		report(nil)
		if _, ok := b.Gate(); ok {
			t.Error("the gate of a breaker that is held passes")
		}
		p, ok := b.Admit()
		if ok {
			t.Error("a breaker that is held admits a call")
		}
		if _, known := p.RetryAt(); known {
			t.Error("a breaker that is held knows when it admits a call")
		}
		wantState(t, b, Open)
		b.Release(true, "over")
		wantState(t, b, Closed)
		finishNext(t, b, false)
	})
}

func TestAHeldBreakerStartsNoProbe(t *testing.T) {
	inBubble(func(t *testing.T) {
		b := New("b", withDefaults(Strategies[2]).Strategy(), Hooks{})
		defer b.Close()
		var probes atomic.Int32
		b.Hold(1, "an outage")
		if err := b.Probe(func(context.Context) error { probes.Add(1); return errDown }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := probes.Load(); n != 0 {
			t.Errorf("%d probes while held, want none", n)
		}
		b.Release(false, "unknown")
		time.Sleep(time.Minute)
		if probes.Load() == 0 {
			t.Error("no probe after the hold, although the breaker is OPEN")
		}
	})(t)
}

func TestTrialsOfAHeldBreakerAreThoseOfItsStrategy(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Hold(1, "an outage")
		if b.Try(2, "a token") || !b.Try(1, "a token") || b.Try(1, "a token") {
			t.Fatal("Try does not depend on the outage and on OPEN")
		}
		wantState(t, b, HalfOpen)
		for range 50 {
			if b.State() == Closed {
				return
			}
			time.Sleep(time.Minute) // the pace of trials
			finishNext(t, b, false)
		}
		t.Errorf("fifty successful trials left the breaker %v", b.State())
	})
}

func TestFailedTrialsAreHeldAgain(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Hold(1, "an outage")
		b.Try(1, "a token")
		for b.State() == HalfOpen {
			time.Sleep(time.Minute)
			finishNext(t, b, true)
		}
		time.Sleep(10000 * time.Hour)
		if _, ok := b.Admit(); ok || !b.Snapshot().Held {
			t.Error("after failed trials the breaker is held no more")
		}
	})
}

func TestTrialsThatHangAreHeldAgain(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		if b.Snapshot().Strategy == "NONE" {
			t.Skip("NONE bounds no trials")
		}
		b.Hold(1, "an outage")
		b.Try(1, "a token")
		for range 100 {
			b.Admit()
		}
		time.Sleep(10000 * time.Hour)
		_, passes := b.Gate()
		if _, admits := b.Admit(); passes || admits {
			t.Error("a breaker whose trials hang is held no more")
		}
	})
}

func TestRecallEndsTrialsOnly(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Recall(1, "nothing to recall")
		wantState(t, b, Closed)
		b.Hold(1, "an outage")
		b.Try(1, "a token")
		b.Recall(2, "another outage")
		wantState(t, b, HalfOpen)
		b.Recall(1, "the token is lost")
		wantState(t, b, Open)
		if !b.Snapshot().Held {
			t.Error("a recalled breaker is held no more")
		}
	})
}

func TestStatesSetByHandComeBeforeAHold(t *testing.T) {
	byHand := map[State]func(*Breaker){
		ForcedOpen:  func(b *Breaker) { b.ForceOpen("test") },
		Disabled:    func(b *Breaker) { b.Disable("test") },
		MetricsOnly: func(b *Breaker) { b.MetricsOnly("test") },
	}
	for state, set := range byHand {
		t.Run(state.String(), func(t *testing.T) {
			each(t, func(t *testing.T, b *Breaker) {
				set(b)
				b.Hold(1, "an outage")
				wantState(t, b, state)
				if b.Try(1, "a token") {
					t.Error("trials in a state set by hand")
				}
				b.Reset("test")
				b.Hold(1, "the same outage again")
				wantState(t, b, Closed)
				b.Hold(2, "another outage")
				wantState(t, b, Open)
				set(b)
				b.Release(true, "over")
				wantState(t, b, state)
			})
		})
	}
}

func TestAReleasedBreakerGoesOnByItsOwnRules(t *testing.T) {
	inBubble(func(t *testing.T) {
		b := New("b", withDefaults(Strategies[0]).Strategy(), Hooks{})
		b.Hold(1, "an outage")
		time.Sleep(19 * time.Second)
		b.Release(false, "unknown")
		wantState(t, b, Open)
		if p, ok := b.Admit(); ok {
			t.Error("admits before the delay is over")
		} else if at, known := p.RetryAt(); !known || at.Sub(Now()) != time.Second {
			t.Errorf("retry in %v, %v, want a second", at.Sub(Now()), known)
		}
		time.Sleep(time.Second)
		finishNext(t, b, false)
		wantState(t, b, HalfOpen)
		b.Hold(1, "the same outage again")
		wantState(t, b, Open)
	})(t)
}

func TestAReloadKeepsAHold(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Hold(1, "an outage")
		for _, kind := range Strategies {
			b.Reconfigure(withDefaults(kind).Strategy())
			time.Sleep(10000 * time.Hour)
			if _, ok := b.Admit(); ok {
				t.Errorf("changed to %s, it admits a call", kind.Name)
			}
		}
	})
}

func TestTotalsCountEveryOutcomeOnce(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.KeepTotals(true)
		var calls, failures uint64
		for i := range 500 {
			if i%5 == 0 {
				b.Reset("test")
			}
			failed := i%5 == 3
			finishNext(t, b, failed)
			calls++
			if failed {
				failures++
			}
			if c, f := b.Totals(); c != calls || f != failures {
				t.Fatalf("totals are %d and %d, want %d and %d", c, f, calls, failures)
			}
		}
		b.Disable("test")
		finishNext(t, b, true)
		finishNext(t, b, false)
		late, _ := b.Admit()
		b.Reset("test")
		late.Failure(false, "", "")
		if c, f := b.Totals(); c != calls || f != failures {
			t.Errorf("totals are %d and %d after calls that count nowhere, want %d and %d", c, f, calls, failures)
		}
	})
}

func TestASuccessThatChangesNothingIsNotCounted(t *testing.T) {
	for _, kind := range Strategies {
		settings := withDefaults(kind)
		rules := settings.Strategy().Closed()
		if rules.Window.Span > 0 {
			continue // time moves what such a window holds
		}
		t.Run(kind.Name, func(t *testing.T) {
			b := New("b", settings.Strategy(), Hooks{})
			b.Reset("test")
			counts := func(want bool) {
				t.Helper()
				before, _ := b.Totals()
				end(b, "success")
				if after, _ := b.Totals(); (after > before) != want {
					t.Errorf("of %d calls and a success it counted %d, success counted: want %t", before, after, want)
				}
			}
			for range rules.Window.Calls {
				counts(true)
			}
			counts(false)
			end(b, "failure")
			for range rules.Window.Calls {
				counts(true)
			}
			counts(false)
			b.KeepTotals(true)
			counts(true)
			b.KeepTotals(false)
			counts(false)
		})
	}
}

func TestAHoldEndsForOneWinner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed int
		b := New("b", withDefaults(Strategies[0]).Strategy(), Hooks{Transition: func(tr Transition) {
			if tr.To == Closed {
				closed++
			}
		}})
		b.Hold(1, "an outage")
		b.Try(1, "a token")
		for range 5 {
			go func() {
				if p, ok := b.Admit(); ok {
					p.Success(false)
				}
			}()
			go b.Release(true, "over")
		}
		synctest.Wait()
		if closed != 1 {
			t.Errorf("%d transitions to CLOSED, want 1", closed)
		}
	})
}

func TestATrialIsWaitedForUntilItIsGivenUpOrBack(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newSubject(t, with(func(s *Static) { s.SuccessThreshold, s.SuccessThresholdCapacity = 2, 2 }))
		expect := func(want bool) {
			t.Helper()
			if got := s.Waits(); got != want {
				t.Errorf("it waits: %t, in %+v", got, s.Snapshot())
			}
		}
		expect(false)
		s.Trip("")
		time.Sleep(20 * time.Second)
		s.do("S")
		expect(false)
		trial := s.admit()
		time.Sleep(time.Minute - 1)
		expect(true)
		time.Sleep(time.Nanosecond)
		expect(false)
		trial.Bound(time.Minute)
		expect(true)
		trial.Ignore()
		expect(false)
	})(t)
}
