// Package metrics is the one table of what exporters tell of a registry: the names,
// and how each figure comes out of a snapshot. The adapters for Prometheus and
// OpenTelemetry read it, so that they can't drift apart.
package metrics

import (
	"strings"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Metric is one row: a name with its series.
type Metric struct {
	Name    string // with dots, without prefix, unit and "total": "breaker.state"
	Help    string
	Unit    string // as OpenTelemetry writes it: "1", "s", "{call}"
	Counter bool   // it only grows; else it goes up and down
	Labels  []string
	Read    func(s *resilience.Snapshot, emit Emit)
}

// Duration is the one histogram, of [resilience.Snapshot.Calls]: exporters have
// forms of their own for its buckets. It has the labels of Labels.
var Duration = Metric{
	Name: "call.duration", Unit: "s", Labels: []string{"method", "outcome"},
	Help: "How long calls took, without the wait for permits; with the option Time only.",
}

// Labels are those of a series of Duration.
func Labels(c *resilience.CallsSnapshot) []string { return []string{c.Method, c.Outcome.String()} }

// Emit takes one series: its value and the values of the labels.
type Emit func(value float64, labels ...string)

// Key is the label of the instances of a guard: "acme" for tenants/acme, whose name is
// then tenants. It is empty for the guard of the name itself, which exporters take for
// a label that is absent.
const Key = "key"

// guard are the labels of a kind of guard that may have instances.
func guard(kind string, more ...string) []string { return append([]string{kind, Key}, more...) }

// of emits series of the guard of a name, or of an instance of it.
func of(name string, emit Emit) Emit {
	base, key, _ := strings.Cut(name, "/")
	return func(value float64, labels ...string) { emit(value, append([]string{base, key}, labels...)...) }
}

// Table is every metric but Duration. All series of a metric have the same labels.
var Table = join(breakers, bulkheads, rateLimits, timeouts, retries, fallbacks, injected, entries, families, registry)

func join(parts ...[]Metric) (all []Metric) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// states are those of a breaker as labels.
var states = []struct {
	state resilience.State
	label string
}{
	{resilience.Closed, "closed"}, {resilience.Open, "open"}, {resilience.HalfOpen, "half_open"},
	{resilience.ForcedOpen, "forced_open"}, {resilience.Disabled, "disabled"}, {resilience.MetricsOnly, "metrics_only"},
}

func label(state resilience.State) string {
	for _, s := range states {
		if s.state == state {
			return s.label
		}
	}
	return "unknown"
}

// usual are the transitions that every strategy can make, which are there from 0.
var usual = [][2]resilience.State{
	{resilience.Closed, resilience.Open}, {resilience.Open, resilience.HalfOpen},
	{resilience.HalfOpen, resilience.Closed}, {resilience.HalfOpen, resilience.Open},
}

// breaker reads one figure of each breaker.
func breaker(read func(*resilience.BreakerSnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return func(s *resilience.Snapshot, emit Emit) {
		for i := range s.Breakers {
			b := &s.Breakers[i]
			read(b, of(b.Name, emit))
		}
	}
}

// shadow reads one figure of each breaker beside which settings are tried.
func shadow(read func(*resilience.ShadowSnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
		if b.Shadow != nil {
			read(b.Shadow, emit)
		}
	})
}

func bulkhead(read func(*resilience.BulkheadSnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return func(s *resilience.Snapshot, emit Emit) {
		for i := range s.Bulkheads {
			b := &s.Bulkheads[i]
			read(b, of(b.Name, emit))
		}
	}
}

func rateLimit(read func(*resilience.RateLimitSnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return func(s *resilience.Snapshot, emit Emit) {
		for i := range s.RateLimits {
			l := &s.RateLimits[i]
			read(l, of(l.Name, emit))
		}
	}
}

var breakers = []Metric{
	{"breaker.state", "The state of the breaker: 1 for the state that it is in, 0 for the others.", "1", false, guard("breaker", "state"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
			for _, s := range states {
				emit(truth(b.State == s.state), s.label)
			}
		})},
	{"breaker.admits", "Whether a call would be admitted now.", "1", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(truth(b.Admits)) })},
	{"breaker.held", "Whether an outage of all processes keeps the breaker open; of shared breakers only.", "1", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
			if b.Shared {
				emit(truth(b.Held))
			}
		})},
	{"breaker.state.since.timestamp", "When the state began.", "s", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(seconds(b.Since)) })},
	{"breaker.retry.timestamp", "When a call is admitted again; absent where time alone does not decide.", "s", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
			if !b.RetryAt.IsZero() {
				emit(seconds(b.RetryAt))
			}
		})},
	{"breaker.window.calls", "Calls in the window that the breaker judges by.", "{call}", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.Calls)) })},
	{"breaker.window.failures", "Failed calls in the window.", "{call}", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.Failures)) })},
	{"breaker.window.slow.calls", "Slow calls in the window.", "{call}", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.SlowCalls)) })},
	{"breaker.failure.ratio", "Failed calls of those in the window; absent while there are too few to judge.", "1", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { ratio(b.FailureRate, emit) })},
	{"breaker.failure.threshold.ratio", "The failure ratio at which the breaker opens; absent where it opens by another rule.", "1", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
			if b.OpensAt > 0 {
				emit(b.OpensAt / 100)
			}
		})},
	{"breaker.slow.call.ratio", "Slow calls of those in the window; absent while there are too few to judge.", "1", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { ratio(b.SlowCallRate, emit) })},
	{"breaker.trials", "Calls of half open that run.", "{call}", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.Trials)) })},
	{"breaker.calls", "Calls that ended, by outcome; successes with the option Count only.", "{call}", true, guard("breaker", "outcome"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
			if b.Counted {
				emit(float64(b.SuccessesTotal), "success")
			}
			emit(float64(b.FailuresTotal), "failure")
			emit(float64(b.IgnoredTotal), "ignored")
		})},
	{"breaker.slow.calls", "Calls that were slow, failed ones too.", "{call}", true, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.SlowTotal)) })},
	{"breaker.refused", "Calls that the breaker refused.", "{call}", true, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.RefusedTotal)) })},
	{"breaker.gate.refused", "Entries that a gate refused because of the breaker.", "{call}", true, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.Gates)) })},
	{"breaker.would.refuse", "Calls and entries that the breaker would have refused if it were enforced.", "{call}", true, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) { emit(float64(b.WouldRefuse)) })},
	{"breaker.dry.run", "1 for breakers that are not enforced; absent for others.", "1", false, guard("breaker"),
		breaker(func(b *resilience.BreakerSnapshot, emit Emit) {
			if b.DryRun {
				emit(1)
			}
		})},
	{"breaker.shadow.open", "Whether the breaker would be open or half open by the settings that are tried beside its own; absent where none are.", "1", false, guard("breaker"),
		shadow(func(s *resilience.ShadowSnapshot, emit Emit) {
			emit(truth(s.State == resilience.Open || s.State == resilience.HalfOpen))
		})},
	{"breaker.shadow.openings", "How often it would have opened by the settings that are tried.", "{transition}", true, guard("breaker"),
		shadow(func(s *resilience.ShadowSnapshot, emit Emit) { emit(float64(s.Opened)) })},
	{"breaker.shadow.would.refuse", "Calls that the settings that are tried would have refused; all were made.", "{call}", true, guard("breaker"),
		shadow(func(s *resilience.ShadowSnapshot, emit Emit) { emit(float64(s.WouldRefuse)) })},
	{"breaker.shadow.would.refuse.failed", "Of the calls that the settings that are tried would have refused: those that failed.", "{call}", true, guard("breaker"),
		shadow(func(s *resilience.ShadowSnapshot, emit Emit) { emit(float64(s.WouldRefuseFailed)) })},
	{"breaker.transitions", "Changes of the breaker's state.", "{transition}", true, guard("breaker", "from", "to"), breaker(transitions)},
}

