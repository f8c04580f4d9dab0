package breaker

import (
	"strings"
	"testing"
	"time"
)

// A clock that was set can't be had in a test. What keeps it from mattering can
// be seen: instants are differences of readings that carry the monotonic clock.
func TestT27SettingTheClockChangesNothing(t *testing.T) {
	if !strings.Contains(epoch.String(), " m=") {
		t.Errorf("the epoch %v has no reading of the monotonic clock", epoch)
	}
	before := Now()
	if after := Now(); after.Sub(before) < 0 {
		t.Errorf("the clock went back by %v", before.Sub(after))
	}
}

func TestT27AWindowOfTimeBearsAMomentBeforeItsNewest(t *testing.T) {
	w := &timeWindow{span: 10 * time.Second}
	second := Instant(time.Second)
	w.add(Tally{20 * second, Counts{Calls: 1, Failures: 1}})
	w.add(Tally{5 * second, Counts{Calls: 1}})
	for _, now := range []Instant{0, 5 * second, 20 * second, 29 * second} {
		if got := w.counts(now); got != (Counts{Calls: 2, Failures: 1}) {
			t.Errorf("at %v it holds %v", now, got)
		}
	}
	if got := w.counts(30 * second); got != (Counts{}) {
		t.Errorf("after its span it holds %v", got)
	}
}
