// One goroutine plays the model, so the race detector could find nothing and would
// take ten times as long.

//go:build !race

package adaptive

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
)

// limiter is meter and rule at work in the model, without a bulkhead.
type limiter struct {
	meter   *Meter
	rule    Rule
	running int
}

func newLimiter() overload.Limiter {
	return &limiter{meter: NewMeter(usual.Target), rule: Start(25)}
}

func (l *limiter) Admit(time.Duration) overload.Call {
	if l.running >= l.rule.Limit() {
		l.meter.Fill()
		return nil
	}
	if l.running++; l.running == l.rule.Limit() {
		l.meter.Fill()
	}
	return l.end
}

func (l *limiter) end(now, took time.Duration, late bool) {
	l.running--
	if w, ended := l.meter.Add(int64(time.Hour+now), took, late); ended {
		l.rule, _ = l.rule.Next(w, usual)
	}
}

// fixed is a limit that never changes.
type fixed struct{ running, limit int }

func (f *fixed) Admit(time.Duration) overload.Call {
	if f.running >= f.limit {
		return nil
	}
	f.running++
	return func(_, _ time.Duration, _ bool) { f.running-- }
}

// play returns the shares of what was possible, by phase, over all seeds.
func play(t *testing.T, clients int, seeds uint64, limiter func() overload.Limiter) map[string]float64 {
	var runs [][]overload.Figures
	for seed := range seeds {
		world := overload.World{Clients: clients, Timeout: 500 * ms, Seed: seed + 1}
		runs = append(runs, world.Run(overload.Phases(1), limiter))
	}
	shares := map[string]float64{}
	for _, f := range overload.Join(runs...) {
		shares[f.Phase.Name] = f.Share()
		t.Logf("%-26s %4.0f %%, p99 %4d ms", f.Phase.Name, 100*f.Share(), f.Percentile(.99).Milliseconds())
	}
	return shares
}

func TestModelAdaptiveL18(t *testing.T) {
	for clients, seeds := range map[int]uint64{1: 1, 10: 3} {
		t.Run(fmt.Sprint("AdaptiveL18 ", clients, " clients"), func(t *testing.T) {
			t.Parallel()
			for phase, share := range play(t, clients, seeds, newLimiter) {
				if share < .95 || strings.HasPrefix(phase, "70 %") && (share < .98 || share > 1.02) {
					t.Errorf("%s: %.0f %% of the possible answers", phase, 100*share)
				}
			}
		})
	}
}

// The model is one in which a limit that never changes loses everything: else it
// would prove nothing.
func TestModelIsHard(t *testing.T) {
	t.Parallel()
	shares := play(t, 10, 1, func() overload.Limiter { return &fixed{limit: 25} })
	for _, phase := range []string{"200 % load", "70 % again", "a quarter of the servers", "all are back"} {
		if shares[phase] > .05 {
			t.Errorf("%s: %.0f %% of the possible answers with 25 for each of ten clients", phase, 100*shares[phase])
		}
	}
}