// transitions are those that came about, and those that every strategy can make.
func transitions(b *resilience.BreakerSnapshot, emit Emit) {
	counts := map[[2]resilience.State]uint64{}
	for _, pair := range usual {
		counts[pair] = 0
	}
	for _, t := range b.Transitions {
		counts[[2]resilience.State{t.From, t.To}] = t.Count
	}
	for _, from := range states {
		for _, to := range states {
			if n, known := counts[[2]resilience.State{from.state, to.state}]; known {
				emit(float64(n), label(from.state), label(to.state))
			}
		}
	}
}

var bulkheads = []Metric{
	{"bulkhead.permits", "Calls that may run at the same time, by the size in force.", "{permit}", false, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.MaxConcurrentCalls)) })},
	{"bulkhead.in.use", "Permits that calls run on.", "{permit}", false, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.InUse)) })},
	{"bulkhead.reserved.idle", "Permits that reservations keep for calls to come.", "{permit}", false, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.ReservedIdle)) })},
	{"bulkhead.available", "Permits in the pool.", "{permit}", false, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.Available)) })},
	{"bulkhead.waiting", "Requests in the queue.", "{request}", false, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.Waiting)) })},
	{"bulkhead.refused", "Requests that got no permit.", "{request}", true, guard("bulkhead", "reason"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) {
			emit(float64(b.Refused.Full), "full")
			emit(float64(b.Refused.TooLarge), "too_large")
			emit(float64(b.Refused.Cancelled), "cancelled")
			emit(float64(b.Refused.Gate), "gate")
		})},
	{"bulkhead.would.refuse", "Requests that the bulkhead would have refused if it were enforced.", "{request}", true, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.WouldRefuse)) })},
	{"bulkhead.reserved", "Permits that entries reserved for the calls under them.", "{permit}", true, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.Reserved)) })},
	{"bulkhead.reserved.used", "Calls that ran on a reserved permit.", "{call}", true, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.UsedFromReservation)) })},
	{"bulkhead.reserved.unused", "Reserved permits on which no call ran.", "{permit}", true, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.ReturnedUnused)) })},
	{"bulkhead.overflow", "Calls whose reservation had no permit left for them.", "{call}", true, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) { emit(float64(b.Overflow)) })},
	{"bulkhead.shadow.would.refuse", "Requests that got permits and would have got none at the size that is tried; absent where none is.", "{request}", true, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) {
			if b.Shadow != nil {
				emit(float64(b.Shadow.WouldRefuse))
			}
		})},
	{"bulkhead.p90", "The 90th percentile of what calls took in the last window, of adaptive bulkheads.", "s", false, guard("bulkhead"),
		bulkhead(func(b *resilience.BulkheadSnapshot, emit Emit) {
			if b.Adaptive != nil && b.Adaptive.P90 > 0 {
				emit(time.Duration(b.Adaptive.P90).Seconds())
			}
		})},
}

