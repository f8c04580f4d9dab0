package breaker_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// together runs f on n goroutines that start at once, and waits for them.
func together(n int, f func(i int)) {
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	all.Wait()
}

// with returns settings with defaults, changed by change.
func with[S any, P interface {
	*S
	Settings
}](change func(P)) P {
	s := P(new(S))
	setting.Defaults(s)
	if change != nil {
		change(s)
	}
	return s
}

func TestTheSuccessThatReachesTheMinimumIsJudgedWhoeverComesFirst(t *testing.T) {
	settings := with(func(s *Canary) {
		s.InitialState, s.FailureRateThreshold, s.MinimumNumberOfCalls, s.SlidingWindowSize = "CLOSED", 1, 100, 1000
	})
	for range 200 {
		b := New("subject", settings.Strategy(), Hooks{})
		end(b, "failure")
		together(4, func(int) { // one failure is 1 percent of exactly 100 outcomes, and less of more
			for range 50 {
				end(b, "success")
				b.Snapshot()
			}
		})
		if s := b.Snapshot(); s.State != Open || s.Calls != 100 || s.Failures != 1 {
			t.Fatalf("it is %+v", s)
		}
	}
}

func TestASuccessBesideFailuresInAWindowOfTimeIsJudged(t *testing.T) {
	const settled = KeptApart + 50 // so that successes only take a number
	settings := with(func(s *Canary) {
		s.SlidingWindowType, s.InitialState, s.SlidingWindowSize = "TIME_BASED", "CLOSED", 1000
		s.FailureRateThreshold, s.MinimumNumberOfCalls = 200.0/(settled+4), settled+4
	})
	for range 500 {
		b := New("subject", settings.Strategy(), Hooks{})
		for range settled {
			end(b, "success")
		}
		together(2, func(i int) {
			outcome := []string{"success", "failure"}[i]
			end(b, outcome)
			end(b, outcome)
		})
		if s := b.Snapshot(); s.State != Open {
			t.Fatalf("it is %+v", s)
		}
	}
}

// end makes a call with a result, if it is admitted.
func end(b *Breaker, result string) (admitted bool) {
	p, ok := b.Admit()
	if !ok {
		p.Refused()
		return false
	}
	finish(p, result)
	return true
}

func finish(p *Period, result string) {
	switch result {
	case "success":
		p.Success(false)
	case "slow":
		p.Success(true)
	case "failure":
		p.Failure(false, "", "")
	case "ignored":
		p.Ignore()
	}
}

func TestNoOutcomeIsLostUnderLoad(t *testing.T) {
	const calls = 4000
	for name, settings := range map[string]Settings{
		"calls": with(func(s *Static) { s.FailureThresholdCapacity = 1000000 }),
		"time":  with(func(s *Paced) { s.SlidingWindowDuration = time.Hour }),
	} {
		t.Run(name, func(t *testing.T) {
			b := New("subject", settings.Strategy(), Hooks{})
			b.MetricsOnly("test")
			together(4, func(i int) {
				for n := range calls {
					end(b, []string{"success", "success", "failure", "slow", "ignored"}[(n+i)%5])
				}
			})
			want := Figures{Calls: 4 * calls * 4 / 5, Failures: 4 * calls / 5, SlowCalls: 4 * calls / 5, FailureRate: 25, SlowCallRate: 25}
			if got := b.Snapshot().Figures; got != want {
				t.Errorf("figures %+v, want %+v", got, want)
			}
		})
	}
}

func TestFailuresInAFullWindowCountBesideSuccessesThatDoNot(t *testing.T) {
	const size = 100
	settings := with(func(s *Static) { s.FailureThreshold, s.FailureThresholdCapacity = size, size })
	for range 300 {
		b := New("subject", settings.Strategy(), Hooks{})
		succeed := func(calls int) {
			for range calls {
				end(b, "success")
			}
		}
		expect := func(failures uint64) {
			t.Helper()
			if got := b.Snapshot(); got.Calls != size || got.Failures != failures {
				t.Fatalf("it is %+v, want %d failures of %d calls", got, failures, size)
			}
		}
		succeed(size)
		together(4, func(int) {
			succeed(10)
			end(b, "failure")
			succeed(5)
		})
		expect(4)
		together(4, func(int) { succeed(size / 4) })
		expect(0)
		end(b, "failure")
		together(3, func(int) { succeed(size / 3) })
		expect(1)
		succeed(1)
		expect(0)
	}
}

// A success that ended before a change of settings did is in the figures then, and
// does not come back at the next change as if it had ended after it.
func TestSuccessesBesideAChangeOfSettingsCountOnceAndInTime(t *testing.T) {
	window := func(size int) Strategy {
		return with(func(s *Static) { s.FailureThreshold, s.FailureThresholdCapacity = 1, size }).Strategy()
	}
	large, other, small := window(1000), window(999), window(1)
	beside := func(to Strategy) (b *Breaker, made uint64) {
		b = New("subject", large, Hooks{})
		var begun, changed atomic.Bool
		together(2, func(i int) {
			if i == 0 {
				for ; made < 900 && !changed.Load(); made++ { // never fills the large window
					end(b, "success")
					begun.Store(true)
				}
				return
			}
			for !begun.Load() {
				runtime.Gosched()
			}
			b.Reconfigure(to)
			changed.Store(true)
		})
		return b, made
	}
	for range 1000 {
		if b, made := beside(other); b.Snapshot().Calls != made {
			t.Fatalf("of %d successes the window holds %d", made, b.Snapshot().Calls)
		}
		b, _ := beside(small)
		for range 1000 {
			end(b, "success")
		}
		b.Reconfigure(large)
		end(b, "success")
		if got := b.Snapshot().Calls; got != 2 {
			t.Fatalf("the window holds %d calls, want the one that the small window had and one more", got)
		}
	}
}

