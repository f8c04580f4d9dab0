package ratelimit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
)

// perSecond are settings of limit calls in a second.
func perSecond(limit, burst int) Settings {
	return Settings{Limit: &limit, Period: time.Second, Burst: burst, Enforcement: enforced}
}

// scenario is a limiter in fake time, which begins at 0 ms.
type scenario struct {
	*testing.T
	*Limiter
	began time.Time
}

func play(t *testing.T, s Settings, f func(*scenario)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(&scenario{t, New("maps", s), time.Now()}) })
}

func (s *scenario) now() int { return int(time.Since(s.began) / time.Millisecond) }

func (s *scenario) at(ms int) {
	s.Helper()
	time.Sleep(time.Duration(ms)*time.Millisecond - time.Since(s.began))
	synctest.Wait()
}

// begin makes n calls that must begin.
func (s *scenario) begin(n int) {
	s.Helper()
	for i := range n {
		if _, _, refused := s.Take(context.Background(), nil); refused != nil && !refused.Dry {
			s.Fatalf("at %d: call %d of %d was refused", s.now(), i+1, n)
		}
	}
}

// refuse makes a call that must be refused, and the next try makes sense after ms.
func (s *scenario) refuse(ms int) {
	s.Helper()
	if _, _, refused := s.Take(context.Background(), nil); refused != spent {
		s.Fatalf("at %d: a call got %v", s.now(), refused)
	}
	s.retryAfter(1, ms)
}

func (s *scenario) retryAfter(n, ms int) {
	s.Helper()
	at, known := s.RetryAt(n)
	if got := at.Sub(breaker.Now()); !known || got != time.Duration(ms)*time.Millisecond {
		s.Errorf("at %d: try again after %v, %v, want %d ms", s.now(), got, known, ms)
	}
}

func TestRateG1G2G3ABurstThenTheRate(t *testing.T) {
	play(t, perSecond(10, 10), func(s *scenario) {
		s.begin(10)
		s.refuse(100)
		s.refuse(100)
		s.at(99)
		s.refuse(1)
		s.at(100)
		s.begin(1)
		s.refuse(100)
		s.at(1000)
		s.begin(9)
		s.refuse(100)
	})
}

func TestRateG4WithoutABurstCallsAreSpaced(t *testing.T) {
	play(t, perSecond(10, 1), func(s *scenario) {
		s.begin(1)
		s.at(50)
		s.refuse(50)
		s.at(100)
		s.begin(1)
		s.at(199)
		s.refuse(1)
		s.at(200)
		s.begin(1)
	})
}

func TestRateG5NoPeriodHasMoreThanTheLimitAndABurst(t *testing.T) {
	play(t, perSecond(10, 10), func(s *scenario) {
		var begun []int
		for ms := range 3000 {
			s.at(ms)
			for range 3 {
				if _, _, refused := s.Take(context.Background(), nil); refused == nil {
					begun = append(begun, ms)
				}
			}
		}
		var perSecond [3]int
		most := 0
		for i, ms := range begun {
			perSecond[ms/1000]++
			inside, _ := slices.BinarySearch(begun, ms-999)
			most = max(most, i+1-inside)
		}
		if perSecond != [3]int{19, 10, 10} || most != 19 {
			s.Errorf("%v began, at most %d in a second; want 19, 10, 10, at most 19", perSecond, most)
		}
	})
}

func TestRateG6EntriesTakeTheirTokensAtOnce(t *testing.T) {
	play(t, perSecond(10, 10), func(s *scenario) {
		ctx := context.Background()
		s.reserve(ctx, 4)
		s.reserve(ctx, 4)
		if _, _, at, refused := Reserve(ctx, []Want{{s.Limiter, 4}}, nil); refused != spent || at.N != 4 {
			t.Errorf("the third got %v at %v", refused, at)
		}
		s.retryAfter(4, 200)
		s.at(200)
		s.reserve(ctx, 4)
	})
}

func (s *scenario) reserve(ctx context.Context, n int) *Reservation {
	s.Helper()
	r, _, _, refused := Reserve(ctx, []Want{{s.Limiter, n}}, nil)
	if refused != nil {
		s.Fatalf("at %d: an entry got %v", s.now(), refused)
	}
	return r
}

// waiting are settings of G7 to G9.
func waiting() Settings {
	s := perSecond(10, 1)
	s.MaxWaitDuration = 250 * time.Millisecond
	return s
}

// end is what a call in the background came to, and when.
type end struct {
	at      int
	refused *Refusal
}

// start makes a call in the background that has its place in the queue when start
// returns.
func (s *scenario) start(ctx context.Context) <-chan end {
	ended := make(chan end, 1)
	go func() {
		_, _, refused := s.Take(ctx, nil)
		ended <- end{s.now(), refused}
	}()
	synctest.Wait()
	return ended
}

