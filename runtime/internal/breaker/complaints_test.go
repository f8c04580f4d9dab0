package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
)

// What users of other libraries complained about. The numbers are those of the
// reports; the sequences use a static breaker of 3 in 10, 5 successes, 20 s,
// and a rate breaker of 50 %, minimum 4, window 10, half-open 4, 20 s.

type subject struct {
	*Breaker
	t      *testing.T
	events []string
}

func newSubject(t *testing.T, settings Settings) *subject {
	s := &subject{t: t}
	s.Breaker = New("subject", settings.Strategy(), Hooks{Transition: func(t Transition) {
		s.events = append(s.events, t.From.String()+">"+t.To.String())
	}})
	return s
}

func newStatic(t *testing.T) *subject { return newSubject(t, with[Static](nil)) }

func rateSettings(change func(*Canary)) *Canary {
	return with(func(s *Canary) {
		s.FailureRateThreshold, s.MinimumNumberOfCalls, s.SlidingWindowSize = 50, 4, 10
		s.PermittedNumberOfCallsInHalfOpenState, s.InitialState = 4, "CLOSED"
		s.WaitDurationInOpenState = new(20 * time.Second)
		if change != nil {
			change(s)
		}
	})
}

func newRate(t *testing.T) *subject { return newSubject(t, rateSettings(nil)) }

// admit begins a call, which must be admitted.
func (s *subject) admit() *Period {
	s.t.Helper()
	p, ok := s.Admit()
	if !ok {
		s.t.Fatalf("refused while %+v", s.Snapshot())
	}
	return p
}

func (s *subject) admits(n int) (periods []*Period) {
	s.t.Helper()
	for range n {
		periods = append(periods, s.admit())
	}
	return periods
}

// do makes whole calls: F is a failure, S a success, I an ignored one.
func (s *subject) do(results string) {
	s.t.Helper()
	for _, r := range results {
		finish(s.admit(), map[rune]string{'F': "failure", 'S': "success", 'I': "ignored"}[r])
	}
}

func (s *subject) refuses() {
	s.t.Helper()
	if _, ok := s.Admit(); ok {
		s.t.Fatalf("admitted while %+v", s.Snapshot())
	}
}

func (s *subject) is(state State, calls, failures uint64) {
	s.t.Helper()
	if now := s.Snapshot(); now.State != state || now.Calls != calls || now.Failures != failures {
		s.t.Fatalf("it is %+v, want %v with %d of %d failed", now, state, failures, calls)
	}
}

// inBubble runs a test in fake time.
func inBubble(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, f) }
}

func TestT01AnIgnoredTrialGivesItsPermitBack(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		s.do("FFF")
		time.Sleep(20 * time.Second)
		trials := s.admits(5)
		for _, p := range trials[:4] {
			p.Success(false)
		}
		trials[4].Ignore()
		s.is(HalfOpen, 4, 0)
		s.do("S")
		s.is(Closed, 0, 0)
	})(t)
}

func TestT02TrialsThatNeverReportDoNotBlockForEver(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newSubject(t, with(func(s *Static) { s.MaxHalfOpenDuration = 20 * time.Second }))
		s.do("FFF")
		time.Sleep(20 * time.Second)
		lost := s.admits(5)
		s.refuses()
		time.Sleep(40 * time.Second)
		p := s.admit()
		for _, old := range lost {
			old.Failure(false, "", "")
		}
		s.is(HalfOpen, 0, 0)
		p.Success(false)
		s.is(HalfOpen, 1, 0)
	})(t)
}

func TestT04NoStampedeAtHalfOpen(t *testing.T) {
	inBubble(func(t *testing.T) {
		for range 1000 {
			s := newRate(t)
			s.Trip("")
			time.Sleep(20 * time.Second)
			var admitted atomic.Int32
			periods := make([]*Period, 100)
			together(100, func(i int) {
				if p, ok := s.Admit(); ok {
					admitted.Add(1)
					periods[i] = p
				}
			})
			for _, p := range periods {
				if p != nil {
					p.Success(false)
					break
				}
			}
			s.refuses()
			if n := admitted.Load(); n != 4 {
				t.Fatalf("%d trials admitted, want 4", n)
			}
		}
	})(t)
}

