package resilience_test

import (
	"strings"
	"testing"
	"testing/synctest"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Settings that fight each other are told of when a wrapper is made, with both names
// and values, and again where a reload brings them.
func TestSettingsThatFightAreWarnedOf(t *testing.T) {
	for settings, want := range map[string]string{
		`{"rateLimits": {"p": {"limit": 50, "burst": 20}}, "bulkheads": {"p": {"maxConcurrentCalls": 10}}}`:                          "rateLimits.p.burst: 20 is above bulkheads.p.maxConcurrentCalls (10), whose maxWaitDuration is 0s",
		`{"rateLimits": {"p": {"limit": 50, "burst": 10}}, "bulkheads": {"p": {"maxConcurrentCalls": 10}}}`:                          "",
		`{"rateLimits": {"p": {"burst": 20}}, "bulkheads": {"p": {"maxConcurrentCalls": 10}}}`:                                       "",
		`{"rateLimits": {"p": {"limit": 50, "burst": 20}}, "bulkheads": {"p": {"maxConcurrentCalls": 10, "maxWaitDuration": "1s"}}}`: "",
		`{"retries": {"p": {"maxAttempts": 3}}}`:                                           "retries.p.maxAttempts: 3 reaches breakers.p.failureThreshold (3)",
		`{"retries": {"p": {"maxDuration": "1s"}}, "timeouts": {"p": {"duration": "1s"}}}`: "retries.p.maxDuration: 1s leaves no time for an attempt after one that timeouts.p (1s) has ended",
		`{"retries": {"p": {"budget": "al"}}, "budgets": {"all": {}}}`:                     `retries.p.budget: "al" is not in budgets, so it has the defaults; did you mean all?`,
		`{"retries": {"p": {"maxDuration": "20ms"}}}`:                                      "retries.p.maxDuration: 20ms is over before a whole initialDelay (50ms), so hardly any call is made again",
		`{"budgets": {"p": {"burst": 0}}}`:                                                 "budgets.p.burst: 0 leaves no room for what percent (10) adds, so no call is made again; write at least 1",
		`{"budgets": {"p": {"burst": 0, "percent": 0}}}`:                                   "",
		`{"retries": {"p": {"maxDuration": "20ms", "maxAttempts": 1}}}`:                    "",
		`{"retries": {"p": {"initialDelay": "2s"}}}`:                                       "retries.p.initialDelay: 2s is above maxDelay (1s) and means that",
	} {
		synctest.Test(t, func(t *testing.T) {
			var told []string
			observe := resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if w, is := e.(resilience.SettingWarning); is {
					told = append(told, w.Text)
				}
			}))
			check := func(when string, wanted string) {
				t.Helper()
				synctest.Wait()
				if wanted == "" && len(told) > 0 || wanted != "" && (len(told) != 1 || !strings.Contains(told[0], wanted)) {
					t.Errorf("%s, %s: told %q, want %q", settings, when, told, wanted)
				}
				told = nil
			}
			source, registry := newSource(t, settings, observe)
			newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", RateLimit: "p", Timeout: "p", Retry: "p"})
			check("at the beginning", want)
			reload(t, source, registry, `{}`)
			check("mended", "")
			reload(t, source, registry, settings)
			check("reloaded", want)
		})
	}
}

// A window of fewer calls than the minimum is the minimum, and attempts may fill it.
func TestRetryR9AttemptsThatFillAWindowCanOpenTheBreaker(t *testing.T) {
	for settings, want := range map[string]string{
		`"slidingWindowSize": 3, "minimumNumberOfCalls": 50`:                                    "retries.p.maxAttempts: 3 reaches breakers.p.slidingWindowSize (3): one call of Client.Do can open it",
		`"slidingWindowSize": 3, "minimumNumberOfCalls": 50, "slidingWindowType": "TIME_BASED"`: "",
		`"slidingWindowSize": 3, "minimumNumberOfCalls": 2`:                                     "retries.p.maxAttempts: 3 reaches breakers.p.minimumNumberOfCalls (2): one call of Client.Do can open it",
		`"slidingWindowSize": 4, "minimumNumberOfCalls": 4`:                                     "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var told []string
			registry := newRegistry(t, `{"retries": {"p": {"maxAttempts": 3}}, "breakers": {"p": {"strategy": "CANARY_RATE_THRESHOLD", "waitDurationInOpenState": "1s", `+settings+`}}}`,
				resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
					if w, is := e.(resilience.SettingWarning); is && strings.Contains(w.Text, "retries.") {
						told = append(told, w.Text)
					}
				})))
			newGuard(t, registry, resilience.Guards{Breaker: "p", Retry: "p"})
			synctest.Wait()
			if got := strings.Join(told, ";"); !strings.HasSuffix(got, want) || want == "" && got != "" {
				t.Errorf("%s: told %q, want %q", settings, got, want)
			}
		})
	}
}