func TestRateG7WaitersBeginInTheirOrder(t *testing.T) {
	play(t, waiting(), func(s *scenario) {
		calls := []<-chan end{s.start(context.Background()), s.start(context.Background()), s.start(context.Background())}
		s.refuse(300)
		for i, call := range calls {
			if got := <-call; got != (end{100 * i, nil}) {
				t.Errorf("call %d: %+v", i, got)
			}
		}
	})
}

func TestRateG8AWaiterThatLeavesTakesNothingWithIt(t *testing.T) {
	play(t, waiting(), func(s *scenario) {
		ctx, cancel := context.WithCancel(context.Background())
		s.begin(1)
		second, third := s.start(ctx), s.start(context.Background())
		s.at(50)
		cancel()
		if got := <-second; got.at != 50 || got.refused.Kind != Cancelled || !errors.Is(got.refused.Cause, context.Canceled) {
			t.Errorf("the second: %+v", got)
		}
		if got := <-third; got != (end{100, nil}) {
			t.Errorf("the third: %+v", got)
		}
	})
}

func TestRateG9AWaitThatCannotEndInTimeIsRefusedAtOnce(t *testing.T) {
	play(t, waiting(), func(s *scenario) {
		s.begin(1)
		ctx, cancel := context.WithTimeout(context.Background(), 80*time.Millisecond)
		defer cancel()
		if got := <-s.start(ctx); got != (end{0, spent}) {
			t.Errorf("the second: %+v", got)
		}
		s.retryAfter(1, 100)
	})
}

func TestRateG10ATokenComesBack(t *testing.T) {
	play(t, perSecond(10, 1), func(s *scenario) {
		for range 10 {
			turn, _, refused := s.Take(context.Background(), nil)
			if refused != nil || !turn.Taken() {
				t.Fatal("refused")
			}
			turn.Return()
			turn.Return() // changes nothing
		}
		s.begin(1)
		s.refuse(100)
	})
}

func TestRateG12AReloadNeitherGrantsABurstNorForgetsOne(t *testing.T) {
	play(t, perSecond(10, 10), func(s *scenario) {
		s.begin(10)
		s.Retune(perSecond(20, 10))
		s.refuse(50)
		s.at(49)
		s.refuse(1)
		s.at(50)
		s.begin(1)
		s.Retune(perSecond(20, 3)) // seven tokens above the new burst have to come first
		s.refuse(400)
	})
}

func TestRateG13UnusedTokensComeBack(t *testing.T) {
	play(t, perSecond(10, 4), func(s *scenario) {
		r := s.reserve(context.Background(), 4)
		if _, _, refused := s.Take(r, nil); refused != nil {
			t.Fatal("the call in the entry was refused")
		}
		s.at(10)
		s.refuse(90)
		r.Close()
		r.Close() // changes nothing
		s.begin(3)
		s.refuse(90)
	})
}

func TestRateG14ManyCallersGetWhatOneWould(t *testing.T) {
	l := New("maps", perSecond(1000, 1))
	var begun atomic.Int64
	var callers sync.WaitGroup
	length := 2 * time.Second
	if testing.Short() {
		length = 200 * time.Millisecond
	}
	until := time.Now().Add(length)
	for range 64 {
		callers.Go(func() {
			for time.Now().Before(until) {
				if _, _, refused := l.Take(context.Background(), nil); refused == nil {
					begun.Add(1)
				}
			}
		})
	}
	callers.Wait()
	most := int64(length/time.Millisecond) + 1 + int64(time.Since(until)/time.Millisecond)
	if n := begun.Load(); n > most {
		t.Errorf("%d began in %v", n, length)
	} else if n < most*9/10 {
		t.Logf("only %d of %d began, the machine is busy", n, most)
	}
}

func TestAWaitEndsWhenAGateRefuses(t *testing.T) {
	play(t, waiting(), func(s *scenario) {
		s.begin(1)
		g := new(gate)
		ended := make(chan *Refusal, 1)
		go func() {
			_, _, refused := s.Take(context.Background(), g)
			ended <- refused
		}()
		synctest.Wait()
		g.shut.Store(true)
		g.news <- struct{}{}
		if refused := <-ended; refused != gated || s.now() != 0 {
			t.Errorf("%v at %d", refused, s.now())
		}
		if s.Snapshot().Waiting != 0 || g.news != nil {
			t.Error("it is still there")
		}
	})
}

type gate struct {
	news chan<- struct{}
	shut atomic.Bool
}

