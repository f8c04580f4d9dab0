package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// add adds n calls that end at once, and returns the window that the last ended.
func add(m *Meter, at time.Duration, n int, took time.Duration, late bool) (w Window, ended bool) {
	for range n {
		if w, ended = m.Add(int64(time.Hour+at), took, late); ended {
			return w, true
		}
	}
	return w, false
}

func TestMeterAdaptiveL8WindowsNeedTenSamples(t *testing.T) {
	m := NewMeter(350 * ms)
	if _, ended := add(m, 0, 8, 100*ms, false); ended {
		t.Fatal("a window of no time has ended")
	}
	if _, ended := add(m, time.Second, 1, 100*ms, false); ended {
		t.Fatal("a window of nine has ended")
	}
	if _, ended := add(m, 3*time.Second, 1, 100*ms, false); !ended {
		t.Fatal("ten samples in three seconds are no window")
	}
	if _, ended := add(m, 4100*ms, 9, 100*ms, false); ended {
		t.Fatal("the next window has samples of the one before")
	}
	if _, ended := add(m, 5100*ms, 1, 100*ms, false); !ended {
		t.Fatal("the next window did not end")
	}
}

func TestMeterDropsOldWindows(t *testing.T) {
	m := NewMeter(350 * ms)
	add(m, 0, 20, 400*ms, true)
	m.Fill()
	m.Fail()
	if _, ended := add(m, 30*time.Second+1, 1, 100*ms, false); ended {
		t.Fatal("what was half a minute ago made a window")
	}
	add(m, 31*time.Second, 8, 100*ms, false)
	w, ended := add(m, 32*time.Second, 1, 100*ms, false)
	if !ended || w.Late || w.Full || w.Unwell || w.P90 > 350*ms {
		t.Fatalf("ended %v, %+v: the old window is in it", ended, w)
	}
}

func TestMeterAdaptiveL9L10Failures(t *testing.T) {
	for name, test := range map[string]struct {
		samples, failed int
		ended, unwell   bool
	}{
		"AdaptiveL9 only failures":      {0, 1000, false, false},
		"AdaptiveL10 13 % of the calls": {20, 3, true, true},
		"10 % of the calls":             {27, 3, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMeter(350 * ms)
			for range test.failed {
				m.Fail()
			}
			add(m, 0, test.samples-1, 100*ms, false)
			w, ended := add(m, time.Second, min(test.samples, 1), 100*ms, false)
			if ended != test.ended || w.Unwell != test.unwell {
				t.Errorf("ended %v, unwell %v, want %v, %v", ended, w.Unwell, test.ended, test.unwell)
			}
		})
	}
}

func TestMeterTellsOfLateCallsAndOfFullness(t *testing.T) {
	for _, test := range []struct{ late, samples int }{{1, 100}, {2, 100}, {0, 10}, {1, 10}} {
		m := NewMeter(350 * ms)
		add(m, 0, test.late, 500*ms, true)
		add(m, 0, test.samples-test.late-1, 100*ms, false)
		m.Fill()
		w, _ := add(m, time.Second, 1, 100*ms, false)
		if want := test.late*100 > test.samples; w.Late != want || !w.Full {
			t.Errorf("%d of %d are late: %+v", test.late, test.samples, w)
		}
	}
}

// The percentile is that of sorting, to the width of a bucket, and never on the
// other side of the target.
func TestMeterPercentile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		target := time.Duration(1+r.IntN(5000)) * ms
		m := NewMeter(target)
		all := make([]time.Duration, 10+r.IntN(200))
		for i := range all {
			all[i] = time.Duration(float64(target) * min(15, math.Exp(1.5*r.NormFloat64())))
			if r.IntN(20) == 0 {
				all[i] = target
			}
			m.Add(int64(time.Hour), all[i], false)
		}
		w, _ := m.Add(int64(time.Hour+time.Second), all[0], false)
		all = append(all, all[0])
		slices.Sort(all)
		exact := all[(9*len(all)+9)/10-1]
		if off := float64(w.P90)/float64(exact) - 1; math.Abs(off) > .07 || (w.P90 <= target) != (exact <= target) {
			t.Fatalf("target %v: the 90th percentile is %v, got %v", target, exact, w.P90)
		}
	}
}

func TestMeterEdges(t *testing.T) {
	for _, took := range []time.Duration{-time.Second, 0, 1, 1000 * time.Hour} {
		m := NewMeter(ms)
		add(m, 0, 10, took, false)
		if w, ended := add(m, time.Second, 1, took, false); !ended || (w.P90 <= ms) != (took <= ms) {
			t.Errorf("%v: ended %v, %v", took, ended, w.P90)
		}
	}
}

// Many goroutines end calls; each is in exactly one window or in the rest.
func TestMeterConcurrently(t *testing.T) {
	m := NewMeter(350 * ms)
	var wg sync.WaitGroup
	var mu sync.Mutex
	windows := 0
	for range 8 {
		wg.Go(func() {
			for i := range 20_000 {
				if _, ended := m.Add(int64(time.Hour)+int64(i)*int64(ms), 100*ms, i%500 == 0); ended {
					mu.Lock()
					windows++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if windows < 10 {
		t.Errorf("%d windows in 20 s", windows)
	}
}

func TestMeterIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Meter{}); size > 1024 {
		t.Errorf("a meter has %d bytes", size)
	}
}

func BenchmarkMeter(b *testing.B) {
	m := NewMeter(350 * ms)
	b.ReportAllocs()
	for i := range b.N {
		m.Add(int64(time.Hour)+int64(i), 100*ms, false)
	}
}
