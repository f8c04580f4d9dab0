package breaker

import (
	"fmt"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Static are the settings of STATIC_THRESHOLD.
type Static struct {
	FailureThreshold         int           `setting:"failureThreshold" default:"3" range:"[1,1000000]" doc:"failures among the last failureThresholdCapacity outcomes that open it"`
	FailureThresholdCapacity int           `setting:"failureThresholdCapacity" default:"10" range:"[1,10000]" beyond:"CANARY_RATE_THRESHOLD looks at up to 1000000, its slidingWindowSize" doc:"outcomes that are looked at; fewer are enough to open it"`
	SuccessThreshold         int           `setting:"successThreshold" default:"5" range:"[1,1000000]" doc:"successes in HALF_OPEN that close it"`
	SuccessThresholdCapacity int           `setting:"successThresholdCapacity" default:"=successThreshold" range:"[1,10000]" beyond:"CANARY_RATE_THRESHOLD admits up to 1000000, its permittedNumberOfCallsInHalfOpenState" doc:"trials at a time in HALF_OPEN; more failures than this less successThreshold open it again"`
	TestDelay                time.Duration `setting:"testDelay" default:"20s" range:"[0s,8760h]" doc:"stay in OPEN; at this age a call moves it to HALF_OPEN"`
	MaxHalfOpenDuration      time.Duration `setting:"maxHalfOpenDuration" default:"1m" range:"(0s,8760h]" doc:"HALF_OPEN with no permit left opens again when its newest trial is this old"`
	dryrun.Enforcement
	Fleet
	Shadowed
	keyed.Instances
}

// maxWindow is how many outcomes the engine can replay in a millisecond, which it
// does under the breaker's lock.
const maxWindow = 10_000

// Check finds capacities that can't hold their threshold.
func (s *Static) Check() (problems []setting.Problem) {
	below := func(field string, value int, other string, least int) {
		if value < least {
			problems = append(problems, setting.Problem{
				Field: field, Other: other, Message: fmt.Sprintf("%d is below %s (%d)", value, other, least),
			})
		}
	}
	below("failureThresholdCapacity", s.FailureThresholdCapacity, "failureThreshold", s.FailureThreshold)
	below("successThresholdCapacity", s.SuccessThresholdCapacity, "successThreshold", s.SuccessThreshold)
	if s.SuccessThreshold > maxWindow {
		problems = append(problems, setting.Problem{
			Field: "successThreshold", Message: fmt.Sprintf("%d is above %d, the largest successThresholdCapacity", s.SuccessThreshold, maxWindow),
		})
	}
	return problems
}

// Strategy is STATIC_THRESHOLD with these settings.
func (s *Static) Strategy() Strategy {
	fixed := *s
	return static{&fixed}
}

type static struct{ *Static }

func (s static) Name() string                                  { return "STATIC_THRESHOLD" }
func (s static) Initial() State                                { return Closed }
func (s static) SlowAfter() (after time.Duration, judged bool) { return 0, false }
func (s static) Open() Wait                                    { return Wait{Delay: &s.TestDelay} }

// OpensAt is the percent of failed calls that opens it once it has looked at a full
// window.
func (s static) OpensAt() float64 {
	return 100 * float64(s.FailureThreshold) / float64(s.FailureThresholdCapacity)
}

func (s static) Closed() Rules {
	return Rules{
		Window: Window{Calls: s.FailureThresholdCapacity},
		Judge:  &engine{settings: s.Static, keeps: s.FailureThresholdCapacity},
	}
}

func (s static) HalfOpen() Rules {
	return Rules{
		Window: Window{Calls: s.SuccessThresholdCapacity},
		Budget: Budget{Good: s.SuccessThreshold, Of: s.SuccessThresholdCapacity},
		Trials: Trials{AtATime: s.SuccessThresholdCapacity, Longest: s.MaxHalfOpenDuration},
		Judge:  &engine{settings: s.Static, keeps: s.SuccessThresholdCapacity, halfOpen: true},
	}
}

// engine judges one period with failsafe-go's circuit breaker. It lives as long as
// the period, so it never sees a result of another one. Only its state is used:
// permits, delays and events are the breaker's own.
type engine struct {
	settings *Static
	keeps    int // outcomes that can matter
	halfOpen bool
	breaker  circuitbreaker.CircuitBreaker[any] // made for the first outcome
	decided  bool                               // it has left its first state
}

// Judge hands the outcome to the engine. After a change of settings a new engine
// gets everything that the window holds. Because nothing drops out of its window on
// the way, it leaves its first state exactly if it would on the last outcome.
func (e *engine) Judge(evidence Evidence) Verdict {
	failed := uint64(0)
	if evidence.Failed {
		failed = 1
	}
	switch {
	case e.breaker == nil:
		e.breaker = e.build()
		for t := range evidence.Window() {
			e.record(t.Failures, t.Calls-t.Failures)
		}
	case evidence.Passed >= uint64(e.keeps):
		e.breaker = e.build() // so many successes have pushed out all that the old one holds
		e.record(failed, 1-failed)
	default:
		e.record(0, evidence.Passed)
		e.record(failed, 1-failed)
	}
	return e.verdict(evidence.Counts)
}

func (e *engine) build() circuitbreaker.CircuitBreaker[any] {
	s := e.settings
	breaker := circuitbreaker.NewBuilder[any]().
		WithFailureThresholdRatio(uint(s.FailureThreshold), uint(s.FailureThresholdCapacity)).
		WithSuccessThresholdRatio(uint(s.SuccessThreshold), uint(s.SuccessThresholdCapacity)).
		Build()
	if e.halfOpen {
		breaker.HalfOpen()
	}
	return breaker
}

// record stops where the engine leaves its first state, because the engine would
// count the rest in its next state. Asking for the state takes the engine's lock,
// so it is not asked after a success in CLOSED, which never ends that state.
func (e *engine) record(failures, successes uint64) {
	for ; successes > 0 && !e.decided; successes-- {
		e.breaker.RecordSuccess()
		e.decided = e.halfOpen && !e.breaker.IsHalfOpen()
	}
	for ; failures > 0 && !e.decided; failures-- {
		e.breaker.RecordFailure()
		e.decided = e.breaker.IsOpen()
	}
}

func (e *engine) verdict(c Counts) Verdict {
	switch {
	case !e.decided:
		return Verdict{}
	case e.breaker.IsClosed():
		return Verdict{Closed, fmt.Sprintf("%d of %s succeeded", c.Calls-c.Failures, words.Count(c.Calls, "trial"))}
	case e.halfOpen:
		return Verdict{Open, fmt.Sprintf("%d of %s failed", c.Failures, words.Count(c.Calls, "trial"))}
	default:
		return Verdict{Open, fmt.Sprintf("%d of the last %s failed", c.Failures, words.Count(c.Calls, "call"))}
	}
}
