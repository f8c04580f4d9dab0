package config

import (
	"strings"
	"testing"
)

func TestFieldG05SettingsOfOtherToolsAreToldInOurWords(t *testing.T) {
	breaker := func(setting string) string { return `{"breakers": {"p": {` + setting + `}}}` }
	for _, test := range []struct{ about, file, want string }{
		{"a tree by names", `{"solverRemote": {"circuitBreaker": {"failureRateThreshold": 50}}}`, "no such section; write breakers.solverRemote.…"},
		{"a tree by names with several guards", `{"solverRemote": {"circuitBreaker": {}, "bulkhead": {}, "timeLimiter": {}}}`, "no such section; write breakers.solverRemote.…, bulkheads.solverRemote.…, timeouts.solverRemote.…"},
		{"resilience4j, as a tree", `{"resilience4j": {"circuitbreaker": {"instances": {"payments": {"failureRateThreshold": 50}}}}}`, "no such section; write breakers.payments.…"},
		{"resilience4j, as properties", `{"resilience4j.circuitbreaker.instances.payments.failureRateThreshold": 50}`, "no such section; write breakers.payments.failureRateThreshold"},
		{"resilience4j, half and half", `{"resilience4j.circuitbreaker": {"instances": {"payments": {"failureRateThreshold": 50}}}}`, "no such section; write breakers.payments.…"},
		{"resilience4j, its other guards", `{"resilience4j": {"bulkhead": {"instances": {"a": {}}}, "timelimiter": {"instances": {"b": {}}}}}`, "no such section; write bulkheads.a.…, timeouts.b.…"},
		{"resilience4j, its defaults", `{"resilience4j": {"circuitbreaker": {"configs": {"default": {"slidingWindowSize": 50}}}}}`, "no such section; write breakers.default.…"},
		{"Hystrix, as properties", `{"hystrix.command.payments.circuitBreaker.sleepWindowInMilliseconds": 5000}`, "no such section; write breakers.payments.testDelay"},
		{"Hystrix, as a tree", `{"hystrix": {"command": {"payments": {"circuitBreaker": {"requestVolumeThreshold": 20}}}}}`, "no such section; write breakers.payments.…"},
		{"Polly", `{"Polly": {"CircuitBreaker": {"FailureRatio": 0.1}}}`, "no such section; write breakers.NAME.failureRateThreshold"},
		{"Envoy", `{"payments": {"outlier_detection": {"consecutive_5xx": 5}}}`, "no such section; write breakers.payments.…"},
		{"a section by another name", `{"circuitBreakers": {"payments": {}}}`, "no such section; write breakers.payments.…"},
		{"a section that is nearly ours", `{"breaker": {"payments": {}}}`, "no such section; did you mean breakers?"},
		{"many names", `{"circuitBreakers": {"a": {}, "b": {}, "c": {}, "d": {}}}`, "no such section; write breakers.a.…, breakers.b.…, breakers.c.…, …"},
		{"nothing of the sort", `{"solverRemote": {"x": {"y": 1}}}`, "no such section; allowed are " + sections},
		{"a name that is none", `{"circuitBreakers": {"redis://me:hunter2@h": {}}}`, "no such section; write breakers.NAME.…"},

		{"the strategy", breaker(`"type": "NONE"`), "no such setting; did you mean strategy?"},
		{"sony/gobreaker", breaker(`"timeout": 60`), "no such setting; did you mean testDelay?"},
		{"opossum", breaker(`"reset_timeout": 60`), "no such setting; did you mean testDelay?"},
		{"for another strategy", breaker(`"strategy": "CANARY_RATE_THRESHOLD", "resetTimeout": 60`), "no such setting; did you mean waitDurationInOpenState?"},
		{"semian", breaker(`"error_threshold": 3`), "no such setting; did you mean failureThreshold?"},
		{"a rate", breaker(`"strategy": "PACED_RATE_THRESHOLD", "error_threshold": 3`), "no such setting; did you mean failureRateThreshold?"},
		{"of another strategy", breaker(`"failureRatio": 30`), "no such setting; did you mean failureRateThreshold, which belongs to CANARY_RATE_THRESHOLD and PACED_RATE_THRESHOLD?"},
		{"sentinel", breaker(`"strategy": "CANARY_RATE_THRESHOLD", "MinRequestAmount": 30`), "no such setting; did you mean minimumNumberOfCalls?"},
		{"failsafe", breaker(`"delay": 30`), "no such setting; did you mean testDelay?"},
		{"the fleet's", breaker(`"min_errors": 30`), "no such setting; did you mean minimumErrors?"},
		{"the fleet's in its section", `{"sharedState": {"min_errors": 30}}`, "no such setting; did you mean minimumErrors?"},
		{"the fleet's share", `{"sharedState": {"success_sample_per": 30}}`, "no such setting; did you mean successSampleRate?"},
		{"the fleet's rate", `{"sharedState": {"error_threshold": 30}}`, "no such setting; did you mean outageThreshold?"},
		{"a password", `{"sharedState": {"password": "hunter2"}}`, "no such setting; did you mean passwordEnv?"},
		{"of another section", breaker(`"maxConcurrentRequests": 30`), "no such setting; write bulkheads.p.maxConcurrentCalls"},
		{"of sharedState", breaker(`"successSamplePer": 30`), "no such setting; write sharedState.successSampleRate"},
		{"a guard in another", breaker(`"bulkhead": {}`), "no such setting; write bulkheads.p.…"},
		{"Envoy's bulkhead", `{"bulkheads": {"p": {"max_pending_requests": 3}}}`, "no such setting; did you mean queueCapacity?"},
		{"a timeout", `{"timeouts": {"p": {"timeoutInMilliseconds": 3}}}`, "no such setting; did you mean duration?"},
		{"a timeout's timeout", `{"timeouts": {"p": {"timeout": 3}}}`, "no such setting; did you mean duration?"},
		{"a rate limit by another name", `{"resilience4j": {"ratelimiter": {"instances": {"maps": {"limitForPeriod": 10}}}}}`, "no such section; write rateLimits.maps.…"},
		{"resilience4j's rate limit", `{"rateLimits": {"p": {"limitRefreshPeriod": "1s"}}}`, "no such setting; did you mean period?"},
		{"its wait", `{"rateLimits": {"p": {"timeoutDuration": "1s"}}}`, "no such setting; did you mean maxWaitDuration?"},
		{".NET's rate limit", `{"rateLimits": {"p": {"QueueLimit": 3}}}`, "no such setting; did you mean queueCapacity?"},
		{"a rate in a breaker", breaker(`"qps": 3`), "no such setting; write rateLimits.p.limit"},
		{"the beginning of a setting", breaker(`"maxHalf": 3`), "no such setting; did you mean maxHalfOpenDuration?"},

		{"STATIC", breaker(`"strategy": "STATIC"`), "; did you mean STATIC_THRESHOLD?"},
		{"CANARY", breaker(`"strategy": "CANARY"`), "; did you mean CANARY_RATE_THRESHOLD?"},
		{"paced", breaker(`"strategy": "paced"`), "; did you mean PACED_RATE_THRESHOLD?"},
		{"CONSECUTIVE", breaker(`"strategy": "CONSECUTIVE"`), "; did you mean CONSECUTIVE_FAILURES?"},
		{"C", breaker(`"strategy": "C"`), "PACED_RATE_THRESHOLD, NONE"},
		{"a window", breaker(`"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowType": "TIME"`), "; did you mean TIME_BASED?"},
	} {
		t.Run(test.about, func(t *testing.T) {
			_, err := Inspect("r.json", []byte(test.file))
			if err == nil || !strings.HasSuffix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s\n%v, want …%s", test.file, err, test.want)
			}
		})
	}
}

// Each row of the table leads to what there is, and none is about our own names.
func TestFieldG05TheTableOfOtherToolsLeadsToWhatThereIs(t *testing.T) {
	if n := len(foreign.settings); n < 30 {
		t.Errorf("only %d names of settings", n)
	}
	for name, section := range foreign.around {
		if plainName(name) != name || section != "-" && standard.section(section) == nil {
			t.Errorf("%s leads to %s", name, section)
		}
	}
	for name, targets := range foreign.settings {
		for _, to := range targets {
			s := standard.section(to.section)
			if plainName(name) != name || s == nil || len(s.owners(to.setting)) == 0 && to.setting != s.choose {
				t.Errorf("%s leads to %v", name, to)
			}
			if plainName(to.setting) == name && len(targets) == 1 && to.section != SharedState {
				t.Errorf("%s is our own name", name)
			}
		}
	}
}
