package bulkhead

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ear hears what a bulkhead of one permit, which a call has, tells of refusing.
type ear struct {
	*testing.T
	*Bulkhead
	begin time.Time
	mu    sync.Mutex
	heard []Refusing
}

func listen(t *testing.T) *ear {
	e := &ear{T: t, Bulkhead: sized(1, 0), begin: time.Now()}
	e.Watch(func(r Refusing) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard = append(e.heard, r)
	})
	acquire(t, t.Context(), e.Bulkhead)
	return e
}

// expect compares what was told since it was last asked.
func (e *ear) expect(when string, want ...Refusing) {
	e.Helper()
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range want {
		want[i].Bulkhead, want[i].Size = "a", 1
	}
	if !slices.Equal(e.heard, want) {
		e.Errorf("%s: told %+v, want %+v", when, e.heard, want)
	}
	e.heard = nil
}

// at is a moment of the test.
func (e *ear) at(after time.Duration) time.Time { return e.begin.Add(after) }

// until sleeps until just after that moment.
func (e *ear) until(after time.Duration) { time.Sleep(time.Until(e.at(after)) + 1) }

func TestRefusingIsToldWhenItBeginsAndWhenItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t)
		for range 3 {
			refuse(t, t.Context(), e.Bulkhead, Full)
			time.Sleep(4 * time.Second)
		}
		e.expect("while it lasts", Refusing{At: e.at(0), Kind: Full})
		e.until(20 * time.Second)
		e.expect("when it is over", Refusing{At: e.at(20 * time.Second), Kind: Full, Over: true, Refused: 3, Lasted: 10 * time.Second})
		time.Sleep(time.Hour)
		begin := time.Since(e.begin)
		refuseEntry(t, t.Context(), Refusal{e.Bulkhead, TooLarge, 2, 1, nil, false}, Want{e.Bulkhead, 2, Ticket})
		refuse(t, t.Context(), e.Bulkhead, Full)
		e.expect("as it begins anew", Refusing{At: e.at(begin), Kind: TooLarge})
		time.Sleep(time.Hour)
		e.expect("when that is over", Refusing{At: e.at(begin + 20*time.Second), Kind: TooLarge, Over: true, Refused: 2, Lasted: 10 * time.Second})
	})
}

func TestRefusingThatComesBackSoonIsOverLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t)
		over := func(calm time.Duration) {
			t.Helper()
			begin := time.Since(e.begin)
			refuse(t, t.Context(), e.Bulkhead, Full)
			e.expect("as it begins", Refusing{At: e.at(begin), Kind: Full})
			e.until(begin + calm - 2)
			e.expect("while it may go on")
			e.until(begin + calm)
			e.expect("when it is over", Refusing{At: e.at(begin + calm), Kind: Full, Over: true, Refused: 1})
		}
		for _, calm := range []time.Duration{10, 20, 40, 80, 160, 320, 600, 600} {
			over(calm * time.Second)
		}
		time.Sleep(calmest - 2) // a nanosecond passed since it was over
		over(calmest)
		time.Sleep(calmest - 1)
		over(calm)
	})
}

func TestRefusingIsToldNoMoreAfterTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t)
		done, cancel := context.WithCancel(t.Context())
		cancel()
		refuse(t, done, e.Bulkhead, Done)
		e.expect("of who was not asking any more")
		refuse(t, t.Context(), e.Bulkhead, Full)
		time.Sleep(time.Second)
		e.EndWatch()
		e.expect("at the end", Refusing{At: e.at(0), Kind: Full}, Refusing{At: e.at(time.Second), Kind: Full, Over: true, Refused: 1})
		e.EndWatch()
		refuse(t, t.Context(), e.Bulkhead, Full)
		time.Sleep(time.Hour)
		e.EndWatch()
		e.expect("after it")
	})
}

func TestWatchThatHeardNothingEndsInSilence(t *testing.T) {
	e := listen(t)
	e.EndWatch()
	if len(e.heard) > 0 {
		t.Errorf("told %+v", e.heard)
	}
	sized(1, 0).EndWatch() // nobody watches
}
