package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
	"github.com/resgen-go/resgen/runtime/internal/retry"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Use is how one method uses the settings.
type Use struct {
	Method   string // such as "Payments.Charge"
	Breaker  string // empty: none
	Bulkhead string // likewise
	Timeout  string // likewise
	Retry    string // likewise
	Rate     string // likewise; of a rate limit
	Fallback string // likewise
	Probe    bool   // the method is the breaker's probe, and nothing guards it
}

// breakerUse is all uses of one breaker.
type breakerUse struct {
	called, probed bool
	bounded        bool // every call has a timeout
	slowest        Use  // the call with the longest timeout
	limit          time.Duration
}

// Misfits are settings of breakers that don't fit how methods use the breakers.
func (f *File) Misfits(uses []Use) Faults {
	var all Faults
	for name, use := range f.breakerUses(uses) {
		_, settings := f.breaker(name)
		strategy := settings.Strategy()
		warn := func(field, format string, args ...any) {
			all = append(all, f.about(Breakers, name, field, fmt.Sprintf(format, args...)))
		}
		if longest := strategy.HalfOpen().Trials.Longest; longest > 0 && use.limit > longest {
			warn("maxHalfOpenDuration", "%s is below the %s that timeouts.%s gives %s, so its trials are waited for that long and a tenth more",
				setting.Format(longest), setting.Format(use.limit), use.slowest.Timeout, use.slowest.Method)
		}
		if slow, _ := strategy.SlowAfter(); use.called && use.bounded && slow >= use.limit {
			warn("slowCallDurationThreshold", "%s is not below any timeout of its calls, the longest of which is %s, of %s: they fail before they are slow",
				setting.Format(slow), setting.Format(use.limit), use.slowest.Method)
		}
		if use.probed && strategy.Open().Probing == nil {
			warn("", "%s never asks the probe that the breaker has; CANARY_RATE_THRESHOLD does", strategy.Name())
		}
	}
	return slices.Concat(all, f.retryMisfits(uses), f.rateMisfits(uses), f.fallbackMisfits(uses)).settle()
}

// rateMisfits are rate limits that let more calls begin at once than the bulkhead
// behind them runs, which refuses the rest.
func (f *File) rateMisfits(uses []Use) (all Faults) {
	told := map[[2]string]bool{}
	for _, use := range uses {
		if use.Rate == "" || use.Bulkhead == "" || told[[2]string{use.Rate, use.Bulkhead}] {
			continue
		}
		told[[2]string{use.Rate, use.Bulkhead}] = true
		limit := f.InForce(RateLimits, use.Rate).(*ratelimit.Settings)
		pool, fixed := f.InForce(Bulkheads, use.Bulkhead).(*bulkhead.Settings)
		if limit.Limit != nil && fixed && pool.MaxWaitDuration == 0 && limit.Burst > pool.MaxConcurrentCalls {
			all = append(all, f.about(RateLimits, use.Rate, "burst", fmt.Sprintf(
				"%d is above bulkheads.%s.maxConcurrentCalls (%d), whose maxWaitDuration is 0s: of a burst of %s it refuses the rest",
				limit.Burst, use.Bulkhead, pool.MaxConcurrentCalls, use.Method)))
		}
	}
	return all
}

// retryMisfits are settings of retries that don't fit the other guards of their
// methods.
func (f *File) retryMisfits(uses []Use) (all Faults) {
	told := map[string]bool{}
	for _, use := range uses {
		if use.Retry == "" {
			continue
		}
		s := f.InForce(Retries, use.Retry).(*retry.Settings)
		warn := func(field, format string, args ...any) {
			if text := fmt.Sprintf(format, args...); !told[use.Retry+field+text] {
				told[use.Retry+field+text] = true
				all = append(all, f.about(Retries, use.Retry, field, text))
			}
		}
		if name := s.Budget; name != nil && !f.Has(Budgets, *name) {
			warn("budget", "%s is not in budgets, so it has the defaults%s", quote(*name), meantBudget(*name, f.Names(Budgets)))
		}
		if limit := f.limit(use.Timeout); s.MaxDuration != nil && limit > 0 && *s.MaxDuration <= limit {
			warn("maxDuration", "%s leaves no time for an attempt after one that timeouts.%s (%s) has ended", setting.Format(*s.MaxDuration), use.Timeout, setting.Format(limit))
		}
		if use.Breaker == "" || s.MaxAttempts == 1 {
			continue
		}
		if field, n := opensAfter(f.InForce(Breakers, use.Breaker)); n > 0 && s.MaxAttempts >= n {
			warn("maxAttempts", "%d reaches breakers.%s.%s (%d): one call of %s can open it", s.MaxAttempts, use.Breaker, field, n, use.Method)
		}
	}
	return all
}

