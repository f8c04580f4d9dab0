package resilience_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

var plural = regexp.MustCompile(`\b1 (trials|calls|failures|permits)\b`)

func TestFieldL06OneIsNoPlural(t *testing.T) {
	for name, settings := range map[string]string{
		"static":      `"failureThreshold": 1, "failureThresholdCapacity": 1, "successThreshold": 1, "successThresholdCapacity": 1`,
		"consecutive": `"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1, "successThreshold": 1`,
		"canary": `"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 1, "minimumNumberOfCalls": 1,
			"permittedNumberOfCallsInHalfOpenState": 1`,
		"paced": `"strategy": "PACED_RATE_THRESHOLD", "minimumNumberOfCalls": 1, "permittedNumberOfCallsInHalfOpenState": 1`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reasons := make(chan string, 100)
				registry := newRegistry(t, fmt.Sprintf(`{"breakers": {"b": {%s}}}`, settings),
					resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
						if moved, ok := e.(resilience.Transition); ok {
							reasons <- moved.Reason
						}
					})))
				guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
				for _, outcome := range []error{nil, errDown, errDown, nil, errDown} {
					do(context.Background(), guard, returns(outcome))
					time.Sleep(time.Hour)
				}
				synctest.Wait()
				if len(reasons) < 4 {
					t.Errorf("there were %d changes, too few to judge", len(reasons))
				}
				for range len(reasons) {
					if reason := <-reasons; plural.MatchString(reason) {
						t.Error(reason)
					}
				}
			})
		})
	}
}
