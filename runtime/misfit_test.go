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
