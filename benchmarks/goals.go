package main

// A goal is a figure to reach.
type goal struct {
	text    string
	got     float64
	limit   float64
	unit    string
	atLeast bool // got has to be the limit or more, else the limit or less
}

func (g goal) holds() bool {
	if g.atLeast {
		return g.got >= g.limit
	}
	return g.got <= g.limit
}

// goals holds a view of the results against what was set out to reach.
func goals(ns view, allocs int64, m memory) []goal {
	closed := func(path string) float64 { return ns("closed", path, 1) }
	refused := func(path string) float64 { return ns("refused", path, 1) }
	bare := ns("floor", "bare", 1)
	read := ns("floor", "two monotonic reads", 1) - ns("floor", "monotonic read", 1)
	breaker, both := closed("breaker CANARY_RATE_THRESHOLD"), closed("breaker and bulkhead")
	failure := func(path, success string) float64 {
		return 2*ns("failing", path+", 1 of 2 fails", 1) - closed(success)
	}
	return []goal{
		{"closed over bare: STATIC_THRESHOLD", closed("breaker STATIC_THRESHOLD") - bare, 14, "ns", false},
		{"closed over bare: CONSECUTIVE_FAILURES", closed("breaker CONSECUTIVE_FAILURES") - bare, 14, "ns", false},
		{"closed over bare: CANARY_RATE_THRESHOLD", breaker - bare, 14, "ns", false},
		{"closed over bare: CANARY_RATE_THRESHOLD, 1 of 100 fails", ns("failing", "breaker CANARY_RATE_THRESHOLD in 100, 1 of 100 fails", 1) - ns("failing", "bare, 1 of 100 fails", 1), 14, "ns", false},
		{"gobreaker's call / ours", closed("gobreaker") / breaker, 8, "×", true},
		{"what gobreaker adds / what ours adds", (closed("gobreaker") - bare) / (breaker - bare), 8, "×", true},
		{"breaker and bulkhead over bare", both - bare, 26, "ns", false},
		{"failsafe-go's call, composed / ours", closed("failsafe-go executor, breaker and bulkhead") / both, 25, "×", true},
		{"what failsafe-go adds, composed / what ours adds", (closed("failsafe-go executor, breaker and bulkhead") - bare) / (both - bare), 25, "×", true},
		{"breaker and bulkhead, two cores on one breaker", ns("closed", "breaker and bulkhead", 2), 45, "ns", false},
		{"the same, 1 of 100 fails", ns("failing", "breaker CANARY_RATE_THRESHOLD in 100 and bulkhead, 1 of 100 fails", 2), 45, "ns", false},
		{"refused by an OPEN breaker that a probe decides on", refused("breaker, a probe decides"), 15, "ns", false},
		{"refused by an OPEN breaker while a delay runs", refused("breaker, a delay runs"), 15 + read, "ns", false},
		{"an adaptive bulkhead over a fixed one", closed("bulkhead, adaptive") - closed("bulkhead"), 60, "ns", false},
		{"timing calls, on top: two monotonic reads and three additions", closed("breaker and bulkhead, timed") - both, 2*read + 10, "ns", false},
		{"a retry that nothing needs", closed("breaker, bulkhead and retry") - both, 5, "ns", false},
		{"a fallback that nothing needs", closed("breaker, bulkhead and fallback") - both, 1, "ns", false},
		{"a judge of all results, on top", closed("breaker CANARY_RATE_THRESHOLD, a judge of all results") - breaker, 2, "ns", false},
		{"a call by key, on top", closed("breaker CANARY_RATE_THRESHOLD, one of 512 by key") - breaker, 35, "ns", false},
		{"rate limit over breaker NONE", closed("rate limit") - closed("breaker NONE"), 35, "ns", false},
		{"refused by a rate limit", refused("rate limit reached"), 45, "ns", false},
		{"entry with two gates and two preloads", closed("entry: two gates, two preloads"), 150, "ns", false},
		{"its allocations", float64(allocs), 2, "", false},
		{"tracking slow calls, on top: two monotonic reads", closed("breaker CANARY_RATE_THRESHOLD, slow calls tracked") - breaker, 2 * read, "ns", false},
		{"a window of time, on top: one monotonic read", closed("breaker CANARY_RATE_THRESHOLD, window of time") - breaker, read, "ns", false},
		{"a failure: CANARY_RATE_THRESHOLD in 100", failure("breaker CANARY_RATE_THRESHOLD in 100", "breaker CANARY_RATE_THRESHOLD"), 150, "ns", false},
		{"a failure: CANARY_RATE_THRESHOLD in 100000", failure("breaker CANARY_RATE_THRESHOLD in 100000", "breaker CANARY_RATE_THRESHOLD"), 150, "ns", false},
		{"a failure: CONSECUTIVE_FAILURES", failure("breaker CONSECUTIVE_FAILURES", "breaker CONSECUTIVE_FAILURES"), 150, "ns", false},
		{"a failure: PACED_RATE_THRESHOLD", failure("breaker PACED_RATE_THRESHOLD", "breaker PACED_RATE_THRESHOLD, window of time"), 150, "ns", false},
		{"a failure: STATIC_THRESHOLD in 100", failure("breaker STATIC_THRESHOLD in 100", "breaker STATIC_THRESHOLD"), 150, "ns", false},
		{"a breaker that holds 100 calls: CANARY_RATE_THRESHOLD", m.used["CANARY_RATE_THRESHOLD in 100"], 1 << 10, "B", false},
		{"a breaker that holds 100 calls: STATIC_THRESHOLD", m.used["STATIC_THRESHOLD in 100"], 1 << 10, "B", false},
		{"a breaker that holds none: CONSECUTIVE_FAILURES", m.used["CONSECUTIVE_FAILURES"], 1 << 10, "B", false},
		{"a million idle breakers", m.idle * breakers / (1 << 30), 1, "GiB", false},
	}
}

// rareFailure is what a failure costs where 99 successes came before it, which
// STATIC_THRESHOLD then hands to its engine one by one. It is no goal: what it
// costs is up to the engine and the setting failureThresholdCapacity.
func rareFailure(ns view) float64 {
	mean := ns("failing", "breaker STATIC_THRESHOLD in 100, 1 of 100 fails", 1)
	return 100*mean - 99*ns("closed", "breaker STATIC_THRESHOLD", 1)
}
