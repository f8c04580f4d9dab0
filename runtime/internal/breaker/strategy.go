package breaker

import (
	"iter"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Strategies are the rules a breaker can be set to. The first is what a breaker
// gets that asks for none.
var Strategies = []Kind{
	{"STATIC_THRESHOLD", "opens at so many failures among the last outcomes", func() Settings { return new(Static) }},
	{"CONSECUTIVE_FAILURES", "opens at so many failures in a row", func() Settings { return new(Consecutive) }},
	{"CANARY_RATE_THRESHOLD", "opens at a rate of failed or slow calls, asks by probes before it trusts", func() Settings { return new(Canary) }},
	{"PACED_RATE_THRESHOLD", "opens at a rate over time, spaces its trials, for servers that always fail some calls", func() Settings { return new(Paced) }},
	{"NONE", "admits every call and counts nothing", func() Settings { return new(None) }},
}

// Kind is one strategy as people choose it.
type Kind struct {
	Name string
	Doc  string
	New  func() Settings // pointer to a struct of settings that package setting describes, still without values
}

// Settings are the values for one strategy. Its fields are settings in the
// sense of package setting.
type Settings interface {
	setting.Checker
	Strategy() Strategy
	Sharing() Fleet
	Dry() bool
	Trial() Settings
}

// Shadowed are settings that others are tried beside.
type Shadowed struct {
	Shadow Settings // nil: none are
}

// Trial returns the settings that are tried, or nil.
func (s *Shadowed) Trial() Settings { return s.Shadow }

// Shade sets the settings that are tried.
func (s *Shadowed) Shade(shadow any) { s.Shadow = shadow.(Settings) }

// Fleet are the settings of every strategy that are about other processes.
type Fleet struct {
	Shared             bool           `setting:"shared" default:"false" doc:"one breaker for all processes, through the adapter that sharedState sets up"`
	OutageThreshold    *float64       `setting:"outageThreshold" range:"(0,100]" doc:"if shared: percent of failed calls of all processes that begins an outage, in place of sharedState's"`
	MinimumErrors      *int           `setting:"minimumErrors" range:"[1,1000000000]" doc:"if shared: no outage before so many failures, in place of sharedState's"`
	MinimumVotes       *int           `setting:"minimumVotes" range:"[1,1000000]" doc:"if shared: processes that must have opened their own breakers, in place of sharedState's"`
	VoteShare          *float64       `setting:"voteShare" range:"(0,100]" doc:"if shared: percent of the processes that must have, in place of sharedState's"`
	SecondsBeforeRetry *time.Duration `setting:"secondsBeforeRetry" range:"[0s,8760h]" usual:"1h" doc:"if shared: time from the beginning of an outage, or failed trials, to the next trials, in place of sharedState's"`
}

// Sharing returns these settings.
func (f Fleet) Sharing() Fleet { return f }

// Check finds nothing: a strategy with rules of its own has its own Check.
func (Fleet) Check() []setting.Problem { return nil }

// Strategy decides when a breaker changes state. It is data and the judges it
// makes: all counting, permits and locking are the breaker's.
type Strategy interface {
	Name() string
	Initial() State                                // Closed or Open
	SlowAfter() (after time.Duration, judged bool) // a call that takes longer is slow, 0: no call is; and whether that can open the breaker
	Closed() Rules
	HalfOpen() Rules
	Open() Wait
}

// Rules say what one state counts and how it is judged.
type Rules struct {
	Window  Window
	Minimum int // figures of fewer calls have no rate; the success that reaches it in CLOSED is judged. At most Window.Calls.
	Trials  Trials
	Budget  Budget // of HALF_OPEN, where all processes make the trials together
	Judge   Judge  // nil: never decides
}

// Budget is how many trials end an outage of all processes: Good ones of Of.
type Budget struct{ Good, Of int }

// Window is which outcomes count: the last so many or those of the last while.
// The zero Window holds none.
type Window struct {
	Calls int
	Span  time.Duration
}

// Trials bound the calls that HALF_OPEN admits. A zero AtATime or Total is no
// bound.
type Trials struct {
	AtATime int           // may run at once
	Total   int           // may be counted in one stay, running ones included
	Apart   time.Duration // between the starts of two
	Longest time.Duration // with no permit left, HALF_OPEN ends when the newest trial began so long ago
}

// Wait says how OPEN ends.
type Wait struct {
	Delay   *time.Duration // time alone ends it after this; nil: never
	Probing *Probing       // a good probe ends it; nil: there are none
}

// Probing is how an OPEN breaker asks the dependency whether it is back. It is
// done by a worker that calls the probe, by a prober outside, or, where neither
// is there and no delay ends OPEN, by a few of the calls that come in.
type Probing struct {
	Interval time.Duration // pause between two ticks
	Probes   Ticks
	Timeout  time.Duration // of one probe
	Calls    Ticks         // where they serve as probes
	Longest  time.Duration // a call that serves as probe is given up after this
}

// Ticks are the times at which an OPEN breaker asks.
type Ticks struct {
	Size       int           // probes, or calls, in a tick, until one succeeds
	BackoffMax time.Duration // the pause doubles up to this while ticks fail; up to Interval: it stays
}

// Judge decides about a period. It is called under the breaker's lock, for
// outcomes in their order: in HALF_OPEN for each, in CLOSED for each failure
// and slow call, and for those successes that may decide. See [Rules].
type Judge interface {
	Judge(Evidence) Verdict
}

// Evidence is what a judge sees: one outcome and the window that ends with it.
// With the judge it fits into registers; over the stack a failure costs more.
type Evidence struct {
	Counts
	Failed bool   // the outcome
	Passed uint64 // successes before it that were not shown one by one
	period *Period
	now    Instant
}

// Window is what the window holds, oldest first, the outcome last.
func (e Evidence) Window() iter.Seq[Tally] { return e.period.window.all(e.now) }

// Verdict is a judge's decision. Without a reason it is none, and the breaker
// stays as it is.
type Verdict struct {
	To     State
	Reason string
}

// rule is a judge that needs no memory of its own.
type rule func(Counts) Verdict

func (r rule) Judge(e Evidence) Verdict { return r(e.Counts) }
