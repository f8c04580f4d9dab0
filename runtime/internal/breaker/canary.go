package breaker

import (
	"fmt"
	"time"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Canary are the settings of CANARY_RATE_THRESHOLD.
type Canary struct {
	FailureRateThreshold                  float64        `setting:"failureRateThreshold" default:"21" range:"(0,100]" doc:"percent of failed calls; at or above it opens"`
	MinimumNumberOfCalls                  int            `setting:"minimumNumberOfCalls" default:"50" range:"[1,1000000]" doc:"no judgement before so many outcomes in the window; above a window of calls it means the window"`
	PermittedNumberOfCallsInHalfOpenState int            `setting:"permittedNumberOfCallsInHalfOpenState" default:"10" range:"[1,1000000]" doc:"trials in all that HALF_OPEN admits"`
	SlidingWindowType                     string         `setting:"slidingWindowType" default:"COUNT_BASED" oneof:"COUNT_BASED,TIME_BASED" doc:"whether slidingWindowSize means calls or seconds"`
	SlidingWindowSize                     int            `setting:"slidingWindowSize" default:"100" range:"[1,1000000]" doc:"the last calls, or the seconds, that count"`
	SlowCallDurationThreshold             *time.Duration `setting:"slowCallDurationThreshold" range:"[1ms,8760h]" usual:"30s" doc:"a call that takes longer is slow"`
	SlowCallRateThreshold                 *float64       `setting:"slowCallRateThreshold" range:"(0,100]" doc:"percent of slow calls; at or above it opens"`
	InitialState                          string         `setting:"initialState" default:"OPEN" oneof:"OPEN,CLOSED" doc:"state of a new process: OPEN lets nobody meet a dead dependency first"`
	WaitDurationInOpenState               *time.Duration `setting:"waitDurationInOpenState" range:"[1ms,8760h]" doc:"time alone ends OPEN after this; without it only a good probe does, or a good call let through in place of one"`
	ProbeInterval                         time.Duration  `setting:"probeInterval" default:"1s" range:"[1ms,8760h]" usual:"1m" doc:"pause between ticks of probes while OPEN, ten percent less or more, and of calls in their place"`
	ProbesPerTick                         *int           `setting:"probesPerTick" range:"[1,1000]" doc:"probes in a tick, or calls in their place, until one succeeds; without it 3 probes, but 1 call"`
	ProbeTimeout                          time.Duration  `setting:"probeTimeout" default:"1s" range:"[1ms,8760h]" usual:"30s" doc:"a probe that takes so long has failed"`
	ProbeBackoffMax                       time.Duration  `setting:"probeBackoffMax" default:"=probeInterval" range:"[1ms,8760h]" doc:"the pause doubles up to this while probes fail; at the default, that of calls in their place doubles up to 30s"`
	MaxHalfOpenDuration                   time.Duration  `setting:"maxHalfOpenDuration" default:"1m" range:"(0s,8760h]" doc:"HALF_OPEN with no permit left opens again when its newest trial is this old; a call in place of a probe is given up after it"`
	dryrun.Enforcement
	Fleet
	Shadowed
	keyed.Instances
}

// Check finds settings that would never have an effect.
func (s *Canary) Check() (problems []setting.Problem) {
	if s.ProbeBackoffMax < s.ProbeInterval {
		problems = append(problems, setting.Problem{
			Field: "probeBackoffMax", Other: "probeInterval",
			Message: fmt.Sprintf("%v is below probeInterval (%v)", s.ProbeBackoffMax, s.ProbeInterval),
		})
	}
	if s.SlowCallRateThreshold != nil && s.SlowCallDurationThreshold == nil {
		problems = append(problems, setting.Problem{
			Field: "slowCallRateThreshold", Other: "slowCallDurationThreshold",
			Message: fmt.Sprintf("%v needs slowCallDurationThreshold, which says when a call is slow", *s.SlowCallRateThreshold),
		})
	}
	return problems
}

// longestUsual is a window of seconds above which its size was probably meant in
// milliseconds.
const longestUsual = 3600

// Warn finds a minimum that the window can't hold, and a window of a length that
// was probably meant in another unit.
func (s *Canary) Warn() (problems []setting.Problem) {
	if s.timed() && s.SlidingWindowSize > longestUsual {
		problems = append(problems, setting.Problem{
			Field: "slidingWindowSize", Other: "slidingWindowType",
			Message: fmt.Sprintf("%d means %s, because a TIME_BASED window is of seconds; if milliseconds were meant, write %d",
				s.SlidingWindowSize, setting.Format(time.Duration(s.SlidingWindowSize)*time.Second), max(1, s.SlidingWindowSize/1000)),
		})
	}
	if !s.timed() && s.MinimumNumberOfCalls > s.SlidingWindowSize {
		problems = append(problems, setting.Problem{
			Field: "minimumNumberOfCalls", Other: "slidingWindowSize",
			Message: fmt.Sprintf("%d is above slidingWindowSize (%d) and means %[2]d", s.MinimumNumberOfCalls, s.SlidingWindowSize),
		})
	}
	return problems
}

func (s *Canary) timed() bool { return s.SlidingWindowType == "TIME_BASED" }

// Strategy is CANARY_RATE_THRESHOLD with these settings.
func (s *Canary) Strategy() Strategy {
	fixed := *s
	return canaryRate{&fixed}
}

type canaryRate struct{ *Canary }

func (s canaryRate) Name() string { return "CANARY_RATE_THRESHOLD" }

func (s canaryRate) Initial() State {
	if s.InitialState == "OPEN" {
		return Open
	}
	return Closed
}

func (s canaryRate) SlowAfter() (after time.Duration, judged bool) {
	if s.SlowCallDurationThreshold == nil {
		return 0, false
	}
	return *s.SlowCallDurationThreshold, s.SlowCallRateThreshold != nil
}

// OpensAt is the percent of failed calls that opens it.
func (s canaryRate) OpensAt() float64 { return s.FailureRateThreshold }

func (s canaryRate) Closed() Rules {
	rules := Rules{Window: Window{Calls: s.SlidingWindowSize}, Minimum: min(s.MinimumNumberOfCalls, s.SlidingWindowSize)}
	if s.timed() {
		rules = Rules{
			Window:  Window{Span: time.Duration(s.SlidingWindowSize) * time.Second},
			Minimum: s.MinimumNumberOfCalls,
		}
	}
	rules.Judge = s.judge(rules.Minimum, Verdict{})
	return rules
}

func (s canaryRate) HalfOpen() Rules {
	minimum := min(s.MinimumNumberOfCalls, s.PermittedNumberOfCallsInHalfOpenState)
	return Rules{
		Window:  Window{Calls: s.PermittedNumberOfCallsInHalfOpenState},
		Minimum: minimum,
		Budget:  Budget{Good: minimum - tolerated(minimum, s.FailureRateThreshold), Of: minimum},
		Trials:  Trials{Total: s.PermittedNumberOfCallsInHalfOpenState, Longest: s.MaxHalfOpenDuration},
		Judge:   s.judge(minimum, Verdict{Closed, fmt.Sprintf("failure rate of %s stayed below %v %%", words.Count(minimum, "trial"), s.FailureRateThreshold)}),
	}
}

// judge opens the breaker at the thresholds. Below them it gives the other verdict,
// once there are as many calls as the minimum.
func (s canaryRate) judge(minimum int, below Verdict) Judge {
	return rule(func(c Counts) Verdict {
		if c.Calls < uint64(minimum) {
			return Verdict{}
		}
		if rate := percent(c.Failures, c.Calls); rate >= s.FailureRateThreshold {
			return Verdict{Open, reached("failure", rate, c.Calls, s.FailureRateThreshold)}
		}
		if s.SlowCallRateThreshold == nil {
			return below
		}
		if rate := percent(c.Slow, c.Calls); rate >= *s.SlowCallRateThreshold {
			return Verdict{Open, reached("slow call", rate, c.Calls, *s.SlowCallRateThreshold)}
		}
		return below
	})
}

// tolerated is how many of n may fail below the threshold.
func tolerated(n int, threshold float64) (failures int) {
	for failures < n && percent(uint64(failures+1), uint64(n)) < threshold {
		failures++
	}
	return failures
}

func reached(what string, rate float64, counted uint64, threshold float64) string {
	return fmt.Sprintf("%s rate %.4g %% of %s reached %v %%", what, rate, words.Count(counted, "call"), threshold)
}

func (s canaryRate) Open() Wait {
	probing := Probing{
		Interval: s.ProbeInterval, Probes: Ticks{3, s.ProbeBackoffMax}, Timeout: s.ProbeTimeout,
		Calls: Ticks{1, s.callBackoffMax()}, Longest: s.MaxHalfOpenDuration,
	}
	if s.ProbesPerTick != nil {
		probing.Probes.Size, probing.Calls.Size = *s.ProbesPerTick, *s.ProbesPerTick
	}
	return Wait{Delay: s.WaitDurationInOpenState, Probing: &probing}
}

// callBackoffMax is longer than the default of probes, because a probe that fails
// costs nothing, and a call that fails has a caller.
func (s canaryRate) callBackoffMax() time.Duration {
	if s.ProbeBackoffMax > s.ProbeInterval {
		return s.ProbeBackoffMax
	}
	return max(s.ProbeInterval, 30*time.Second)
}
