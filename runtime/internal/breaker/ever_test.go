package breaker

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEverCountsEachEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("payments", (&Static{FailureThreshold: 3, FailureThresholdCapacity: 10, TestDelay: time.Second}).Strategy(), Hooks{})
		end := func(end func(*Period)) {
			t.Helper()
			p, admitted := b.Admit()
			if !admitted {
				t.Fatal("refused")
			}
			end(p)
		}
		success := func(p *Period) { p.Success(false) }
		fail := func(p *Period) { p.Failure(false, "", "") }
		late, _ := b.Admit()
		end(success)
		end(fail)
		end(func(p *Period) { p.Failure(true, "", "") })
		end(func(p *Period) { p.Success(true) })
		end((*Period).Ignore)
		end(func(p *Period) { p.Abandon(false) })
		end(func(p *Period) { p.Abandon(true) }) // nobody judges slow calls
		end((*Period).Return)                    // it was not made
		end(fail)
		late.Failure(false, "", "") // after its period has ended

		time.Sleep(time.Second)
		end(fail) // a trial, of which more are to decide
		b.Disable("ann")
		end(fail)
		end((*Period).Ignore)
		b.Reset("ann")
		want := Ever{Failures: 4, SlowCalls: 2, Ignored: 3}
		for _, m := range [][2]State{{Closed, Open}, {Open, HalfOpen}, {HalfOpen, Disabled}, {Disabled, Closed}} {
			want.Moves[m[0]][m[1]] = 1
		}
		if diff := cmp.Diff(want, b.Snapshot().Ever); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEverCountsSuccessesOnlyWhereAsked(t *testing.T) {
	b := New("payments", (&Static{FailureThreshold: 3, FailureThresholdCapacity: 10}).Strategy(), Hooks{})
	if got := b.Snapshot().Ever; got.Counted {
		t.Errorf("got %+v", got)
	}
	b.CountAll()
	for i := range 1000 {
		p, _ := b.Admit()
		if i%10 == 0 && i < 20 {
			p.Failure(false, "", "")
		} else {
			p.Success(false)
		}
	}
	b.KeepTotals(true)
	b.KeepTotals(false) // who shares breakers needs them no more
	p, _ := b.Admit()
	p.Success(false)
	if got := b.Snapshot().Ever; !got.Counted || got.Successes != 999 || got.Failures != 2 {
		t.Errorf("got %+v", got)
	}
}

// Where lost trials have ended HALF_OPEN and a canary's time has come, nobody knows
// when another call is admitted: one may have come first.
func TestRetryOfLostTrialsIsUnknownOnceACanaryIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("payments", (&Consecutive{FailureThreshold: 1, SuccessThreshold: 1, MaxHalfOpenDuration: time.Minute}).Strategy(), Hooks{})
		p, _ := b.Admit()
		p.Failure(false, "", "")
		b.Admit() // a trial that never comes back
		canary := &Canary{
			FailureRateThreshold: 50, MinimumNumberOfCalls: 1, SlidingWindowSize: 1,
			ProbeInterval: 2 * time.Second, PermittedNumberOfCallsInHalfOpenState: 1, MaxHalfOpenDuration: time.Minute,
		}
		b.Reconfigure(canary.Strategy())
		time.Sleep(time.Minute + time.Second)
		if _, known := b.RetryAt(); !known {
			t.Error("before the canary's time it is known")
		}
		time.Sleep(2 * time.Second)
		if at, known := b.RetryAt(); known {
			t.Errorf("after it, it is told as %v", at)
		}
	})
}
