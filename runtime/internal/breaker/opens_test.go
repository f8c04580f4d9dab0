package breaker

import "testing"

func TestSnapshotTellsAtWhichRateABreakerOpens(t *testing.T) {
	for name, want := range map[string]struct {
		settings Settings
		percent  float64
	}{
		"STATIC_THRESHOLD":      {&Static{FailureThreshold: 3, FailureThresholdCapacity: 10}, 30},
		"CANARY_RATE_THRESHOLD": {&Canary{FailureRateThreshold: 21, MinimumNumberOfCalls: 1, SlidingWindowSize: 9}, 21},
		"PACED_RATE_THRESHOLD":  {&Paced{FailureRateThreshold: 50, MinimumNumberOfCalls: 1, SlidingWindowDuration: 9}, 50},
		"CONSECUTIVE_FAILURES":  {&Consecutive{FailureThreshold: 5}, 0},
		"NONE":                  {&None{}, 0},
	} {
		if got := New("b", want.settings.Strategy(), Hooks{}).Snapshot().OpensAt; got != want.percent {
			t.Errorf("%s opens at %v %%, want %v", name, got, want.percent)
		}
	}
}
