package breaker

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCountWindowHoldsTheLastOutcomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 200).Draw(t, "size")
		w := newCountWindow(size)
		var all []Counts // one by one
		t.Repeat(map[string]func(*rapid.T){
			"successes": func(t *rapid.T) {
				n := rapid.Uint64Range(0, 500).Draw(t, "n")
				w.add(Tally{Counts: Counts{Calls: n}})
				for range n {
					all = append(all, Counts{Calls: 1})
				}
			},
			"one": func(t *rapid.T) {
				one := Counts{1, rapid.Uint64Range(0, 1).Draw(t, "failed"), rapid.Uint64Range(0, 1).Draw(t, "slow")}
				w.add(Tally{Counts: one})
				all = append(all, one)
			},
			"": func(t *rapid.T) {
				all = all[max(0, len(all)-size):]
				if got, want := w.counts(0), sum(all); got != want {
					t.Fatalf("it holds %v, want %v", got, want)
				}
				var got []Counts
				for tally := range w.all(0) {
					got = append(got, singly(tally.Counts)...)
				}
				if len(got) != len(all) {
					t.Fatalf("it gives %d outcomes, want %d", len(got), len(all))
				}
				for i := range all {
					if got[i] != all[i] {
						t.Fatalf("outcome %d of %d is %v, want %v", i, len(all), got[i], all[i])
					}
				}
			},
		})
	})
}

func sum(outcomes []Counts) (total Counts) {
	for _, o := range outcomes {
		total.plus(o)
	}
	return total
}

// singly takes apart a tally of plain successes, or of one outcome.
func singly(c Counts) (outcomes []Counts) {
	if !c.plain() {
		return []Counts{c}
	}
	for range c.Calls {
		outcomes = append(outcomes, Counts{Calls: 1})
	}
	return outcomes
}

func TestTimeWindowIsExactWhileItHoldsFewMoments(t *testing.T) {
	checkTimeWindow(t, keptApart-1, 0)
}

func TestBusyTimeWindowForgetsAtMostAThousandthEarly(t *testing.T) {
	checkTimeWindow(t, 4*keptApart, time.Second/keptApart)
}

// checkTimeWindow lets in up to so many outcomes, which may leave early.
func checkTimeWindow(t *testing.T, moments int, early time.Duration) {
	rapid.Check(t, func(t *rapid.T) {
		w := &timeWindow{span: time.Second}
		var all []Tally
		now := Instant(rapid.Int64Range(-1e18, 1e18).Draw(t, "start"))
		step := rapid.OneOf(rapid.Int64Range(0, 2), rapid.Int64Range(0, int64(3*time.Second)/int64(moments)))
		steps := rapid.SliceOfN(step, 1, moments)
		for i, d := range steps.Draw(t, "steps") {
			now += Instant(d)
			one := Tally{now, Counts{1, uint64(i % 2), uint64(i % 3 / 2)}}
			w.add(one)
			all = append(all, one)
			got, least, most := w.counts(now), since(all, now, time.Second-early), since(all, now, time.Second)
			if got.Calls < least.Calls || got.Calls > most.Calls || got.Failures < least.Failures || got.Slow > most.Slow {
				t.Fatalf("it holds %v, want %v to %v", got, least, most)
			}
			if held := len(w.moments) - w.first; held > 2*keptApart+1 {
				t.Fatalf("it holds %d moments", held)
			}
		}
		var given Counts
		for tally := range w.all(now) {
			given.plus(tally.Counts)
		}
		if held := w.counts(now); given != held {
			t.Fatalf("it gives %v and holds %v", given, held)
		}
		if cap(w.moments) > 8*keptApart {
			t.Fatalf("it has room for %d moments", cap(w.moments))
		}
	})
}

// since are the outcomes younger than span.
func since(all []Tally, now Instant, span time.Duration) (c Counts) {
	for _, o := range all {
		if now.Sub(o.At) < span {
			c.plus(o.Counts)
		}
	}
	return c
}

func TestTimeWindowEmptiesAfterAnyPause(t *testing.T) {
	w := &timeWindow{span: time.Second}
	w.add(Tally{0, Counts{Calls: 5, Failures: 5}})
	if got := w.counts(Instant(time.Second)); got != (Counts{}) {
		t.Errorf("after its span it holds %v", got)
	}
	if got := w.newest(7); got != 7 {
		t.Errorf("the newest moment of an empty window is %v, want now", got)
	}
}