func TestT06LookingConsumesNothing(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		s.Trip("")
		time.Sleep(20 * time.Second)
		for range 1000 {
			if _, ok := s.Gate(); !ok || s.State() != Open || !s.Snapshot().Admits {
				t.Fatalf("the gate of an OPEN breaker with its delay over refuses: %+v", s.Snapshot())
			}
		}
		if len(s.events) != 1 {
			t.Errorf("looking caused %v", s.events[1:])
		}
		s.admits(5)
		s.refuses()
	})(t)
}

func TestT07OpenAndReadyIsNotShownAsOpen(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		s.Trip("")
		time.Sleep(19999 * time.Millisecond)
		if now := s.Snapshot(); now.Admits || time.Until(now.RetryAt) != time.Millisecond {
			t.Errorf("a millisecond early it is %+v", now)
		}
		time.Sleep(time.Millisecond)
		if now := s.Snapshot(); now.State != Open || !now.Admits || time.Until(now.RetryAt) != 0 {
			t.Errorf("when the delay is over it is %+v", now)
		}
	})(t)
}

func TestT08CallsBegunBeforeTheOpeningDecideNothing(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		old := s.admits(2)
		time.Sleep(time.Second)
		s.do("FFF")
		time.Sleep(20 * time.Second)
		trial := s.admit()
		old[0].Success(false)
		old[1].Failure(false, "", "")
		s.is(HalfOpen, 0, 0)
		trial.Success(false)
		s.is(HalfOpen, 1, 0)
		s.admits(5)
		s.refuses()
	})(t)
}

func TestT10ResultsWhileOpenChangeNothing(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		old := s.admits(3)
		s.do("FFF")
		before := s.Snapshot()
		old[0].Success(true)
		old[1].Failure(true, "", "")
		old[2].Ignore()
		if after := s.Snapshot(); after != before {
			t.Errorf("it was %+v and is %+v", before, after)
		}
	})(t)
}

func TestT11OneWinnerPerTransition(t *testing.T) {
	for _, race := range []struct{ callers, cycles int }{{4, 10000}, {64, 2000}} {
		t.Run(fmt.Sprint(race.callers, " callers"), inBubble(func(t *testing.T) {
			s := newSubject(t, with(func(s *Static) { s.FailureThreshold, s.SuccessThreshold, s.SuccessThresholdCapacity = 1, 1, 1 }))
			for range race.cycles {
				s.do("F")
				time.Sleep(20 * time.Second)
				together(race.callers, func(int) {
					if p, ok := s.Admit(); ok {
						p.Success(false)
					}
				})
			}
			want := strings.Repeat(" CLOSED>OPEN OPEN>HALF_OPEN HALF_OPEN>CLOSED", race.cycles)
			if got := " " + strings.Join(s.events, " "); got != want {
				t.Errorf("%d events, want %d that alternate", len(s.events), 3*race.cycles)
			}
		}))
	}
}

func TestT12ACancelledTrialMakesRoomAtOnce(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newSubject(t, rateSettings(func(s *Canary) { s.PermittedNumberOfCallsInHalfOpenState = 1 }))
		s.Trip("")
		time.Sleep(20 * time.Second)
		p := s.admit()
		s.refuses()
		p.Ignore()
		s.admit()
	})(t)
}

func TestT15ARatioOfTrialsDecides(t *testing.T) {
	for trials, want := range map[string]State{"SSSF": Closed, "SFFS": Open} {
		t.Run(trials, inBubble(func(t *testing.T) {
			s := newRate(t)
			s.Trip("")
			time.Sleep(20 * time.Second)
			s.do(trials[:3])
			if s.State() != HalfOpen {
				t.Errorf("it decided early: %v", s.events)
			}
			s.do(trials[3:])
			if got := s.State(); got != want {
				t.Errorf("it is %v, want %v", got, want)
			}
		}))
	}
}

func TestT16IgnoredCallsNeverMoveTheWindow(t *testing.T) {
	s := newRate(t)
	s.do("F" + strings.Repeat("I", 100) + "FS")
	s.is(Closed, 3, 2)
	s.do("S")
	s.is(Open, 4, 2)
}

func TestT22TheMinimumIsCountedInOutcomes(t *testing.T) {
	s := newRate(t)
	s.do("FFF")
	s.is(Closed, 3, 3)
	s.do("F")
	s.is(Open, 4, 4)

	settings := rateSettings(func(s *Canary) { s.MinimumNumberOfCalls = 20 })
	if warned := fmt.Sprint(settings.Warn()); !strings.Contains(warned, "20 is above slidingWindowSize (10) and means 10") {
		t.Errorf("a minimum above the window warns %q", warned)
	}
	s = newSubject(t, settings)
	s.do("FFFFFFFFF")
	s.is(Closed, 9, 9)
	s.do("F")
	s.is(Open, 10, 10)
}

