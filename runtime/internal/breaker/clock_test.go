package breaker

import (
	"strings"
	"testing"
)

// A clock that was set can't be had in a test. What keeps it from mattering can be
// seen: instants are differences of readings that carry the monotonic clock.
func TestT27SettingTheClockChangesNothing(t *testing.T) {
	if !strings.Contains(epoch.String(), " m=") {
		t.Errorf("the epoch %v has no reading of the monotonic clock", epoch)
	}
	before := Now()
	if after := Now(); after.Sub(before) < 0 {
		t.Errorf("the clock went back by %v", before.Sub(after))
	}
}
