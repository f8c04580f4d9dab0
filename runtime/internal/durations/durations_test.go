package durations

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBoundsGrowAndHaveBothRulers(t *testing.T) {
	if buckets != 64 {
		t.Errorf("%d buckets", buckets)
	}
	for i := 1; i < len(bounds); i++ {
		if bounds[i] <= bounds[i-1] {
			t.Errorf("bound %d is %v after %v", i, bounds[i], bounds[i-1])
		}
	}
	for _, step := range Steps {
		if !slices.Contains(bounds[:], step) {
			t.Errorf("no bound %v", step)
		}
	}
	for power := Lowest; power <= Highest; power++ {
		if !slices.Contains(bounds[:], Power(power)) {
			t.Errorf("no bound %v", Power(power))
		}
	}
	if Steps[0] != 5*time.Millisecond || Steps[11] != 10240*time.Millisecond || Power(0) != time.Second || Power(Highest) != 256*time.Second {
		t.Errorf("steps are %v, the highest power is %v", Steps, Power(Highest))
	}
}

func TestADurationIsInTheFirstBucketThatHoldsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.OneOf(
			rapid.Int64Range(-5, 1e12),
			rapid.Map(rapid.IntRange(0, len(bounds)-1), func(i int) int64 { return int64(bounds[i]) + int64(i%3) - 1 }),
			rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}),
		).Draw(t, "duration")
		want := 0
		for want < len(bounds) && int64(bounds[want]) < d {
			want++
		}
		if got := bucket(time.Duration(d)); got != want {
			t.Fatalf("%v is in bucket %d, want %d", time.Duration(d), got, want)
		}
	})
}

func TestCallsThatEndAtOnceAreAllCounted(t *testing.T) {
	var h Histogram
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 10_000 {
				h.Add(time.Duration(i) * time.Microsecond)
			}
		})
	}
	wg.Wait()
	filled, sum := h.Snapshot()
	n := uint64(0)
	for _, b := range filled {
		n += b.Count
	}
	if n != 40_000 || sum != 4*9999*10_000/2*time.Microsecond {
		t.Errorf("%d calls, %v together", n, sum)
	}
}

func TestSnapshotHasTheBucketsThatAreFilled(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{time.Second, 5 * time.Millisecond, time.Hour, 5*time.Millisecond + 1, 0, time.Second} {
		h.Add(d)
	}
	filled, sum := h.Snapshot()
	want := []Bucket{
		{UpTo: Power(Lowest), Count: 1}, {UpTo: 5 * time.Millisecond, Count: 1}, {UpTo: Power(-15), Count: 1}, {UpTo: time.Second, Count: 2}, {Count: 1},
	}
	if !slices.Equal(filled, want) || sum != time.Hour+2*time.Second+10*time.Millisecond+1 {
		t.Errorf("%v, %v together; want %v", filled, sum, want)
	}
}

func TestAnExemplarStaysForASecond(t *testing.T) {
	var h Histogram
	asked := 0
	see := func(now int64, id string, ok bool) string {
		h.Add(time.Second)
		h.Exemplify(time.Second, now, func() (string, bool) { asked++; return id, ok })
		filled, _ := h.Snapshot()
		if filled[0].Exemplar == nil {
			return ""
		}
		return filled[0].Exemplar.Trace
	}
	for _, step := range []struct {
		now  int64
		id   string
		want string
	}{{1, "", ""}, {2, "a", "a"}, {3, "b", "a"}, {1 + stays, "c", "a"}, {2 + stays, "", "a"}, {3 + stays, "d", "d"}} {
		if got := see(step.now, step.id, step.id != ""); got != step.want {
			t.Errorf("at %d the exemplar is %q, want %q", step.now, got, step.want)
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times, want 4", asked)
	}
}

func BenchmarkAdd(b *testing.B) {
	var h Histogram
	for b.Loop() {
		h.Add(3 * time.Millisecond)
	}
}