func TestT23ASuccessMayTip(t *testing.T) {
	inBubble(func(t *testing.T) {
		settings := rateSettings(func(s *Canary) {
			s.FailureRateThreshold, s.SlidingWindowSize, s.PermittedNumberOfCallsInHalfOpenState = 75, 4, 1
		})
		s := newSubject(t, settings)
		s.do("FFFS")
		s.is(Open, 4, 3)
		s.refuses()
		time.Sleep(20 * time.Second)
		s.do("S")
		s.is(Closed, 0, 0)
		s.do("FFFS")
		s.is(Open, 4, 3)
		s = newSubject(t, settings)
		s.do("SFFF")
		s.is(Open, 4, 3)
		s = newStatic(t)
		s.do("FFF")
		s.is(Open, 3, 3)
	})(t)
}

func TestT24ASuccessBetweenStartsTheRowAgain(t *testing.T) {
	s := newSubject(t, with(func(s *Consecutive) { s.FailureThreshold = 2 }))
	s.do("F" + strings.Repeat("S", 10000) + "F")
	s.is(Closed, 2, 1)
	s.do("F")
	s.is(Open, 2, 2)
}

func TestT25ThresholdsAreExact(t *testing.T) {
	for _, test := range []struct {
		failures, calls int
		percent         float64
		want            State
	}{
		{57, 100, 57, Open}, {56, 100, 57, Closed}, {29, 100, 29, Open}, {495, 1000, 50, Closed}, {500, 1000, 50, Open},
		{1, 1000, 0.1, Open}, {7, 10000, 0.07, Open}, {1, 3, 33.4, Closed}, {1, 3, 100.0 / 3, Open}, {1, 3, 33.3, Open},
		{1, 1000, 0.1000001, Closed}, {99999, 100000, 99.999, Open}, {99999, 100000, 99.99901, Closed},
	} {
		t.Run(fmt.Sprintf("%d of %d at %v %%", test.failures, test.calls, test.percent), func(t *testing.T) {
			s := newSubject(t, rateSettings(func(s *Canary) {
				s.FailureRateThreshold, s.MinimumNumberOfCalls, s.SlidingWindowSize = test.percent, test.calls, test.calls
			}))
			s.do(strings.Repeat("F", test.failures) + strings.Repeat("S", test.calls-test.failures))
			if got := s.State(); got != test.want {
				t.Errorf("it is %v, want %v", got, test.want)
			}
		})
	}
}

func TestT29SlowSuccessesOpen(t *testing.T) {
	s := newSubject(t, rateSettings(func(s *Canary) {
		s.SlowCallDurationThreshold, s.SlowCallRateThreshold = new(2*time.Second), new(50.0)
	}))
	if after := s.SlowAfter(); after != 2*time.Second {
		t.Errorf("slow calls take more than %v", after)
	}
	for range 4 {
		s.admit().Success(true)
	}
	if now := s.Snapshot(); now.State != Open || now.SlowCalls != 4 || now.SlowCallRate != 100 || now.FailureRate != 0 {
		t.Errorf("it is %+v", now)
	}
}

func TestT30NonsenseIsAProblem(t *testing.T) {
	for want, settings := range map[string]Settings{
		"failureThresholdCapacity: 3 is below failureThreshold (5)": with(func(s *Static) { s.FailureThreshold, s.FailureThresholdCapacity = 5, 3 }),
		"successThresholdCapacity: 4 is below successThreshold (5)": with(func(s *Static) { s.SuccessThresholdCapacity = 4 }),
		"probeBackoffMax: 1ms is below probeInterval (1s)":          with(func(s *Canary) { s.ProbeBackoffMax = time.Millisecond }),
		"slowCallRateThreshold: 50 needs slowCallDurationThreshold": with(func(s *Canary) { s.SlowCallRateThreshold = new(50.0) }),
	} {
		problems := settings.Check()
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Field+": "+problems[0].Message, want) {
			t.Errorf("problems %+v, want %s", problems, want)
		}
	}
	for _, kind := range Strategies {
		if problems := withDefaults(kind).Check(); len(problems) > 0 {
			t.Errorf("the defaults of %s have problems: %v", kind.Name, problems)
		}
	}
}