var rateLimits = []Metric{
	{"rate.available", "Calls that could begin now.", "{call}", false, guard("rate_limit"),
		rateLimit(func(l *resilience.RateLimitSnapshot, emit Emit) { emit(float64(l.Available)) })},
	{"rate.waiting", "Calls in the queue.", "{call}", false, guard("rate_limit"),
		rateLimit(func(l *resilience.RateLimitSnapshot, emit Emit) { emit(float64(l.Waiting)) })},
	{"rate.refused", "Calls that the rate limit refused.", "{call}", true, guard("rate_limit", "reason"),
		rateLimit(func(l *resilience.RateLimitSnapshot, emit Emit) {
			emit(float64(l.Refused.Rate), "rate")
			emit(float64(l.Refused.TooLarge), "too_large")
			emit(float64(l.Refused.Cancelled), "cancelled")
			emit(float64(l.Refused.Gate), "gate")
		})},
	{"rate.would.refuse", "Calls and entries that the rate limit would have refused if it were enforced.", "{call}", true, guard("rate_limit"),
		rateLimit(func(l *resilience.RateLimitSnapshot, emit Emit) { emit(float64(l.WouldRefuse)) })},
}

var timeouts = []Metric{
	{"timeout.duration", "The longest time of one call; absent where nothing is bounded.", "s", false, guard("timeout"),
		func(s *resilience.Snapshot, emit Emit) {
			for _, t := range s.Timeouts {
				if t.Duration > 0 {
					of(t.Name, emit)(time.Duration(t.Duration).Seconds())
				}
			}
		}},
	{"timeout.ended", "Calls that outlived their timeout.", "{call}", true, guard("timeout"),
		func(s *resilience.Snapshot, emit Emit) {
			for _, t := range s.Timeouts {
				of(t.Name, emit)(float64(t.Ended))
			}
		}},
}

