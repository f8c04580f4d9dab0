package main

import (
	"fmt"
	"time"
)

// Two sizes of the demonstration. In the same proportions the same happens in
// less time.
var (
	inAMinute = demonstration(500*time.Millisecond, 20, experiment{
		warmUp: 1500 * time.Millisecond, over: 4500 * time.Millisecond, slice: 500 * time.Millisecond})
	inTenSeconds = demonstration(200*time.Millisecond, 10, experiment{
		warmUp: 300 * time.Millisecond, over: 600 * time.Millisecond, slice: 100 * time.Millisecond})
)

// demonstration completes an experiment in which A is our own. Slow calls to it
// hold more permits than there are, slowish ones more than half of them.
func demonstration(timeout time.Duration, permits int, e experiment) experiment {
	e.timeout = timeout
	e.pools = sizes{permits, permits / 2, permits / 2}
	e.rate = int(1.5 * float64(permits) / timeout.Seconds())
	e.sideBySide = true
	e.states = []state{
		{role: slow, title: "A is slow", delay: timeout * 9 / 10},
		{role: failing, title: "A refuses connections", dead: true},
		{role: well, title: "A is healthy, but slowish", delay: timeout / 2},
	}
	e.policies = []policy{
		{title: "refuse at once", settings: e.settings(0)},
		{title: "wait within the\ncaller's deadline", settings: e.settings(timeout), deadline: timeout},
		{title: "wait, then a\ntimeout per call", settings: e.settings(timeout)},
	}
	return e
}

// settingsText is the settings file of both services: the one with one pool uses
// shared, the other a and b.
const settingsText = `{
  "bulkheads": {
    "shared": { "maxConcurrentCalls": %d, "maxWaitDuration": "%[4]v" },
    "a": { "maxConcurrentCalls": %[2]d, "maxWaitDuration": "%[4]v" },
    "b": { "maxConcurrentCalls": %[3]d, "maxWaitDuration": "%[4]v" },
  },
  "timeouts": { "call": { "duration": "%[5]v" } },
}
`

// settings let calls wait for a permit for so long.
func (e experiment) settings(wait time.Duration) []byte {
	return fmt.Appendf(nil, settingsText, e.pools.shared, e.pools.a, e.pools.b, wait, e.timeout)
}
