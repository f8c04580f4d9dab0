package breaker

import (
	"fmt"
	"time"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
)

// Consecutive are the settings of CONSECUTIVE_FAILURES.
type Consecutive struct {
	FailureThreshold    int           `setting:"failureThreshold" default:"5" range:"[1,1000000]" doc:"failures in a row that open it"`
	SuccessThreshold    int           `setting:"successThreshold" default:"1" range:"[1,1000000]" doc:"trials in all that HALF_OPEN admits; all good closes it, one failure opens it again"`
	TestDelay           time.Duration `setting:"testDelay" default:"20s" range:"[0s,8760h]" doc:"stay in OPEN; at this age a call moves it to HALF_OPEN"`
	MaxHalfOpenDuration time.Duration `setting:"maxHalfOpenDuration" default:"1m" range:"(0s,8760h]" doc:"HALF_OPEN with no permit left opens again when its newest trial is this old"`
	dryrun.Enforcement
	Fleet
	Shadowed
	keyed.Instances
}

// Strategy is CONSECUTIVE_FAILURES with these settings.
func (s *Consecutive) Strategy() Strategy {
	fixed := *s
	return consecutive{&fixed}
}

type consecutive struct{ *Consecutive }

func (s consecutive) Name() string                                  { return "CONSECUTIVE_FAILURES" }
func (s consecutive) Initial() State                                { return Closed }
func (s consecutive) SlowAfter() (after time.Duration, judged bool) { return 0, false }
func (s consecutive) Open() Wait                                    { return Wait{Delay: &s.TestDelay} }

// Closed looks at as many outcomes as may fail in a row, so they are in a row
// when all of them failed.
func (s consecutive) Closed() Rules {
	return Rules{Window: Window{Calls: s.FailureThreshold}, Judge: rule(func(c Counts) Verdict {
		if c.Failures < uint64(s.FailureThreshold) {
			return Verdict{}
		}
		return Verdict{Open, fmt.Sprintf("%s in a row failed", words.Count(c.Failures, "call"))}
	})}
}

func (s consecutive) HalfOpen() Rules {
	return Rules{
		Window: Window{Calls: s.SuccessThreshold},
		Budget: Budget{Good: s.SuccessThreshold, Of: s.SuccessThreshold},
		Trials: Trials{Total: s.SuccessThreshold, Longest: s.MaxHalfOpenDuration},
		Judge:  rule(s.judgeTrials),
	}
}

func (s consecutive) judgeTrials(c Counts) Verdict {
	switch {
	case c.Failures > 0:
		return Verdict{Open, fmt.Sprintf("trial %d of %d failed", c.Calls, s.SuccessThreshold)}
	case c.Calls >= uint64(s.SuccessThreshold):
		return Verdict{Closed, words.Count(c.Calls, "trial") + " succeeded"}
	}
	return Verdict{}
}