// fallbackMisfits are settings of fallbacks that don't fit the timeouts of their
// methods.
func (f *File) fallbackMisfits(uses []Use) (all Faults) {
	for _, use := range uses {
		if use.Fallback != "" && f.InForce(Fallbacks, use.Fallback).(*Fallback).On == "TIMEOUTS" && !f.bounds(use) {
			all = append(all, f.about(Fallbacks, use.Fallback, "on", "TIMEOUTS, but no timeout bounds "+use.Method+
				", so it falls back only where something under it outlives one"))
		}
	}
	return all
}

// bounds reports whether a call of the method ends by the settings.
func (f *File) bounds(use Use) bool {
	return f.limit(use.Timeout) > 0 || use.Retry != "" && f.InForce(Retries, use.Retry).(*retry.Settings).MaxDuration != nil
}

func meantBudget(name string, known []string) string {
	if meant, ok := near(name, known); ok {
		return "; did you mean " + meant + "?"
	}
	return ""
}

// opensAfter is after how many failures alone a breaker opens, with the setting that
// says so; 0: never.
func opensAfter(settings any) (field string, failures int) {
	switch s := settings.(type) {
	case *breaker.Static:
		return "failureThreshold", s.FailureThreshold
	case *breaker.Consecutive:
		return "failureThreshold", s.FailureThreshold
	case *breaker.Canary:
		if s.SlidingWindowType == "COUNT_BASED" && s.SlidingWindowSize < s.MinimumNumberOfCalls {
			return "slidingWindowSize", s.SlidingWindowSize
		}
		return "minimumNumberOfCalls", s.MinimumNumberOfCalls
	case *breaker.Paced:
		return "minimumNumberOfCalls", s.MinimumNumberOfCalls
	}
	return "", 0
}

// Unprobed are breakers whose strategy asks for a probe that they don't have, so
// that calls serve in its place.
func (f *File) Unprobed(uses []Use) Faults {
	var all Faults
	for name, use := range f.breakerUses(uses) {
		_, settings := f.breaker(name)
		if wait := settings.Strategy().Open(); use.called && !use.probed && wait.Probing != nil && wait.Delay == nil {
			strategy, _ := f.breaker(name)
			all = append(all, f.about(Breakers, name, "", strategy+" has no probe, so while the breaker is OPEN some calls serve in its place, and fail with the dependency; "+
				"mark a cheap method with //resilience:probe, report through ExternalProbe, or set waitDurationInOpenState"))
		}
	}
	return all.settle()
}

// Shortest is the shortest timeout of the uses, and 0 if none has one.
func (f *File) Shortest(uses []Use) (shortest time.Duration) {
	for _, u := range uses {
		if limit := f.limit(u.Timeout); limit > 0 && (shortest == 0 || limit < shortest) {
			shortest = limit
		}
	}
	return shortest
}

// Untargeted are the bulkheads whose size is to follow what calls take, though
// nothing says what they may take.
func (f *File) Untargeted(uses []Use) Faults {
	byName := map[string][]Use{}
	for _, u := range uses {
		if u.Bulkhead != "" {
			byName[u.Bulkhead] = append(byName[u.Bulkhead], u)
		}
	}
	var all Faults
	for name, uses := range byName {
		sizing := f.InForce(Bulkheads, name).(bulkhead.Sizing)
		if !bulkhead.Targeted(sizing, bulkhead.Calls{Timeout: f.Shortest(uses)}) {
			all = append(all, f.about(Bulkheads, name, "targetLatency", "must be set, no timeout bounds its calls"))
		}
	}
	return all.settle()
}

func (f *File) breakerUses(uses []Use) map[string]*breakerUse {
	all := map[string]*breakerUse{}
	for _, u := range uses {
		if u.Breaker == "" {
			continue
		}
		if all[u.Breaker] == nil {
			all[u.Breaker] = &breakerUse{bounded: true}
		}
		all[u.Breaker].add(u, f.limit(u.Timeout))
	}
	return all
}

// limit is that of a timeout, and 0 without one.
func (f *File) limit(timeout string) time.Duration {
	if timeout == "" {
		return 0
	}
	return f.InForce(Timeouts, timeout).(*Timeout).Limit()
}

func (b *breakerUse) add(u Use, limit time.Duration) {
	if u.Probe {
		b.probed = true
		return
	}
	b.called = true
	b.bounded = b.bounded && limit > 0
	if limit > b.limit || limit == b.limit && u.Method < b.slowest.Method {
		b.slowest, b.limit = u, limit
	}
}

// about is a fault of a name, at its place if the file has it.
func (f *File) about(section, name, field, message string) Fault {
	fault := Fault{File: f.name, Path: join(section, name), Message: message}
	if f.Has(section, name) {
		e := f.sections[section].named[name]
		fault.Line, fault.Column = e.line, e.column
	}
	if field != "" {
		fault.Path = join(fault.Path, field)
	}
	return fault
}
