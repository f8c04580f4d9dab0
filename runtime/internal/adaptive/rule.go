// Package adaptive decides how many calls a dependency can bear at once.
//
// Its rule needs a duration that does not depend on how the dependency is right
// now: the target, which is a share of the timeout of the calls. Rules that learn
// their reference from the calls themselves (Vegas, Gradient2, the limiter of
// failsafe-go) take the answers of an overloaded dependency for normal ones, and
// keep the overload up. The model in internal/overload compares them.
//
// A [Meter] collects durations while calls run and closes a window about once a
// second; a [Rule] makes the next limit of it. Rule is a value without a clock, so
// that its table is its test. To resize anything is left to the bulkhead.
package adaptive

import (
	"math"
	"time"
)

// Bounds are what a limit moves between, and the duration that nine calls of ten
// should take at most.
type Bounds struct {
	Floor, Ceiling int
	Target         time.Duration
}

// Window is what the calls of about a second say.
type Window struct {
	P90    time.Duration // of the calls that succeeded or were cut off by a deadline
	Late   bool          // more than one of a hundred of them was cut off
	Full   bool          // somebody was refused or waited, or no permit was left
	Unwell bool          // failures, or a breaker, say that the dependency has other troubles
}

// Reason is why a limit changed.
type Reason uint8

// The reasons.
const (
	Unchanged Reason = iota
	Late             // calls were cut off by their deadlines
	Slow             // the 90th percentile is above the target
	InVain           // half the limit did not make calls faster, so it is taken back
	Room             // all permits were in use, and calls are fast enough
	Bounded          // the bounds have changed
)

// String is the reason in words.
func (r Reason) String() string {
	return [...]string{
		Unchanged: "",
		Late:      "calls outlive their deadlines",
		Slow:      "calls take longer than the target",
		InVain:    "calls are slow by nature, not by load",
		Room:      "all permits are used, and calls are fast enough",
		Bounded:   "its bounds have changed",
	}[r]
}

// The constants of the rule. They were found in the model.
const (
	mostShrink  = .70
	leastShrink = .95
	helped      = .9 // a series that shrinks to half has to make the percentile this much lower
	pauses      = 60 // windows for which slow calls shrink nothing after a series in vain
)

// Rule is a limit with what the rule remembers of windows before. It is a value:
// [Rule.Next] makes a new one.
type Rule struct {
	limit float64
	first struct { // of a series of windows that shrink; limit 0: there is none
		limit float64
		p90   time.Duration
	}
	pause int
}

// Start is the rule at a limit.
func Start(limit int) Rule { return Rule{limit: float64(limit)} }

// Limit is the number of calls that may run.
func (r Rule) Limit() int { return int(r.limit) }

// Next is the rule after one more window.
func (r Rule) Next(w Window, b Bounds) (next Rule, why Reason) {
	inPause := r.pause > 0
	r.pause = max(0, r.pause-1)
	if w.P90 <= b.Target {
		r.first.limit = 0
	}
	switch {
	case w.Late:
		r.limit *= shrink(w, b)
		r.first.limit, r.pause = 0, 0
		why = Late
	case w.P90 > b.Target && !inPause:
		why = r.slow(w, b)
	case w.Full && !w.Unwell:
		r.limit += max(1, math.Sqrt(r.limit)/2)
		why = Room
	}
	return r.Within(b), why
}

// slow shrinks the limit, and takes that back where half of the limit has not
// helped: then load is not why calls are slow.
func (r *Rule) slow(w Window, b Bounds) Reason {
	if r.first.limit == 0 {
		r.first.limit, r.first.p90 = r.limit, w.P90
	}
	r.limit *= shrink(w, b)
	if r.limit > r.first.limit/2 && r.limit > float64(b.Floor) {
		return Slow
	}
	before := r.first
	r.first.limit = 0
	if float64(w.P90) <= helped*float64(before.p90) {
		return Slow
	}
	r.limit, r.pause = before.limit, pauses
	return InVain
}

// shrink is by how much calls that take too long shrink the limit.
func shrink(w Window, b Bounds) float64 {
	return min(max(float64(b.Target)/float64(w.P90), mostShrink), leastShrink)
}

// Within is the rule with its limit in the bounds.
func (r Rule) Within(b Bounds) Rule {
	r.limit = min(max(r.limit, float64(b.Floor)), float64(b.Ceiling))
	return r
}