// stays watches the periods of a breaker from outside.
type stays struct {
	mu     sync.Mutex
	of     map[*Period]*stay
	events []Transition
}

type stay struct{ admitted, concluded, ignored, out, most int }

func (s *stays) note(p *Period, f func(*stay)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[p] == nil {
		s.of[p] = new(stay)
	}
	f(s.of[p])
}

func (s *stays) observe(t Transition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, t)
}

func (s *stays) call(b *Breaker, result string, pause func()) {
	p, ok := b.Admit()
	if !ok {
		return
	}
	s.note(p, func(s *stay) {
		s.admitted++
		s.out++
		s.most = max(s.most, s.out)
	})
	pause()
	s.note(p, func(s *stay) {
		s.out--
		if result == "ignored" {
			s.ignored++
		} else {
			s.concluded++
		}
	})
	finish(p, result)
}

// Whatever happens at once, each transition leads on from the one before,
// HALF_OPEN admits no more than its trials, and all permits come back.
func TestInvariantsHoldUnderLoad(t *testing.T) {
	for name, test := range map[string]struct {
		settings       Settings
		total, atATime int
	}{
		"STATIC":      {with(func(s *Static) { s.SuccessThreshold, s.SuccessThresholdCapacity = 3, 5 }), 0, 5},
		"CONSECUTIVE": {with(func(s *Consecutive) { s.FailureThreshold, s.SuccessThreshold = 3, 3 }), 3, 0},
		"CANARY": {with(func(s *Canary) {
			s.MinimumNumberOfCalls, s.PermittedNumberOfCallsInHalfOpenState = 5, 4
			s.WaitDurationInOpenState = new(20 * time.Second)
		}), 4, 0},
		"PACED": {with(func(s *Paced) {
			s.MinimumNumberOfCalls, s.FailureRateThreshold, s.PermittedNumberOfCallsInHalfOpenState = 3, 20, 2
		}), 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				watched := &stays{of: map[*Period]*stay{}}
				b := New("subject", test.settings.Strategy(), Hooks{Transition: watched.observe})
				together(16, func(i int) {
					random := rand.New(rand.NewPCG(uint64(i), 0))
					for range 300 {
						result := []string{"success", "success", "failure", "ignored"}[random.IntN(4)]
						watched.call(b, result, func() { time.Sleep(time.Duration(random.IntN(3)) * time.Second) })
						time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
					}
				})
				if len(watched.events) < 20 {
					t.Errorf("only %d transitions", len(watched.events))
				}
				watched.check(t, test.total, test.atATime)
				if s := b.Snapshot(); s.Trials != 0 {
					t.Errorf("%d trials are still out", s.Trials)
				}
			})
		})
	}
}

func (s *stays) check(t *testing.T, total, atATime int) {
	t.Helper()
	for i, e := range s.events {
		if i > 0 && (e.From != s.events[i-1].To || e.At.Before(s.events[i-1].At)) {
			t.Errorf("%v after %v", e, s.events[i-1])
		}
	}
	for p, stay := range s.of {
		if p.State() != HalfOpen {
			continue
		}
		if total > 0 && stay.admitted-stay.ignored > total {
			t.Errorf("%d trials, %d of them ignored", stay.admitted, stay.ignored)
		}
		if atATime > 0 && stay.most > atATime {
			t.Errorf("%d trials at a time", stay.most)
		}
	}
}

func TestT48ControlAndReloadUnderLoad(t *testing.T) {
	var last atomic.Pointer[Transition]
	b := New("subject", with(func(s *Static) { s.TestDelay = 0 }).Strategy(), Hooks{Transition: func(t Transition) {
		if before := last.Swap(&t); before != nil && before.To != t.From {
			panic("a transition does not lead on from the one before")
		}
	}})
	strategies := make([]Strategy, len(Strategies))
	for i, kind := range Strategies {
		settings := kind.New()
		setting.Defaults(settings)
		strategies[i] = settings.Strategy()
	}
	together(6, func(i int) {
		for n := range 500 {
			switch i {
			case 0:
				b.Reconfigure(strategies[n%len(strategies)])
			case 1:
				[]func(string){b.Trip, b.Reset, b.MetricsOnly, b.Reset, b.ForceOpen, b.Disable, b.Reset}[n%7]("test")
			case 2:
				b.Gate()
				b.Snapshot()
			default:
				end(b, []string{"success", "failure", "ignored", "slow"}[(n/3+i)%4])
			}
		}
	})
	b.Reconfigure(strategies[0])
	b.Reset("test")
	if s := b.Snapshot(); s.State != Closed || s.Calls != 0 || s.Trials != 0 {
		t.Errorf("after all it is %+v", s)
	}
	for range 3 {
		end(b, "failure")
	}
	if b.State() != Open {
		t.Error("it does not open any more")
	}
}