// stopped are why calls that failed were not made again.
var stopped = []string{"attempts", "deadline", "budget", "refused", "hint", "trial"}

func retry(read func(*resilience.RetrySnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return func(s *resilience.Snapshot, emit Emit) {
		for i := range s.Retries {
			r := &s.Retries[i]
			read(r, func(value float64, labels ...string) { emit(value, append([]string{r.Name}, labels...)...) })
		}
	}
}

var retries = []Metric{
	{"retry.calls", "Calls that may be made again; with the option Count only.", "{call}", true, []string{"retry"},
		retry(func(r *resilience.RetrySnapshot, emit Emit) {
			if r.Counted {
				emit(float64(r.Calls))
			}
		})},
	{"retry.attempts", "Attempts after the first.", "{call}", true, []string{"retry"},
		retry(func(r *resilience.RetrySnapshot, emit Emit) { emit(float64(r.Retries)) })},
	{"retry.recovered", "Calls that succeeded after another attempt.", "{call}", true, []string{"retry"},
		retry(func(r *resilience.RetrySnapshot, emit Emit) { emit(float64(r.Recovered)) })},
	{"retry.stopped", "Calls that failed and were not made again, by what forbade it.", "{call}", true, []string{"retry", "reason"},
		retry(func(r *resilience.RetrySnapshot, emit Emit) {
			for _, why := range stopped {
				emit(float64(r.Stopped[why]), why)
			}
		})},
	{"budget.left", "Retries that the budget allows now.", "{call}", false, []string{"budget"},
		func(s *resilience.Snapshot, emit Emit) {
			for _, b := range s.Budgets {
				emit(b.Left, b.Name)
			}
		}},
	{"budget.refused", "Retries that the budget forbade.", "{call}", true, []string{"budget"},
		func(s *resilience.Snapshot, emit Emit) {
			for _, b := range s.Budgets {
				emit(float64(b.Refused), b.Name)
			}
		}},
}

var injected = []Metric{
	{"faults.active", "Whether the settings inject faults now; absent where they never did.", "1", false, []string{"fault"},
		func(s *resilience.Snapshot, emit Emit) {
			for _, f := range s.Faults {
				emit(truth(f.Active), f.Name)
			}
		}},
	{"faults.injected", "Calls that the settings of faults let fail, or held up.", "{call}", true, []string{"fault", "what"},
		func(s *resilience.Snapshot, emit Emit) {
			for _, f := range s.Faults {
				emit(float64(f.Failed), f.Name, "failed")
				emit(float64(f.Delayed), f.Name, "delayed")
			}
		}},
}

// entry reads one figure of each entry.
func entry(read func(*resilience.EntrySnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return func(s *resilience.Snapshot, emit Emit) {
		for i := range s.Entries {
			e := &s.Entries[i]
			read(e, func(value float64, labels ...string) { emit(value, append([]string{e.Method}, labels...)...) })
		}
	}
}

var entries = []Metric{
	{"entry.admits", "Whether the entry would begin now.", "1", false, []string{"entry"},
		entry(func(e *resilience.EntrySnapshot, emit Emit) { emit(truth(e.Begins)) })},
	{"entry.begun", "Entries that began.", "{call}", true, []string{"entry"},
		entry(func(e *resilience.EntrySnapshot, emit Emit) { emit(float64(e.Begun)) })},
	{"entry.refused", "Entries that did not begin, by the guard that refused.", "{call}", true, []string{"entry", "by"},
		entry(func(e *resilience.EntrySnapshot, emit Emit) { refusers(e.Refused, emit) })},
	{"entry.cut.off", "Entries that began before a call under them was refused, by the guard that refused first.", "{call}", true, []string{"entry", "by"},
		entry(func(e *resilience.EntrySnapshot, emit Emit) { refusers(e.CutOff, emit) })},
	{"entry.undeclared", "Calls under an entry that were refused by a guard which the entry neither checks nor reserves.", "{call}", true, []string{"entry", "by"},
		entry(func(e *resilience.EntrySnapshot, emit Emit) { refusers(e.Undeclared, emit) })},
}

// refusers emits one series for each guard, whatever the kinds of its refusals.
func refusers(counts []resilience.RefusalsCount, emit Emit) {
	for i := 0; i < len(counts); {
		by, sum := counts[i].By, uint64(0)
		for ; i < len(counts) && counts[i].By == by; i++ {
			sum += counts[i].Count
		}
		emit(float64(sum), by)
	}
}

var fallbacks = []Metric{
	{"fallback", "Calls that the fallback of their method answered.", "{call}", true, []string{"fallback", "method", "reason"},
		func(s *resilience.Snapshot, emit Emit) {
			for _, f := range s.Fallbacks {
				for _, m := range f.Methods {
					emit(float64(m.Refused), f.Name, m.Method, "refused")
					emit(float64(m.Timeout), f.Name, m.Method, "timeout")
					emit(float64(m.Failure), f.Name, m.Method, "failure")
				}
			}
		}},
	{"fallback.enabled", "Whether errors are answered at all.", "1", false, []string{"fallback"},
		func(s *resilience.Snapshot, emit Emit) {
			for _, f := range s.Fallbacks {
				emit(truth(f.Enabled), f.Name)
			}
		}},
}

// family reads one figure of each name that has instances by key.
func family(read func(*resilience.KeysSnapshot, Emit)) func(*resilience.Snapshot, Emit) {
	return func(s *resilience.Snapshot, emit Emit) {
		for i := range s.Keys {
			k := &s.Keys[i]
			read(k, func(value float64, labels ...string) { emit(value, append([]string{k.Name}, labels...)...) })
		}
	}
}

var families = []Metric{
	{"family.instances", "Instances of the name that live for keys of calls.", "{instance}", false, []string{"family"},
		family(func(k *resilience.KeysSnapshot, emit Emit) { emit(float64(k.Instances)) })},
	{"family.instances.limit", "Instances that may live at most.", "{instance}", false, []string{"family"},
		family(func(k *resilience.KeysSnapshot, emit Emit) { emit(float64(k.MaxInstances)) })},
	{"family.evicted", "Instances that made room for another key.", "{instance}", true, []string{"family"},
		family(func(k *resilience.KeysSnapshot, emit Emit) { emit(float64(k.Evicted)) })},
	{"family.beyond", "Calls that the base name guarded for want of room.", "{call}", true, []string{"family"},
		family(func(k *resilience.KeysSnapshot, emit Emit) { emit(float64(k.Beyond)) })},
}

var registry = []Metric{
	{"settings.read.timestamp", "When the settings were read last; absent for built-in settings.", "s", false, nil,
		func(s *resilience.Snapshot, emit Emit) {
			if !s.Settings.ReadAt.IsZero() {
				emit(seconds(s.Settings.ReadAt))
			}
		}},
	{"settings.rejected", "Whether the last reading of the settings was rejected.", "1", false, nil,
		func(s *resilience.Snapshot, emit Emit) { emit(truth(s.Settings.Fault != "")) }},
	{"settings.reloads", "Readings of the settings.", "{reload}", true, []string{"result"},
		func(s *resilience.Snapshot, emit Emit) {
			emit(float64(s.Settings.Accepted), "accepted")
			emit(float64(s.Settings.Rejected), "rejected")
		}},
	{"fleet.connected", "Whether there is a link to the processes that share breakers; absent where nothing is shared.", "1", false, nil,
		func(s *resilience.Snapshot, emit Emit) {
			if s.Fleet != nil {
				emit(truth(s.Fleet.Connected))
			}
		}},
	{"events", "Events for observers and the log.", "{event}", true, []string{"fate"},
		func(s *resilience.Snapshot, emit Emit) {
			emit(float64(s.Events.Delivered), "delivered")
			emit(float64(s.Events.Dropped), "dropped")
			emit(float64(s.Events.Panics), "panicked")
		}},
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func seconds(at time.Time) float64 { return float64(at.UnixNano()) / 1e9 }

// ratio is a rate in percent, which is below 0 while it is unknown.
func ratio(percent float64, emit Emit) {
	if percent >= 0 {
		emit(percent / 100)
	}
}
