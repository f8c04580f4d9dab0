package breaker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

func withDefaults(kind Kind) Settings {
	settings := kind.New()
	setting.Defaults(settings)
	return settings
}

var errDown = errors.New("down")

// timedProbe fails and tells when it was called.
type timedProbe struct{ calls []time.Time }

func (p *timedProbe) call(context.Context) error {
	p.calls = append(p.calls, time.Now())
	return errDown
}

func TestASecondProbeIsAnError(t *testing.T) {
	probe := func(context.Context) error { return nil }
	b := New("payments", with[Static](nil).Strategy(), Hooks{})
	if err := b.Probe(probe); err != nil {
		t.Fatal(err)
	}
	_, external := b.ExternalProbe()
	for _, err := range []error{b.Probe(probe), external} {
		if !errors.Is(err, ErrProbed) || err.Error() != "breaker payments has a probe already" {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestPausesAreJittered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("subject", with(func(s *Canary) { s.ProbesPerTick = new(1) }).Strategy(), Hooks{})
		probe := new(timedProbe)
		b.Probe(probe.call)
		time.Sleep(1000 * time.Second)
		b.Close()
		shortest, longest := time.Hour, time.Duration(0)
		for i := range probe.calls[1:] {
			pause := probe.calls[i+1].Sub(probe.calls[i])
			shortest, longest = min(shortest, pause), max(longest, pause)
		}
		if shortest < 900*time.Millisecond || longest > 1100*time.Millisecond {
			t.Errorf("pauses from %v to %v, want ten percent of a second at most", shortest, longest)
		}
		if shortest > 920*time.Millisecond || longest < 1080*time.Millisecond {
			t.Errorf("pauses from %v to %v only", shortest, longest)
		}
	})
}

func TestAChangedIntervalHoldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := with(func(s *Canary) { s.ProbesPerTick, s.ProbeInterval, s.ProbeBackoffMax = new(1), time.Hour, time.Hour })
		b := New("subject", slow.Strategy(), Hooks{})
		probe := new(timedProbe)
		b.Probe(probe.call)
		time.Sleep(10 * time.Second)
		b.Reconfigure(with(func(s *Canary) { s.ProbesPerTick = new(1) }).Strategy())
		synctest.Wait()
		if n := len(probe.calls); n != 2 {
			t.Errorf("%d probes, want the second at once: its pause is over", n)
		}
		b.Close()
	})
}

func TestWhatProbesFollowsTheStrategy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("subject", with[Static](nil).Strategy(), Hooks{})
		probe := new(timedProbe)
		b.Probe(probe.call)
		b.Trip("")
		time.Sleep(10 * time.Second)
		if len(probe.calls) != 0 {
			t.Errorf("STATIC_THRESHOLD was probed")
		}
		b.Reconfigure(with[Canary](nil).Strategy())
		synctest.Wait()
		if len(probe.calls) != 3 {
			t.Errorf("%d probes after the change to a strategy that probes, want a tick", len(probe.calls))
		}
		b.Reconfigure(with[Static](nil).Strategy())
		time.Sleep(time.Hour)
		if len(probe.calls) != 3 {
			t.Errorf("%d probes after the change back", len(probe.calls))
		}
		b.Close()
	})
}

func TestCloseDoesNotWaitForAHangingProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("subject", with[Canary](nil).Strategy(), Hooks{})
		release := make(chan struct{})
		var cancelled bool
		b.Probe(func(ctx context.Context) error {
			<-ctx.Done()
			cancelled = true
			<-release
			return nil
		})
		time.Sleep(time.Millisecond)
		before := time.Now()
		b.Close()
		synctest.Wait()
		if took := time.Since(before); took != 0 || !cancelled {
			t.Errorf("Close took %v; the probe's context is done: %v", took, cancelled)
		}
		close(release)
		synctest.Wait()
		if b.State() != Open {
			t.Errorf("a probe that returns after Close made it %v", b.State())
		}
	})
}

func TestProbesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var probes []Probe
		b := New("payments", with(func(s *Canary) { s.ProbesPerTick = new(1) }).Strategy(), Hooks{
			Probe: func(p Probe) { probes = append(probes, p) },
		})
		b.Probe(func(ctx context.Context) error {
			time.Sleep(3 * time.Second)
			return nil
		})
		time.Sleep(3500 * time.Millisecond)
		b.Close()
		if len(probes) != 2 {
			t.Fatalf("reports %+v, want one of an overdue probe and one of its end", probes)
		}
		if p := probes[0]; !p.Overdue || p.Took < time.Second || p.Took > 1200*time.Millisecond || p.Breaker != "payments" {
			t.Errorf("first report %+v", p)
		}
		p := probes[1]
		if p.Overdue || p.Took != 3*time.Second || !errors.Is(p.Err, context.DeadlineExceeded) {
			t.Errorf("second report %+v", p)
		}
		if want := "it was good, but after 3s, not within probeTimeout (1s): context deadline exceeded"; p.Err.Error() != want {
			t.Errorf("the error reads %v, want %s", p.Err, want)
		}
	})
}

func TestReportsFromOutside(t *testing.T) {
	var probes []Probe
	b := New("payments", with[Canary](nil).Strategy(), Hooks{Probe: func(p Probe) { probes = append(probes, p) }})
	report, err := b.ExternalProbe()
	if err != nil {
		t.Fatal(err)
	}
	if _, admits := b.Gate(); admits {
		t.Error("calls are canaries although a prober outside reports")
	}
	report(errDown)
	if b.State() != Open {
		t.Errorf("a bad report made it %v", b.State())
	}
	report(nil)
	if b.State() != HalfOpen {
		t.Errorf("a good report left it %v", b.State())
	}
	if len(probes) != 2 || !probes[0].External || probes[0].Err != errDown || probes[1].Err != nil {
		t.Errorf("reports %+v", probes)
	}
}

func TestAProbeWhosePeriodIsOverDecidesNothing(t *testing.T) {
	for range 2000 {
		b := New("subject", with[Canary](nil).Strategy(), Hooks{})
		probed := make(chan struct{})
		together(2, func(i int) {
			if i == 0 {
				b.Probe(func(context.Context) error {
					close(probed)
					return nil
				})
			} else {
				<-probed
				b.Reset("test")
			}
		})
		b.Close()
		if b.State() != Closed {
			t.Fatalf("it is %v", b.State())
		}
	}
}

func TestACanaryThatNobodyWaitsForAnyMoreDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSubject(t, with[Canary](nil))
		old := s.admit()
		s.Reconfigure(with[Static](nil).Strategy())
		s.Reconfigure(with[Canary](nil).Strategy())
		time.Sleep(time.Second)
		canary := s.admit()
		old.Success(false)
		s.is(Open, 0, 0)
		canary.Success(false)
		s.is(HalfOpen, 0, 0)
	})
}

func TestAProbeThatHangsFromAnEarlierPeriodIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var overdue []Probe
		b := New("payments", with[Canary](nil).Strategy(), Hooks{Probe: func(p Probe) {
			if p.Overdue {
				overdue = append(overdue, p)
			}
		}})
		back := make(chan struct{})
		calls := 0
		b.Probe(func(context.Context) error {
			if calls++; calls == 1 {
				<-back
			}
			return nil
		})
		time.Sleep(500 * time.Millisecond)
		b.Reset("test")
		b.Trip("test")
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(overdue) != 1 || calls != 1 || b.State() != Open {
			t.Errorf("told %v of %d probes, the breaker is %v", overdue, calls, b.State())
		}
		close(back)
		synctest.Wait()
		if calls != 2 || b.State() != HalfOpen {
			t.Errorf("%d probes, the breaker is %v", calls, b.State())
		}
		b.Close()
	})
}

func TestAGoodReportCountsAlthoughTheTrialsWereLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("payments", with(func(s *Canary) {
			s.PermittedNumberOfCallsInHalfOpenState, s.MaxHalfOpenDuration = 1, time.Second
		}).Strategy(), Hooks{})
		report, err := b.ExternalProbe()
		if err != nil {
			t.Fatal(err)
		}
		report(nil)
		b.Admit()
		time.Sleep(2 * time.Second)
		report(nil)
		if _, admitted := b.Admit(); !admitted {
			t.Errorf("it is %v, and the report of a prober that is silent from now on was lost", b.State())
		}
	})
}

func TestAfterCloseCallsServeAsCanaries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("b", with[Canary](nil).Strategy(), Hooks{})
		if err := b.Probe(func(context.Context) error { return errors.New("the probe is broken") }); err != nil {
			t.Fatal(err)
		}
		b.Close()
		time.Sleep(time.Hour)
		p, admitted := b.Admit()
		if !admitted {
			t.Fatal("nobody probes, and no call is let through")
		}
		p.Success(false)
		if b.State() != HalfOpen {
			t.Errorf("after a call that served as canary it is %v", b.State())
		}
	})
}
