// Package advise proposes settings from snapshots of a service: how many permits its
// bulkheads need, how many its entries should preload, and how many calls its breakers
// should look at.
//
// It owns the rules. Each proposal says the figures that it follows from; where there
// are too few, it says that.
package advise

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/words"
)

// Advice is what snapshots say of one name.
type Advice struct {
	Section  string // such as "bulkheads"; empty for an entry, whose numbers are in directives
	Name     string
	Settings []Setting // to write; none: there is only something to say
	Text     string
}

// Setting is a value of a settings file.
type Setting struct {
	Name  string
	Value any
}

const (
	enoughCalls = 100 // for a mean
	enoughTime  = 10 * time.Second
)

// From proposes settings from two or more snapshots of one process, in the order of
// their times. Of the spans between two that follow each other, the one in which a
// name was used most counts.
func From(snapshots []Snapshot) ([]Advice, error) {
	if len(snapshots) < 2 {
		return nil, errors.New("one snapshot is a moment; give two or more, taken apart at the busiest time")
	}
	slices.SortStableFunc(snapshots, func(a, b Snapshot) int { return a.At.Compare(b.At) })
	if len(snapshots[0].Methods) == 0 {
		return nil, errors.New("the snapshots lack the durations of calls; make the registry with the option resilience.Time()")
	}
	var spans []span
	for i, after := range snapshots[1:] {
		s, err := between(snapshots[i], after)
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	last := snapshots[len(snapshots)-1]
	var all []Advice
	for _, b := range last.Bulkheads {
		all = append(all, busiest(spans, b.Name, span.bulkhead).bulkheadAdvice(b))
	}
	for _, m := range last.Methods {
		for _, r := range m.Reserves {
			if a, say := busiest(spans, m.Method, span.entry).preloadAdvice(m, r); say {
				all = append(all, a)
			}
		}
	}
	for _, b := range last.Breakers {
		all = append(all, busiest(spans, b.Name, span.breaker).breakerAdvice(b))
	}
	return all, nil
}

// busiest is the span in which a name had the most calls.
func busiest(spans []span, name string, of func(span, string) traffic) span {
	return slices.MaxFunc(spans, func(a, b span) int { return cmp.Compare(of(a, name).rate(), of(b, name).rate()) })
}

// span is what happened between two snapshots.
type span struct {
	took    time.Duration
	calls   map[string]traffic // by method
	methods map[string]Method
	before  Snapshot
	after   Snapshot
}

// traffic is calls in a span.
type traffic struct {
	calls, failures, refused uint64
	busy                     time.Duration // of all calls together
	took                     time.Duration // the span
}

func (t traffic) rate() float64 { return float64(t.calls+t.refused) / t.took.Seconds() }

// mean is how long a call takes.
func (t traffic) mean() time.Duration {
	if t.calls == 0 {
		return 0
	}
	return t.busy / time.Duration(t.calls)
}

// atOnce is how many calls run at the same time, by Little's law, if none is refused.
func (t traffic) atOnce() float64 { return t.rate() * t.mean().Seconds() }

func (t traffic) add(other traffic) traffic {
	t.calls += other.calls
	t.failures += other.failures
	t.refused += other.refused
	t.busy += other.busy
	return t
}

// unfit is why calls are no base for a proposal about a guard; empty: they are one.
func (t traffic) unfit(guard string) string {
	switch {
	case strings.Contains(guard, "/"):
		return "an instance: the calls of all instances of a name are timed together"
	case t.calls < enoughCalls || t.took < enoughTime:
		return fmt.Sprintf("too little traffic: %s in %s, and a proposal needs %d in %s", words.Count(t.calls, "call"), round(t.took), enoughCalls, round(enoughTime))
	}
	return ""
}

func between(before, after Snapshot) (span, error) {
	s := span{
		took: after.At.Sub(before.At), calls: map[string]traffic{}, methods: map[string]Method{},
		before: before, after: after,
	}
	if s.took <= 0 {
		return s, fmt.Errorf("two snapshots are of one moment, %s", after.At.Format(time.RFC3339))
	}
	for _, m := range after.Methods {
		s.methods[m.Method] = m
	}
	for _, c := range after.Calls {
		old := before.of(c)
		if c.Count < old.Count || c.Sum < old.Sum {
			return s, fmt.Errorf("%s had more calls in the snapshot before: the process began anew, or it is another one", c.Method)
		}
		t := traffic{calls: c.Count - old.Count, busy: time.Duration(c.Sum - old.Sum)}
		if c.Outcome == "failure" {
			t.failures = t.calls
		}
		s.calls[c.Method] = s.calls[c.Method].add(t)
	}
	return s, nil
}

// sum is the traffic of the methods that match.
func (s span) sum(match func(Method) bool) traffic {
	all := traffic{took: s.took}
	for _, m := range s.methods {
		if match(m) {
			all = all.add(s.calls[m.Method])
		}
	}
	return all
}

func (s span) bulkhead(name string) traffic {
	all := s.sum(func(m Method) bool { return m.Bulkhead == name })
	all.refused = find(s.after.Bulkheads, name).Refused.Full - find(s.before.Bulkheads, name).Refused.Full
	return all
}

func (s span) breaker(name string) traffic {
	return s.sum(func(m Method) bool { return m.Breaker == name })
}

func (s span) entry(method string) traffic {
	t := s.calls[method]
	t.took = s.took
	return t
}

// bulkheadAdvice proposes a size: what calls need at the same time, and two square
// roots of it for chance, but no more than calls hold until their timeouts.
func (s span) bulkheadAdvice(b Bulkhead) Advice {
	a, t := Advice{Section: "bulkheads", Name: b.Name}, s.bulkhead(b.Name)
	if a.Text = t.unfit(b.Name); a.Text != "" {
		return a
	}
	need, held, most := t.atOnce(), 0.0, 0
	for _, m := range s.methods {
		for _, r := range m.Reserves {
			if r.Bulkhead == b.Name {
				held += float64(r.Permits) * s.entry(m.Method).atOnce()
				most = max(most, r.Permits)
			}
		}
	}
	if held > 0 {
		used := float64(b.UsedFromReservation - find(s.before.Bulkheads, b.Name).UsedFromReservation)
		need = need*max(0, 1-used/float64(t.calls)) + held
	}
	size := max(int(math.Ceil(need+2*math.Sqrt(need))), most, 1)
	text := fmt.Sprintf("%s calls/s of %s need %s permits", figure(t.rate()), round(t.mean()), figure(t.atOnce()))
	if held > 0 {
		text += fmt.Sprintf(", with those that entries hold %s", figure(need))
	}
	text += fmt.Sprintf("; two square roots more for chance make %d", size)
	if ceiling, bounded := s.ceiling(b.Name, t); bounded && held == 0 && size > ceiling {
		size = ceiling
		text += fmt.Sprintf(", but more than %d are never in use, because that is what they hold until their timeout", ceiling)
	}
	if t.refused > 0 {
		text += fmt.Sprintf("; %d were refused", t.refused)
	}
	a.Text = text + fmt.Sprintf("; now %d", b.MaxConcurrentCalls)
	a.Settings = []Setting{{"maxConcurrentCalls", size}}
	return a
}

// ceiling is how many permits calls hold that all run into their timeouts. It is
// unknown where a call has none.
func (s span) ceiling(name string, t traffic) (permits int, known bool) {
	longest := time.Duration(0)
	for _, m := range s.methods {
		if m.Bulkhead != name {
			continue
		}
		limit := time.Duration(find(s.after.Timeouts, m.Timeout).Duration)
		if limit == 0 {
			return 0, false
		}
		longest = max(longest, limit)
	}
	return max(1, int(math.Ceil(t.rate()*longest.Seconds()))), true
}

// preloadAdvice compares what an entry reserves with what the calls under it need.
func (s span) preloadAdvice(m Method, r Reserves) (a Advice, say bool) {
	after, before := find(s.after.Entries, m.Method), find(s.before.Entries, m.Method)
	begun := after.Begun - before.Begun
	unused, overflow := float64(after.Unused-before.Unused)/float64(begun), float64(after.Overflow-before.Overflow)/float64(begun)
	n := r.Permits
	switch {
	case begun < enoughCalls || unused < .5 && overflow < .05:
		return a, false
	case overflow >= .05:
		n += max(1, int(math.Round(overflow)))
	default:
		n -= min(n-1, int(math.Round(unused)))
	}
	kind := "preload"
	if r.Lease {
		kind = "lease"
	}
	a = Advice{Name: m.Method, Text: fmt.Sprintf("of %d entries that reserve %d of %s each, %s permits were unused and %s calls found none, on average",
		begun, r.Permits, r.Bulkhead, figure(unused), figure(overflow))}
	if len(m.Reserves) == 1 && n != r.Permits {
		a.Text += fmt.Sprintf(": write %s=%s:%d", kind, r.Bulkhead, n)
	}
	return a, true
}

// breakerAdvice proposes how many calls to look at.
func (s span) breakerAdvice(b Breaker) Advice {
	a, t := Advice{Section: "breakers", Name: b.Name}, s.breaker(b.Name)
	if a.Text = t.unfit(b.Name); a.Text != "" {
		return a
	}
	rate, share := float64(t.calls)/t.took.Seconds(), float64(t.failures)/float64(t.calls)
	window := int(min(max(math.Ceil(rate*lookBack.Seconds()), 10), 1000))
	a.Text = fmt.Sprintf("%s calls/s, of which %s %% fail", figure(rate), figure(100*share))
	switch b.Strategy {
	case "STATIC_THRESHOLD":
		threshold := threshold(window, share, rate)
		if threshold > window/2 {
			a.Text += fmt.Sprintf(": STATIC_THRESHOLD would open by chance more than once a day, unless more than half of %d calls fail; "+
				"PACED_RATE_THRESHOLD is for servers that always fail some calls", window)
			return a
		}
		a.Text += fmt.Sprintf(": %d failures of the last %d come by chance less than once a day; a dead dependency makes them in %s",
			threshold, window, round(time.Duration(float64(threshold)/rate*float64(time.Second))))
		a.Settings = []Setting{{"strategy", b.Strategy}, {"failureThreshold", threshold}, {"failureThresholdCapacity", window}}
	case "CANARY_RATE_THRESHOLD":
		minimum := max(10, window/2)
		a.Text += fmt.Sprintf(": %d calls are those of %s, and half of them are enough to judge", window, round(time.Duration(float64(window)/rate*float64(time.Second))))
		a.Settings = []Setting{{"strategy", b.Strategy}, {"slidingWindowSize", window}, {"minimumNumberOfCalls", minimum}}
	default:
		a.Text += "; nothing to propose for " + b.Strategy
	}
	return a
}

// lookBack is the time whose calls a breaker should look at: long enough for a rate to
// mean something, and short enough to forget what is over.
const lookBack = 10 * time.Second

// threshold is the least number of failures in a window that comes less than once a day
// by chance, where a share of the calls fail independently of each other; never below
// the default of three.
func threshold(window int, share, rate float64) int {
	const day = 24 * 60 * 60
	tail := 1.0 // that at least n of the window fail
	for n := range window + 1 {
		if n >= 3 && tail*rate*day < 1 {
			return n
		}
		tail -= binomial(window, n, share)
	}
	return window + 1
}

// binomial is the probability that exactly k of n fail.
func binomial(n, k int, share float64) float64 {
	switch {
	case share == 0 && k == 0, share == 1 && k == n:
		return 1
	case share == 0 || share == 1:
		return 0
	}
	logs := func(n int) float64 {
		v, _ := math.Lgamma(float64(n) + 1)
		return v
	}
	return math.Exp(logs(n) - logs(k) - logs(n-k) + float64(k)*math.Log(share) + float64(n-k)*math.Log1p(-share))
}

// figure writes a number with three digits at most.
func figure(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// round writes a duration with three digits at most.
func round(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return words.Duration(d.Round(unit))
}

// Sections are the settings of a list of advice, by section and name.
func Sections(all []Advice) map[string][]Advice {
	sections := map[string][]Advice{}
	for _, a := range all {
		sections[a.Section] = append(sections[a.Section], a)
	}
	for _, of := range sections {
		slices.SortFunc(of, func(a, b Advice) int { return cmp.Compare(a.Name, b.Name) })
	}
	return sections
}
