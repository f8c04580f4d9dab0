package dashboard

// Kinds of panels.
const (
	curve = "timeseries"
	now   = "stat"
	bands = "state-timeline"
)

// Units of panels.
const (
	rate    = "reqps"
	number  = "short"
	share   = "percentunit"
	seconds = "s"
	age     = "dtdurations"
)

// rows are what the dashboard shows: first what is not as it should be.
var rows = []row{
	{title: "Now", panels: []panel{
		{"Breakers that are not closed", "Each with its state. The live page and the snapshot say why.", now, number, false, []query{
			{`max by (breaker, key, state) (resgen_breaker_state{SOME,state!="closed"}) == 1`, "{{breaker}} {{key}} {{state}}"}}},
		{"Breakers that refuse", "OPEN whose delay is over admits a call, and is not here.", now, number, false, []query{
			{`sum by (breaker, key) (resgen_breaker_admits{SOME} == bool 0) > 0`, "{{breaker}} {{key}}, instances"}}},
		{"Full bulkheads", "No permit is left.", now, number, false, []query{
			{`sum by (bulkhead, key) (resgen_bulkhead_available{SOME} <= bool 0) > 0`, "{{bulkhead}} {{key}}, instances"}}},
		{"Breakers in a dry run", "They are not enforced, and set off neither BreakerOpen nor BreakerFlapping.", now, number, false, []query{
			{`sum by (breaker, key) (resgen_breaker_dry_run{SOME})`, "{{breaker}} {{key}}, instances"}}},
		{"Faults that the settings inject", "On purpose, to try the guards. They end by themselves.", now, number, false, []query{
			{`sum by (fault) (resgen_faults_active{SOME}) > 0`, "{{fault}}, instances"}}},
		{"Rejected settings", "Those before stay in force.", now, number, false, []query{
			{`sum(resgen_settings_rejected{SOME})`, "instances"}}},
		{"Processes without a link to the fleet", "Each decides for itself.", now, number, false, []query{
			{`count(resgen_fleet_connected{SOME} == 0)`, "instances"}}},
		{"Breakers held by an outage of all processes", "", now, number, false, []query{
			{`sum by (breaker, key) (resgen_breaker_held{SOME}) > 0`, "{{breaker}} {{key}}, instances"}}},
	}},
	{title: "Breaker $breaker", section: "breakers", variable: "breaker", panels: []panel{
		{"State", "", bands, number, false, []query{
			{`resgen_breaker_state{BREAKER} == 1`, "{{instance}} {{breaker}} {{key}} {{state}}"}}},
		{"Failure ratio and its threshold", "Absent while there are too few calls to judge.", curve, share, false, []query{
			{`resgen_breaker_failure_ratio{BREAKER}`, "{{instance}} {{key}} failed"},
			{`resgen_breaker_slow_call_ratio{BREAKER}`, "{{instance}} {{key}} slow"},
			{`max by (breaker, key) (resgen_breaker_failure_threshold_ratio{BREAKER})`, "{{breaker}} {{key}} opens"}}},
		{"Calls in the window", "That the breaker judges by.", curve, number, false, []query{
			{`sum by (breaker, key) (resgen_breaker_window_calls{BREAKER})`, "{{breaker}} {{key}} all"},
			{`sum by (breaker, key) (resgen_breaker_window_failures{BREAKER})`, "{{breaker}} {{key}} failed"},
			{`sum by (breaker, key) (resgen_breaker_window_slow_calls{BREAKER})`, "{{breaker}} {{key}} slow"}}},
		{"Calls", "Successes are there with the option Count only.", curve, rate, false, []query{
			{`sum by (breaker, key, outcome) (rate(resgen_breaker_calls_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} {{outcome}}"},
			{`sum by (breaker, key) (rate(resgen_breaker_slow_calls_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} slow"}}},
		{"Refusals", "By the breaker, of entries by its gate, and those that there would be if it were enforced.", curve, rate, false, []query{
			{`sum by (breaker, key) (rate(resgen_breaker_refused_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} calls"},
			{`sum by (breaker, key) (rate(resgen_breaker_gate_refused_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} entries"},
			{`sum by (breaker, key) (rate(resgen_breaker_would_refuse_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} would refuse"}}},
		{"Settings that are tried: would it be open", "By the shadow of the breaker.", curve, number, false, []query{
			{`max by (breaker, key) (resgen_breaker_shadow_open{BREAKER})`, "{{breaker}} {{key}} open"},
			{`sum by (breaker, key) (increase(resgen_breaker_shadow_openings_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} openings"}}},
		{"Settings that are tried: refusals", "Of calls that the breaker admitted. Some of them failed.", curve, rate, false, []query{
			{`sum by (breaker, key) (rate(resgen_breaker_shadow_would_refuse_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} would refuse"},
			{`sum by (breaker, key) (rate(resgen_breaker_shadow_would_refuse_failed_total{BREAKER}[$__rate_interval]))`, "{{breaker}} {{key}} of these failed"}}},
		{"Changes of state", "", curve, number, false, []query{
			{`sum by (breaker, key, from, to) (increase(resgen_breaker_transitions_total{BREAKER}[$__rate_interval])) > 0`, "{{breaker}} {{key}} {{from}} to {{to}}"}}},
		{"Since when", "", now, age, false, []query{
			{`time() - resgen_breaker_state_since_timestamp_seconds{BREAKER}`, "{{instance}} {{breaker}} {{key}}"}}},
		{"Tries again in", "Absent where time alone does not decide.", now, seconds, false, []query{
			{`clamp_min(resgen_breaker_retry_timestamp_seconds{BREAKER} - time(), 0)`, "{{instance}} {{breaker}} {{key}}"}}},
		{"Trials that run", "", curve, number, false, []query{
			{`resgen_breaker_trials{BREAKER}`, "{{instance}} {{breaker}} {{key}}"}}},
	}},
	{title: "Bulkhead $bulkhead", section: "bulkheads", variable: "bulkhead", panels: []panel{
		{"Permits", "In use and reserved, below all there are.", curve, number, true, []query{
			{`sum by (bulkhead, key) (resgen_bulkhead_in_use{BULKHEAD})`, "{{bulkhead}} {{key}} in use"},
			{`sum by (bulkhead, key) (resgen_bulkhead_reserved_idle{BULKHEAD})`, "{{bulkhead}} {{key}} reserved"},
			{`sum by (bulkhead, key) (resgen_bulkhead_permits{BULKHEAD})`, "{{bulkhead}} {{key}} all"}}},
		{"Requests in the queue", "", curve, number, false, []query{
			{`sum by (bulkhead, key) (resgen_bulkhead_waiting{BULKHEAD})`, "{{bulkhead}} {{key}}"}}},
		{"Refusals", "Also those that there would be if the bulkhead were enforced.", curve, rate, false, []query{
			{`sum by (bulkhead, key, reason) (rate(resgen_bulkhead_refused_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}} {{reason}}"},
			{`sum by (bulkhead, key) (rate(resgen_bulkhead_would_refuse_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}} would refuse"}}},
		{"A size that is tried: refusals", "Of requests that got permits.", curve, rate, false, []query{
			{`sum by (bulkhead, key) (rate(resgen_bulkhead_shadow_would_refuse_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}}"}}},
		{"Reservations", "Permits, and the calls that ran on them.", curve, rate, false, []query{
			{`sum by (bulkhead, key) (rate(resgen_bulkhead_reserved_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}} reserved"},
			{`sum by (bulkhead, key) (rate(resgen_bulkhead_reserved_used_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}} used"}}},
		{"Wrong reservations", "Permits that no call needed, and calls that found none left: declarations that do not fit.", curve, rate, false, []query{
			{`sum by (bulkhead, key) (rate(resgen_bulkhead_reserved_unused_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}} unused"},
			{`sum by (bulkhead, key) (rate(resgen_bulkhead_overflow_total{BULKHEAD}[$__rate_interval]))`, "{{bulkhead}} {{key}} overflow"}}},
		{"90th percentile of calls", "Of adaptive bulkheads.", curve, seconds, false, []query{
			{`resgen_bulkhead_p90_seconds{BULKHEAD}`, "{{instance}} {{bulkhead}} {{key}}"}}},
	}},
	{title: "Retries $retry", section: "retries", variable: "retry", panels: []panel{
		{"Attempts after the first", "And the calls that succeeded by one. All calls are there with the option Count only.", curve, rate, false, []query{
			{`sum by (retry) (rate(resgen_retry_attempts_total{RETRY}[$__rate_interval]))`, "{{retry}} retries"},
			{`sum by (retry) (rate(resgen_retry_recovered_total{RETRY}[$__rate_interval]))`, "{{retry}} recovered"},
			{`sum by (retry) (rate(resgen_retry_calls_total{RETRY}[$__rate_interval]))`, "{{retry}} calls"}}},
		{"Failures that were not tried again", "By what forbade it.", curve, rate, false, []query{
			{`sum by (retry, reason) (rate(resgen_retry_stopped_total{RETRY}[$__rate_interval]))`, "{{retry}} {{reason}}"}}},
		{"Budgets", "Retries that are left, and those that a budget forbade.", curve, number, false, []query{
			{`min by (budget) (resgen_budget_left{SOME})`, "{{budget}} left"},
			{`sum by (budget) (rate(resgen_budget_refused_total{SOME}[$__rate_interval]))`, "{{budget}} forbidden a second"}}},
	}},
	{title: "Rate limit $rate_limit", section: "rateLimits", variable: "rate_limit", panels: []panel{
		{"Calls that could begin now", "", curve, number, false, []query{
			{`resgen_rate_available{RATE}`, "{{instance}} {{rate_limit}} {{key}}"}}},
		{"Calls in the queue", "", curve, number, false, []query{
			{`resgen_rate_waiting{RATE}`, "{{instance}} {{rate_limit}} {{key}}"}}},
		{"Refusals", "Also those that there would be if the limit were enforced.", curve, rate, false, []query{
			{`sum by (rate_limit, key, reason) (rate(resgen_rate_refused_total{RATE}[$__rate_interval]))`, "{{rate_limit}} {{key}} {{reason}}"},
			{`sum by (rate_limit, key) (rate(resgen_rate_would_refuse_total{RATE}[$__rate_interval]))`, "{{rate_limit}} {{key}} would refuse"}}},
	}},
	{title: "Timeout $timeout", section: "timeouts", variable: "timeout", panels: []panel{
		{"Calls that outlived it", "", curve, rate, false, []query{
			{`sum by (timeout, key) (rate(resgen_timeout_ended_total{TIMEOUT}[$__rate_interval]))`, "{{timeout}} {{key}}"}}},
		{"The longest time of one call", "Absent where nothing is bounded.", now, seconds, false, []query{
			{`max by (timeout, key) (resgen_timeout_duration_seconds{TIMEOUT})`, "{{timeout}} {{key}}"}}},
	}},
	{title: "Fallback $fallback", section: "fallbacks", variable: "fallback", panels: []panel{
		{"Calls that it answered", "They failed or were refused, and their callers did not see it.", curve, rate, false, []query{
			{`sum by (method, reason) (rate(resgen_fallback_total{FALLBACK}[$__rate_interval]))`, "{{method}} {{reason}}"}}},
		{"Switched off", "Errors reach the callers.", now, number, false, []query{
			{`sum by (fallback) (resgen_fallback_enabled{FALLBACK} == bool 0) > 0`, "{{fallback}}, instances"}}},
	}},
	{title: "Entries", panels: []panel{
		{"Entries that would not begin now", "", now, number, false, []query{
			{`sum by (entry) (resgen_entry_admits{SOME} == bool 0) > 0`, "{{entry}}, instances"}}},
		{"Begun", "", curve, rate, false, []query{
			{`sum by (entry) (rate(resgen_entry_begun_total{SOME}[$__rate_interval]))`, "{{entry}}"}}},
		{"Refused", "Nothing had begun.", curve, rate, false, []query{
			{`sum by (entry, by) (rate(resgen_entry_refused_total{SOME}[$__rate_interval]))`, "{{entry}} by {{by}}"}}},
		{"Cut off", "They had begun when a call under them was refused.", curve, rate, false, []query{
			{`sum by (entry, by) (rate(resgen_entry_cut_off_total{SOME}[$__rate_interval]))`, "{{entry}} by {{by}}"}}},
		{"Undeclared", "Calls refused by a guard that the entry neither checks nor reserves.", curve, rate, false, []query{
			{`sum by (entry, by) (rate(resgen_entry_undeclared_total{SOME}[$__rate_interval]))`, "{{entry}} by {{by}}"}}},
	}},
	{title: "Keys", panels: []panel{
		{"Instances that live for keys", "And how many may.", curve, number, false, []query{
			{`max by (family) (resgen_family_instances{SOME})`, "{{family}}"},
			{`max by (family) (resgen_family_instances_limit{SOME})`, "{{family}} at most"}}},
		{"Instances that made room", "", curve, rate, false, []query{
			{`sum by (family) (rate(resgen_family_evicted_total{SOME}[$__rate_interval]))`, "{{family}}"}}},
		{"Calls without an instance", "The base name guarded them for want of room.", curve, rate, false, []query{
			{`sum by (family) (rate(resgen_family_beyond_total{SOME}[$__rate_interval]))`, "{{family}}"}}},
	}},
	{title: "Methods, with the option Time", panels: []panel{
		{"Half of the calls take at most", "", curve, seconds, false, []query{
			{`histogram_quantile(0.5, sum by (le, method) (rate(resgen_call_duration_seconds_bucket{SOME}[$__rate_interval])))`, "{{method}}"}}},
		{"99 of 100 calls take at most", "", curve, seconds, false, []query{
			{`histogram_quantile(0.99, sum by (le, method) (rate(resgen_call_duration_seconds_bucket{SOME}[$__rate_interval])))`, "{{method}}"}}},
		{"Calls", "", curve, rate, false, []query{
			{`sum by (method, outcome) (rate(resgen_call_duration_seconds_count{SOME}[$__rate_interval]))`, "{{method}} {{outcome}}"}}},
	}},
	{title: "Settings and events", panels: []panel{
		{"Calls that the settings of faults hit", "", curve, rate, false, []query{
			{`sum by (fault, what) (rate(resgen_faults_injected_total{SOME}[$__rate_interval]))`, "{{fault}} {{what}}"}}},
		{"Readings of the settings", "", curve, number, false, []query{
			{`sum by (result) (increase(resgen_settings_reloads_total{SOME}[$__rate_interval]))`, "{{result}}"}}},
		{"Age of the settings", "", now, age, false, []query{
			{`time() - resgen_settings_read_timestamp_seconds{SOME}`, "{{instance}}"}}},
		{"Events", "Dropped ones are missing in the log or at an observer.", curve, rate, false, []query{
			{`sum by (fate) (rate(resgen_events_total{SOME}[$__rate_interval]))`, "{{fate}}"}}},
	}},
}
