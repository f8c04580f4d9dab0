// Package retry decides whether a call is made again, and when.
//
// It is a rule and a budget, without a clock or a goroutine of its own. The rule is
// that of gRPC's retries (proposal A6) for delays and hints. The budget is fed by
// successes, as in the SDKs of AWS: where all calls fail, the load that retries add
// tends to nothing. See Brooker, "Fixing retries with token buckets and circuit
// breakers" (2022).
package retry

import (
	"fmt"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Settings are what a user tunes of retries.
type Settings struct {
	MaxAttempts  int            `setting:"maxAttempts" default:"2" range:"[1,10]" doc:"attempts of one call in all; 1 switches retrying off"`
	InitialDelay time.Duration  `setting:"initialDelay" default:"50ms" range:"[0s,1h]" usual:"10s" doc:"pause before the second attempt"`
	DelayFactor  float64        `setting:"delayFactor" default:"2" range:"[1,10]" doc:"each further pause is so much longer"`
	MaxDelay     time.Duration  `setting:"maxDelay" default:"1s" range:"[0s,8760h]" usual:"5m" doc:"longest pause; a hint of the dependency above it ends the retrying"`
	Jitter       float64        `setting:"jitter" default:"100" range:"[0,100]" doc:"percent of a pause that is left to chance"`
	MaxDuration  *time.Duration `setting:"maxDuration" range:"(0s,8760h]" usual:"1h" doc:"longest time of a call with all its attempts; unbounded when absent"`
	Budget       *string        `setting:"budget" doc:"name in budgets, for several that share one; without it the name of the retries"`
}

// BudgetOf is the name of the budget of the retries with that name.
func (s *Settings) BudgetOf(name string) string {
	if s.Budget != nil {
		return *s.Budget
	}
	return name
}

// Warn finds a first pause that is cut, or that leaves no time for what follows it.
func (s *Settings) Warn() (all []setting.Problem) {
	if s.InitialDelay > s.MaxDelay {
		all = append(all, setting.Problem{Field: "initialDelay", Other: "maxDelay", Message: fmt.Sprintf(
			"%s is above maxDelay (%s) and means that", setting.Format(s.InitialDelay), setting.Format(s.MaxDelay))})
	}
	if pause := min(s.InitialDelay, s.MaxDelay); s.MaxAttempts > 1 && s.MaxDuration != nil && *s.MaxDuration <= pause {
		all = append(all, setting.Problem{Field: "maxDuration", Other: "initialDelay", Message: fmt.Sprintf(
			"%s is over before a whole initialDelay (%s), so hardly any call is made again", setting.Format(*s.MaxDuration), setting.Format(s.InitialDelay))})
	}
	return all
}

// Delay is the pause before an attempt, the second or a later one, without hints.
// The part of it that is left to chance is cut by random, in [0, 1). It is never
// longer than maxDelay.
func (s *Settings) Delay(attempt int, random float64) time.Duration {
	base := float64(s.InitialDelay)
	for n := 2; n < attempt && base < float64(s.MaxDelay); n++ {
		base *= s.DelayFactor
	}
	base = min(base, float64(s.MaxDelay))
	return time.Duration(base - base*s.Jitter/100*random)
}

// BudgetSettings are what a user tunes of a budget.
type BudgetSettings struct {
	Percent float64 `setting:"percent" default:"10" range:"[0,100]" doc:"retries that are allowed for a hundred successes"`
	Burst   int     `setting:"burst" default:"10" range:"[0,1000000]" doc:"retries that are allowed on top, at the start and after good times; 0 with percent 0 forbids all"`
}

// Warn finds a budget without room for a single retry.
func (s *BudgetSettings) Warn() []setting.Problem {
	if s.Burst > 0 || s.Percent == 0 {
		return nil
	}
	return []setting.Problem{{Field: "burst", Other: "percent", Message: fmt.Sprintf(
		"0 leaves no room for what percent (%v) adds, so no call is made again; write at least 1", s.Percent)}}
}
