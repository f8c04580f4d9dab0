package breaker_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
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
		b.Hold(1, Never, "an outage")
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
		b.Ramp(1, "over")
		wantState(t, b, Closed)
		finishNext(t, b, false)
	})
}

func TestAHeldBreakerStartsNoProbe(t *testing.T) {
	inBubble(func(t *testing.T) {
		b := New("b", withDefaults(Strategies[2]).Strategy(), Hooks{})
		defer b.Close()
		var probes atomic.Int32
		b.Hold(1, Never, "an outage")
		if err := b.Probe(func(context.Context) error { probes.Add(1); return errDown }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := probes.Load(); n != 0 {
			t.Errorf("%d probes while held, want none", n)
		}
		b.Release("unknown")
		time.Sleep(time.Minute)
		if probes.Load() == 0 {
			t.Error("no probe after the hold, although the breaker is OPEN")
		}
	})(t)
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
				b.Hold(1, Never, "an outage")
				wantState(t, b, state)
				if b.Permit(1, "a trial") {
					t.Error("trials in a state set by hand")
				}
				b.Reset("test")
				b.Hold(1, Never, "the same outage again")
				wantState(t, b, Closed)
				b.Hold(2, Never, "another outage")
				wantState(t, b, Open)
				set(b)
				b.Ramp(1, "over")
				wantState(t, b, state)
			})
		})
	}
}

func TestAReleasedBreakerGoesOnByItsOwnRules(t *testing.T) {
	inBubble(func(t *testing.T) {
		b := New("b", withDefaults(Strategies[0]).Strategy(), Hooks{})
		b.Hold(1, Never, "an outage")
		time.Sleep(19 * time.Second)
		b.Release("unknown")
		wantState(t, b, Open)
		if p, ok := b.Admit(); ok {
			t.Error("admits before the delay is over")
		} else if at, known := p.RetryAt(); !known || at.Sub(Now()) != time.Second {
			t.Errorf("retry in %v, %v, want a second", at.Sub(Now()), known)
		}
		time.Sleep(time.Second)
		finishNext(t, b, false)
		wantState(t, b, HalfOpen)
		b.Hold(1, Never, "the same outage again")
		wantState(t, b, Open)
	})(t)
}

func TestAReloadKeepsAHold(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Hold(1, Never, "an outage")
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

// news are what a breaker tells of outages.
func news(b **Breaker, kind Kind) *[]FleetNews {
	var all []FleetNews
	*b = New("b", withDefaults(kind).Strategy(), Hooks{Fleet: func(e FleetEvent) { all = append(all, e.What) }})
	(*b).Reset("test")
	return &all
}

func TestAHeldBreakerMakesOneTrialForEachPermit(t *testing.T) {
	for _, kind := range Strategies {
		t.Run(kind.Name, inBubble(func(t *testing.T) {
			var b *Breaker
			told := news(&b, kind)
			defer b.Close()
			b.Hold(1, Never, "an outage")
			if b.Permit(2, "a trial") || !b.Permit(1, "a trial") {
				t.Fatal("a permit is for the outage that lasts")
			}
			for _, end := range []func(*Period){
				func(p *Period) { p.Success(false) }, func(p *Period) { p.Failure(false, "", "") }, func(p *Period) { p.Ignore() },
			} {
				p, ok := b.Admit()
				if _, second := b.Admit(); !ok || second {
					t.Fatalf("of two calls the first is admitted: %t, the second: %t", ok, second)
				}
				time.Sleep(10000 * time.Hour) // whoever gave the permit judges how long that may take
				end(p)
				wantState(t, b, HalfOpen)
				b.Permit(1, "another trial")
			}
			want := []FleetNews{TrialBegan, TrialGood, TrialBegan, TrialBad, TrialBegan, TrialIgnored}
			if !slices.Equal(*told, want) {
				t.Errorf("told are %v, want %v", *told, want)
			}
			b.Hold(1, Never, "the outage goes on")
			wantState(t, b, Open)
		}))
	}
}

func TestTheFirstCallThatIsRefusedAfterTheRetryIsToldOf(t *testing.T) {
	inBubble(func(t *testing.T) {
		var b *Breaker
		told := news(&b, Strategies[0])
		b.Hold(1, Now().Add(time.Second), "an outage")
		p, _ := b.Admit()
		if at, known := p.RetryAt(); !known || at.Sub(Now()) != time.Second || len(*told) > 0 {
			t.Errorf("retry in %v, %t, told %v", at.Sub(Now()), known, *told)
		}
		time.Sleep(time.Second)
		for range 3 {
			b.Admit()
			b.Gate()
		}
		if _, known := p.RetryAt(); known || !slices.Equal(*told, []FleetNews{CallWaits}) {
			t.Errorf("told %v, want one call that waits", *told)
		}
		b.Hold(1, Now().Add(time.Second), "the trials are others'")
		time.Sleep(time.Second)
		b.Gate()
		if len(*told) != 2 {
			t.Errorf("told %v, want a second call", *told)
		}
	})(t)
}

func TestARampAdmitsItsShareAndJudgesAsClosed(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Ramp(.1, "no outage") // nothing to come back from
		wantState(t, b, Closed)
		b.Hold(1, Never, "an outage")
		for _, share := range []float64{.1, .4} {
			b.Ramp(share, "over")
			wantState(t, b, HalfOpen)
			admitted := 0
			for range 5000 {
				if p, ok := b.Admit(); ok {
					admitted++
					p.Success(false)
				}
			}
			if got := float64(admitted) / 5000; got < share*.8 || got > share*1.2 {
				t.Errorf("a share of %v admits %v", share, got)
			}
		}
		if !b.Snapshot().Admits || b.Snapshot().Held {
			t.Errorf("in a ramp the snapshot is %+v", b.Snapshot())
		}
		if b.Snapshot().Strategy == "NONE" {
			b.Ramp(1, "over")
			wantState(t, b, Closed)
			return
		}
		for i := 0; b.State() == HalfOpen && i < 100000; i++ {
			if p, ok := b.Admit(); ok {
				p.Failure(false, "", "")
			}
		}
		wantState(t, b, Open)
		b.Ramp(.8, "late news")
		wantState(t, b, Open)
	})
}

func TestARampThatIsLetGoIsClosed(t *testing.T) {
	each(t, func(t *testing.T, b *Breaker) {
		b.Hold(1, Never, "an outage")
		b.Ramp(.1, "over")
		b.Release("shared no more")
		wantState(t, b, Closed)
	})
}

func TestTrialsOfAllProcessesAreAsManyAsThoseOfTheStrategy(t *testing.T) {
	want := map[string]Budget{
		"STATIC_THRESHOLD": {5, 5}, "CONSECUTIVE_FAILURES": {1, 1}, "CANARY_RATE_THRESHOLD": {8, 10}, "PACED_RATE_THRESHOLD": {7, 10}, "NONE": {1, 1},
	}
	each(t, func(t *testing.T, b *Breaker) {
		if name := b.Snapshot().Strategy; b.Budget() != want[name] {
			t.Errorf("%s: %+v, want %+v", name, b.Budget(), want[name])
		}
	})
}
