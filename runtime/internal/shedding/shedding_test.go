package shedding

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The kinds of refusals of the guard in these tests.
const (
	full = iota
	tooLarge
)

// ear hears what is told of a guard.
type ear struct {
	*testing.T
	*Watch
	refusals atomic.Uint64
	begin    time.Time
	mu       sync.Mutex
	heard    []Bout
}

func listen(t *testing.T) *ear {
	e := &ear{T: t, begin: time.Now()}
	e.Watch = New(e.refusals.Load, func(b Bout) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard = append(e.heard, b)
	})
	return e
}

func (e *ear) refuse(kind uint8) {
	e.refusals.Add(1)
	e.Note(kind)
}

// expect compares what was told since it was last asked.
func (e *ear) expect(when string, want ...Bout) {
	e.Helper()
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Equal(e.heard, want) {
		e.Errorf("%s: told %+v, want %+v", when, e.heard, want)
	}
	e.heard = nil
}

// at is a moment of the test.
func (e *ear) at(after time.Duration) time.Time { return e.begin.Add(after) }

// until sleeps until just after that moment.
func (e *ear) until(after time.Duration) { time.Sleep(time.Until(e.at(after)) + 1) }

func TestABoutIsToldWhenItBeginsAndWhenItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t)
		for range 3 {
			e.refuse(full)
			time.Sleep(4 * time.Second)
		}
		e.expect("while it lasts", Bout{At: e.at(0), Kind: full})
		e.until(20 * time.Second)
		e.expect("when it is over", Bout{At: e.at(20 * time.Second), Kind: full, Over: true, Refused: 3, Lasted: 10 * time.Second})
		time.Sleep(time.Hour)
		begin := time.Since(e.begin)
		e.refuse(tooLarge)
		e.refuse(full)
		e.expect("as it begins anew", Bout{At: e.at(begin), Kind: tooLarge})
		time.Sleep(time.Hour)
		e.expect("when that is over", Bout{At: e.at(begin + 20*time.Second), Kind: tooLarge, Over: true, Refused: 2, Lasted: 10 * time.Second})
	})
}

func TestABoutThatComesBackSoonIsOverLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t)
		over := func(calm time.Duration) {
			t.Helper()
			begin := time.Since(e.begin)
			e.refuse(full)
			e.expect("as it begins", Bout{At: e.at(begin), Kind: full})
			e.until(begin + calm - 2)
			e.expect("while it may go on")
			e.until(begin + calm)
			e.expect("when it is over", Bout{At: e.at(begin + calm), Kind: full, Over: true, Refused: 1})
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

// A refusal that is counted as a bout ends, and took it for one that lasts, begins the
// next one.
func TestARefusalAtTheEndOfABoutIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refusals atomic.Uint64
		var heard []Bout
		w := New(refusals.Load, func(b Bout) {
			if heard = append(heard, b); len(heard) == 2 {
				refusals.Add(1)
			}
		})
		refusals.Add(1)
		w.Note(full)
		time.Sleep(calm)
		synctest.Wait()
		w.End()
		if len(heard) != 4 || heard[1].Refused != 1 || heard[2].Over || !heard[3].Over || heard[3].Refused != 1 {
			t.Errorf("told %+v", heard)
		}
	})
}

func TestNothingIsToldAfterTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t)
		e.refuse(full)
		time.Sleep(time.Second)
		e.End()
		e.expect("at the end", Bout{At: e.at(0), Kind: full}, Bout{At: e.at(time.Second), Kind: full, Over: true, Refused: 1})
		e.End()
		e.refuse(full)
		time.Sleep(time.Hour)
		e.End()
		e.expect("after it")
	})
}

func TestAWatchThatHeardNothingEndsInSilence(t *testing.T) {
	e := listen(t)
	e.End()
	if len(e.heard) > 0 {
		t.Errorf("told %+v", e.heard)
	}
	var nobody *Watch
	nobody.Note(full)
	nobody.End()
}