func (g *gate) Watch(news chan<- struct{}) { g.news = news }
func (g *gate) Unwatch(chan<- struct{})    { g.news = nil }
func (g *gate) Refuse() bool               { return g.shut.Load() }

func TestAReloadReachesWaiters(t *testing.T) {
	play(t, waiting(), func(s *scenario) {
		s.begin(1)
		first, second := s.start(context.Background()), s.start(context.Background())
		s.at(50)
		s.Retune(Settings{Period: time.Second, Burst: 1, Enforcement: enforced})
		for _, call := range []<-chan end{first, second} {
			if got := <-call; got != (end{50, nil}) {
				t.Errorf("without a limit: %+v", got)
			}
		}
		s.Retune(waiting())
		s.begin(1)
		third := s.start(context.Background())
		slow := waiting()
		slow.Period = time.Minute
		s.Retune(slow)
		if got := <-third; got != (end{300, spent}) {
			t.Errorf("after its tokens went beyond its wait: %+v", got)
		}
	})
}

func TestReturnedTokensReachTheFirstWaiter(t *testing.T) {
	play(t, waiting(), func(s *scenario) {
		turn, _, _ := s.Take(context.Background(), nil)
		call := s.start(context.Background())
		s.at(20)
		turn.Return()
		if got := <-call; got != (end{20, nil}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestTheQueueHasACapacity(t *testing.T) {
	one := waiting()
	one.QueueCapacity = new(1)
	play(t, one, func(s *scenario) {
		s.begin(1)
		call := s.start(context.Background())
		s.refuse(200)
		if got := <-call; got != (end{100, nil}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestMoreThanABurstIsTooLarge(t *testing.T) {
	play(t, perSecond(10, 3), func(s *scenario) {
		if _, _, _, refused := Reserve(context.Background(), []Want{{s.Limiter, 4}}, nil); refused != tooLarge {
			t.Errorf("got %v", refused)
		}
		if _, known := s.RetryAt(4); known {
			t.Error("it is known when there are more than a burst")
		}
		s.begin(3)
	})
}

func TestEntriesInsideEntriesUseTheOuterTokens(t *testing.T) {
	play(t, perSecond(10, 4), func(s *scenario) {
		outer := s.reserve(context.Background(), 4)
		inner := s.reserve(outer, 3)
		for range 2 {
			if _, _, refused := s.Take(inner, nil); refused != nil {
				t.Fatal("refused")
			}
		}
		inner.Close()
		for range 2 {
			if _, _, refused := s.Take(outer, nil); refused != nil {
				t.Fatal("the inner entry kept tokens of the outer one")
			}
		}
		s.refuse(100)
		outer.Close()
		s.refuse(100)
	})
}

func TestWhatIsNotEnforcedOnlyCounts(t *testing.T) {
	dry := perSecond(10, 1)
	dry.Enforce = false
	play(t, dry, func(s *scenario) {
		for range 5 {
			turn, _, refused := s.Take(context.Background(), nil)
			if refused != nil && !refused.Dry {
				t.Fatal("refused")
			}
			turn.Return()
		}
		s.begin(5)
		if got := s.Snapshot(); got.WouldRefuse != 4 || got.Spent != 0 || got.Available != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestWithoutALimitNothingIsLimited(t *testing.T) {
	play(t, Settings{Period: time.Second, Burst: 1, Enforcement: enforced}, func(s *scenario) {
		s.begin(1000)
		s.Retune(perSecond(10, 1))
		s.begin(1)
		s.refuse(100)
	})
}

func TestSnapshot(t *testing.T) {
	play(t, perSecond(10, 10), func(s *scenario) {
		s.begin(3)
		s.at(150)
		want := Snapshot{Name: "maps", Limit: 10, Period: time.Second, Burst: 10, Available: 8}
		if got := s.Snapshot(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

func TestReloadsBesideCallsLoseNoTokensAndNoWaiters(t *testing.T) {
	settings := func(limit int) Settings {
		s := perSecond(limit, 5)
		s.MaxWaitDuration = time.Millisecond
		return s
	}
	l := New("maps", settings(10_000))
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for i := range 500 {
				turn, _, refused := l.Take(context.Background(), nil)
				if refused == nil && i%3 == 0 {
					turn.Return()
				}
				if i%10 == 0 {
					l.Retune(settings(10_000 * (1 + i%7)))
				}
			}
		})
	}
	callers.Wait()
	l.Retune(perSecond(1_000_000, 5))
	if wait, known := l.RetryAfter(5); !known || wait > 5*time.Microsecond || l.Snapshot().Waiting != 0 || l.ahead != 0 {
		t.Errorf("at the end a whole burst is there after %v: %+v", wait, l.Snapshot())
	}
}
