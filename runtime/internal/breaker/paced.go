package breaker

import (
	"fmt"
	"time"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
)

// Paced are the settings of PACED_RATE_THRESHOLD.
type Paced struct {
	FailureRateThreshold                  float64       `setting:"failureRateThreshold" default:"50" range:"(0,100]" doc:"percent of failed calls; at or above it opens"`
	SlidingWindowDuration                 time.Duration `setting:"slidingWindowDuration" default:"20s" range:"[1ms,8760h]" usual:"10m" doc:"calls that ended in this last while count"`
	MinimumNumberOfCalls                  int           `setting:"minimumNumberOfCalls" default:"10" range:"[1,1000000]" doc:"no judgement before so many outcomes in the window"`
	TestDelay                             time.Duration `setting:"testDelay" default:"3s" range:"[0s,8760h]" doc:"stay in OPEN, and time between the starts of two trials in HALF_OPEN"`
	PermittedNumberOfCallsInHalfOpenState int           `setting:"permittedNumberOfCallsInHalfOpenState" default:"10" range:"[1,1000000]" doc:"trials in all that HALF_OPEN admits, one at a time"`
	SuccessRateThreshold                  float64       `setting:"successRateThreshold" default:"70" range:"(0,100]" doc:"percent of good trials; at or above it closes, as soon as that is certain"`
	MaxHalfOpenDuration                   time.Duration `setting:"maxHalfOpenDuration" default:"1m" range:"(0s,8760h]" doc:"HALF_OPEN with no permit left opens again when its newest trial is this old"`
	dryrun.Enforcement
	Fleet
	Shadowed
	keyed.Instances
}

// Strategy is PACED_RATE_THRESHOLD with these settings.
func (s *Paced) Strategy() Strategy {
	fixed := *s
	return paced{&fixed}
}

type paced struct{ *Paced }

func (s paced) Name() string                                  { return "PACED_RATE_THRESHOLD" }
func (s paced) Initial() State                                { return Closed }
func (s paced) SlowAfter() (after time.Duration, judged bool) { return 0, false }
func (s paced) Open() Wait                                    { return Wait{Delay: &s.TestDelay} }

// OpensAt is the percent of failed calls that opens it.
func (s paced) OpensAt() float64 { return s.FailureRateThreshold }

func (s paced) Closed() Rules {
	return Rules{
		Window:  Window{Span: s.SlidingWindowDuration},
		Minimum: s.MinimumNumberOfCalls,
		Judge: rule(func(c Counts) Verdict {
			rate := percent(c.Failures, c.Calls)
			if c.Calls < uint64(s.MinimumNumberOfCalls) || rate < s.FailureRateThreshold {
				return Verdict{}
			}
			return Verdict{Open, reached("failure", rate, c.Calls, s.FailureRateThreshold)}
		}),
	}
}

func (s paced) HalfOpen() Rules {
	return Rules{
		Window: Window{Calls: s.PermittedNumberOfCallsInHalfOpenState},
		Budget: s.budget(),
		Trials: Trials{
			AtATime: 1, Total: s.PermittedNumberOfCallsInHalfOpenState,
			Apart: s.TestDelay, Longest: s.MaxHalfOpenDuration,
		},
		Judge: rule(s.judgeTrials),
	}
}

func (s paced) budget() Budget {
	total := s.PermittedNumberOfCallsInHalfOpenState
	good := 1
	for good < total && percent(uint64(good), uint64(total)) < s.SuccessRateThreshold {
		good++
	}
	return Budget{Good: good, Of: total}
}

// judgeTrials decides once the trials still to come can't change the decision.
func (s paced) judgeTrials(c Counts) Verdict {
	total := uint64(s.PermittedNumberOfCallsInHalfOpenState)
	switch succeeded := c.Calls - c.Failures; {
	case percent(succeeded, total) >= s.SuccessRateThreshold:
		return Verdict{Closed, fmt.Sprintf("%d of %s succeeded, %v %% of %d are enough", succeeded, words.Count(c.Calls, "trial"), s.SuccessRateThreshold, total)}
	case percent(total-c.Failures, total) < s.SuccessRateThreshold:
		return Verdict{Open, fmt.Sprintf("%d of %s failed, %v %% of %d can't be reached", c.Failures, words.Count(c.Calls, "trial"), s.SuccessRateThreshold, total)}
	}
	return Verdict{}
}
