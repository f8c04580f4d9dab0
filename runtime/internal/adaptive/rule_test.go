package adaptive

import (
	"math"
	"testing"
	"time"
)

const ms = time.Millisecond

var usual = Bounds{Floor: 1, Ceiling: 200, Target: 350 * ms}

// row is one window and the limit after it, before it is rounded down.
type row struct {
	p90   time.Duration
	full  bool
	late  bool
	limit float64
}

func full(p90 time.Duration, limit float64) row { return row{p90, true, false, limit} }
func late(p90 time.Duration, limit float64) row { return row{p90, true, true, limit} }

// inVain are the windows of a series that does not help, and the first of the
// pause after it.
var inVain = []row{
	full(400*ms, 21.875), full(400*ms, 19.141), full(400*ms, 16.748), full(400*ms, 14.655), full(400*ms, 12.823),
	full(400*ms, 25), full(400*ms, 27.5), full(400*ms, 30.122),
}

func TestRule(t *testing.T) {
	for name, test := range map[string]struct {
		start  int
		bounds Bounds
		rows   []row
	}{
		"AdaptiveL1–L6": {25, usual, []row{
			full(100*ms, 27.5), full(100*ms, 30.122),
			{100 * ms, false, false, 30.122},
			full(400*ms, 26.357),
			full(351*ms, 25.039),
			full(350*ms, 27.541),
			late(500*ms, 19.279), late(500*ms, 13.495), late(500*ms, 9.447),
		}},
		"AdaptiveL7 the floor": {8, Bounds{Floor: 4, Ceiling: 200, Target: 350 * ms}, []row{
			late(500*ms, 5.6), late(500*ms, 4), late(500*ms, 4),
		}},
		"AdaptiveL15 in vain": {25, usual, inVain},
		"AdaptiveL16 it helps": {25, usual, []row{
			full(400*ms, 21.875), full(390*ms, 19.631), full(380*ms, 18.082), full(370*ms, 17.104),
			full(360*ms, 16.249), full(352*ms, 15.437), full(345*ms, 17.401),
		}},
		"AdaptiveL17 timeouts end a pause": {25, usual, append(inVain[:6:6], full(400*ms, 27.5), late(500*ms, 19.25), full(400*ms, 16.844))},
		"the ceiling":                      {199, usual, []row{full(100*ms, 200), full(100*ms, 200)}},
		"few that are late shrink little":  {100, usual, []row{late(100*ms, 95)}},
		"a series that ends is forgotten": {25, usual, []row{
			full(400*ms, 21.875), full(340*ms, 24.214), full(400*ms, 21.187), full(400*ms, 18.539),
			full(400*ms, 16.221), full(400*ms, 14.194), full(400*ms, 12.419), full(400*ms, 24.214),
		}},
		"a series that ends at the floor": {8, Bounds{Floor: 6, Ceiling: 200, Target: 350 * ms}, []row{
			full(400*ms, 7), full(400*ms, 6.125), full(400*ms, 8),
		}},
		"half the limit that helped": {25, usual, []row{
			full(500*ms, 17.5), full(400*ms, 15.313), full(400*ms, 13.398), full(400*ms, 11.724), full(400*ms, 10.258),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			rule := Start(test.start)
			for i, r := range test.rows {
				rule, _ = rule.Next(Window{P90: r.p90, Full: r.full, Late: r.late}, test.bounds)
				if math.Abs(rule.limit-r.limit) > .0006 {
					t.Fatalf("window %d, p90 %v, full %v, late %v: limit is %.3f, want %.3f", i+1, r.p90, r.full, r.late, rule.limit, r.limit)
				}
				if rule.Limit() != int(math.Floor(r.limit+1e-9)) {
					t.Fatalf("window %d: Limit is %d of %.3f", i+1, rule.Limit(), r.limit)
				}
			}
		})
	}
}

// A pause lasts sixty windows. The next one that is slow shrinks again.
func TestPause(t *testing.T) {
	rule := Start(25)
	for _, r := range inVain[:6] {
		rule, _ = rule.Next(Window{P90: r.p90}, usual)
	}
	for n := range 60 {
		var why Reason
		if rule, why = rule.Next(Window{P90: 400 * ms}, usual); why != Unchanged || rule.Limit() != 25 {
			t.Fatalf("window %d of the pause: %v, limit %d", n+1, why, rule.Limit())
		}
	}
	if rule, why := rule.Next(Window{P90: 400 * ms}, usual); why != Slow || rule.Limit() != 21 {
		t.Fatalf("after the pause: %v, limit %d", why, rule.Limit())
	}
}

func TestReasons(t *testing.T) {
	for _, test := range []struct {
		window Window
		why    Reason
		limit  int
	}{
		{Window{P90: 100 * ms}, Unchanged, 100},
		{Window{P90: 100 * ms, Full: true}, Room, 105},
		{Window{P90: 100 * ms, Full: true, Unwell: true}, Unchanged, 100},
		{Window{P90: 400 * ms, Unwell: true}, Slow, 87},
		{Window{P90: 400 * ms, Late: true}, Late, 87},
	} {
		rule, why := Start(100).Next(test.window, usual)
		if why != test.why || rule.Limit() != test.limit {
			t.Errorf("%+v: %v (limit %d), want %v (%d)", test.window, why, rule.Limit(), test.why, test.limit)
		}
	}
	for why := Late; why <= Bounded; why++ {
		if why.String() == "" {
			t.Errorf("reason %d has no words", why)
		}
	}
}
