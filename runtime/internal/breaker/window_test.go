package breaker

import (
	"iter"
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

// What a window holds goes into one of another size outcome by outcome, although
// it is copied by words, and into one of time as one tally.
func TestFieldF17WindowGoesIntoAnotherAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.OneOf(rapid.IntRange(0, 5), rapid.SampledFrom([]int{63, 64, 65, 127, 128, 129, 200}))
		w := newCountWindow(sizes.Draw(t, "size"))
		for range rapid.IntRange(0, 4).Draw(t, "tallies") {
			calls := rapid.Uint64Range(0, 150)
			marked := calls.Draw(t, "marked")
			w.add(Tally{Counts: Counts{calls.Draw(t, "plain"), 0, 0}})
			w.add(Tally{Counts: Counts{marked, rapid.Uint64Range(0, marked).Draw(t, "failed"), rapid.Uint64Range(0, marked).Draw(t, "slow")}})
		}
		to := Window{Calls: sizes.Draw(t, "new size")}
		wantSame(t, w.into(to, 7), w, to.open())
		if span := w.into(Window{Span: time.Second}, 7); span.counts(7) != w.counts(7) {
			t.Fatalf("a window of time holds %v, want %v", span.counts(7), w.counts(7))
		}
	})
}

// wantSame compares a window with one that takes the outcomes of old in one by
// one, also after more outcomes.
func wantSame(t *rapid.T, got window, old, want window) {
	for tally := range old.all(0) {
		for _, one := range singly(tally.Counts) {
			want.add(Tally{Counts: one})
		}
	}
	for more := uint64(0); more < 300; more += 50 {
		if got.counts(0) != want.counts(0) {
			t.Fatalf("after %d more it holds %v, want %v", more, got.counts(0), want.counts(0))
		}
		for _, w := range []window{got, want} {
			w.add(Tally{Counts: Counts{Calls: 50, Failures: more % 100 / 50}})
		}
	}
}

func TestManyMarkedOutcomesAtOnceAreAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 130).Draw(t, "size")
		got, want := newCountWindow(size), newCountWindow(size)
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if got.counts(0) != want.counts(0) {
					t.Fatalf("it holds %v, want %v", got.counts(0), want.counts(0))
				}
			},
			"add": func(t *rapid.T) {
				n := rapid.Uint64Range(1, 300).Draw(t, "n")
				c := Counts{n, rapid.Uint64Range(0, n).Draw(t, "failed"), rapid.Uint64Range(0, n).Draw(t, "slow")}
				got.add(Tally{Counts: c})
				for range n - max(c.Failures, c.Slow) {
					want.add(Tally{Counts: Counts{Calls: 1}})
				}
				for i := range max(c.Failures, c.Slow) {
					one := Counts{Calls: 1}
					if i < c.Failures {
						one.Failures = 1
					}
					if i < c.Slow {
						one.Slow = 1
					}
					want.add(Tally{Counts: one})
				}
			},
		})
	})
}

// copied is a window whose outcomes must not be gone through one by one.
type copied struct {
	*countWindow
	t *testing.T
}

func (w copied) all(now Instant) iter.Seq[Tally] {
	w.t.Errorf("a window of %d is gone through outcome by outcome", w.size)
	return w.countWindow.all(now)
}

// A reload holds calls up while it resizes the windows. A hundred full ones of
// 100 000 took 400 ms outcome by outcome, and take about 1 ms word by word.
func TestFieldF17AReloadDoesNotGoThroughTheOutcomes(t *testing.T) {
	sized := func(calls int) Strategy {
		return (&Canary{FailureRateThreshold: 100, MinimumNumberOfCalls: 1, SlidingWindowSize: calls}).Strategy()
	}
	for _, calls := range []int{99_999, 200_000} {
		b := New("b", sized(100_000), Hooks{})
		b.MetricsOnly("")
		p := b.period.Load()
		full := newCountWindow(100_000)
		full.add(Tally{Counts: Counts{Calls: 100_000, Failures: 50_000}})
		p.window = copied{full, t}
		b.Reconfigure(sized(calls))
		if got, want := p.window.counts(0).Calls, uint64(min(calls, 100_000)); got != want {
			t.Errorf("resized to %d it holds %d outcomes, want %d", calls, got, want)
		}
	}
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

func TestOutcomeJoinsTheNewestMomentOnlyIfThatIsLessThanAPartOfTheWindowAgo(t *testing.T) {
	const span, part = time.Second, time.Second / keptApart
	for after, kept := range map[time.Duration]uint64{part - 1: 0, part: 1} {
		w := Window{Span: span}.open()
		newest := Instant(0)
		for ; newest < keptApart; newest++ {
			w.add(Tally{newest, Counts{Calls: 1}})
		}
		newest--
		w.add(Tally{newest.Add(after), Counts{Calls: 1}})
		if got := w.counts(newest.Add(span)).Calls; got != kept {
			t.Errorf("as the newest goes, %d later outcomes are kept of %v after it, want %d", got, after, kept)
		}
	}
}
