package main

import (
	"fmt"
	"time"
)

// Two sizes of the demonstration. In the same proportions the same happens in
// less time.
var (
	inAMinute = demonstration(500*time.Millisecond, 20, experiment{
		strikes: time.Second, warmUp: 2 * time.Second, over: 3 * time.Second, slice: 500 * time.Millisecond})
	inTenSeconds = demonstration(200*time.Millisecond, 10, experiment{
		strikes: 100 * time.Millisecond, warmUp: 300 * time.Millisecond, over: 500 * time.Millisecond, slice: 100 * time.Millisecond})
)

// demonstration completes an experiment in which A is our own. Slow calls to it
// hold more permits than there are, slowish ones more than half of them.
func demonstration(timeout time.Duration, permits int, e experiment) experiment {
	e.timeout = timeout
	e.pools = pools{pool{"shared", permits}, pool{"a", permits / 2}, pool{"b", permits / 2}}
	e.rate = int(1.5 * float64(permits) / timeout.Seconds())
	e.sideBySide = true
	e.states = []state{
		{role: reference, title: "Reference: A is well", delay: timeout / 100},
		{role: slow, title: "A is slow", delay: timeout * 9 / 10},
		{role: failing, title: "A refuses connections", dead: true},
		{role: well, title: "A is healthy, but slowish", delay: timeout / 2},
	}
	e.policies = []policy{
		e.policy("refuse at once", 0, ""),
		e.policy("wait within the caller's deadline", timeout, ""),
		e.policy("wait, then a timeout per call", timeout, ""),
	}
	e.policies[1].deadline = timeout
	return e
}

// demonstrated is the settings file of both services: the one with one pool uses
// shared, the other a and b.
const demonstrated = `{
  "bulkheads": {
    "shared": { %[6]s"maxConcurrentCalls": %[1]d, "maxWaitDuration": "%[4]v" },
    "a": { %[6]s"maxConcurrentCalls": %[2]d, "maxWaitDuration": "%[4]v" },
    "b": { %[6]s"maxConcurrentCalls": %[3]d, "maxWaitDuration": "%[4]v" },
  },
  "timeouts": { "a": { "duration": "%[5]v" }, "b": { "duration": "%[5]v" } },
}
`

// withAdaptive adds the policy of pools whose sizes follow what A and B can bear, up
// to those of the other policies.
func (e experiment) withAdaptive() experiment {
	e.policies = append(e.policies[:len(e.policies):len(e.policies)], e.policy(adaptiveTitle, 0, `"limit": "ADAPTIVE", `))
	return e
}

const adaptiveTitle = "refuse at once, adaptive sizes"

// policy lets calls wait for a permit for so long.
func (e experiment) policy(title string, wait time.Duration, limit string) policy {
	text := fmt.Appendf(nil, demonstrated, e.pools.shared.permits, e.pools.a.permits, e.pools.b.permits, wait, e.timeout, limit)
	return policy{title: title, settings: text, shown: text}
}