func TestT47AReloadKeepsAnOpenBreakerOpen(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		s.do("FFF")
		time.Sleep(5 * time.Second)
		s.Reconfigure(with(func(s *Static) { s.FailureThreshold = 9 }).Strategy())
		s.is(Open, 3, 3)
		refusing, _ := s.Gate()
		if at, known := refusing.RetryAt(); !known || at.Sub(Now()) != 15*time.Second {
			t.Errorf("it admits in %v, want 15s", at.Sub(Now()))
		}
		s.Reconfigure(with(func(s *Static) { s.TestDelay = 10 * time.Second }).Strategy())
		time.Sleep(5*time.Second - 1)
		s.refuses()
		time.Sleep(time.Nanosecond)
		s.admit()
	})(t)
}

func TestT47AReloadKeepsTheWindow(t *testing.T) {
	s := newStatic(t)
	s.do("SSSSFF")
	inFlight := s.admit()
	s.Reconfigure(with(func(s *Static) { s.FailureThreshold, s.FailureThresholdCapacity = 3, 4 }).Strategy())
	s.is(Closed, 4, 2)
	inFlight.Failure(false, "", "")
	s.is(Open, 4, 3)

	s = newStatic(t)
	s.do("FF")
	s.Reconfigure(with(func(s *Static) { s.FailureThreshold = 2 }).Strategy())
	s.is(Closed, 2, 2)
	s.do("S") // the next outcome is judged, a success too
	s.is(Open, 3, 2)
}

func TestT47AReloadBringsNoLostTrialBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		static := func(longest time.Duration) Strategy {
			return with(func(s *Static) {
				s.FailureThreshold, s.FailureThresholdCapacity, s.SuccessThreshold, s.SuccessThresholdCapacity = 1, 1, 1, 1
				s.TestDelay, s.MaxHalfOpenDuration = time.Second, longest
			}).Strategy()
		}
		b := New("subject", static(time.Second), Hooks{})
		end(b, "failure")
		time.Sleep(time.Second)
		trial, _ := b.Admit()
		time.Sleep(1500 * time.Millisecond)
		b.Reconfigure(static(time.Hour))
		trial.Success(false)
		if b.State() != Open {
			t.Errorf("it is %v by a trial that was lost", b.State())
		}
	})
}

func TestT50ForcedOpenLeaksNothingAndNeverEnds(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newStatic(t)
		s.ForceOpen("me")
		for range 1000 {
			s.refuses()
			time.Sleep(200 * time.Millisecond)
		}
		s.Reconfigure(with[Paced](nil).Strategy())
		s.Trip("me")
		s.is(ForcedOpen, 0, 0)
		s.Reset("me")
		s.is(Closed, 0, 0)
		s.MetricsOnly("me")
		s.do("FFFFFFFFFFFF")
		s.is(MetricsOnly, 12, 12)
		s.Disable("me")
		s.do("FFF")
		s.is(Disabled, 0, 0)
	})(t)
}

func TestT51TheDelayIsExact(t *testing.T) {
	inBubble(func(t *testing.T) {
		for range 1000 {
			s := newStatic(t)
			s.do("FFF")
			time.Sleep(20*time.Second - 1)
			s.refuses()
			time.Sleep(time.Nanosecond)
			s.admit()
		}
	})(t)
}

func TestT52NoGoroutineOutlivesClose(t *testing.T) {
	inBubble(func(t *testing.T) {
		var breakers []*subject
		for i := range 1000 {
			s := newSubject(t, with[Canary](nil))
			if err := s.Probe(func(context.Context) error { return errors.New("down") }); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				s.Reset("")
			}
			breakers = append(breakers, s)
		}
		time.Sleep(10 * time.Second)
		for _, s := range breakers {
			s.Close()
			s.Close()
			s.Trip("")
		}
		synctest.Wait()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if n := strings.Count(string(stacks), "breaker.(*Breaker).work"); n > 0 {
			t.Errorf("%d workers are left", n)
		}
	})(t)
}

func TestT56ACanaryWithoutAProbeServes(t *testing.T) {
	inBubble(func(t *testing.T) {
		s := newSubject(t, with[Canary](nil))
		s.do("S")
		s.is(HalfOpen, 0, 0)
	})(t)
}
