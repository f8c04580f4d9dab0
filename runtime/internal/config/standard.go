package config

import (
	"slices"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/faults"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
	"github.com/resgen-go/resgen/runtime/internal/retry"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
)

// The sections of a file.
const (
	Breakers   = "breakers"
	Bulkheads  = "bulkheads"
	Timeouts   = "timeouts"
	RateLimits = "rateLimits"
	Retries    = "retries"
	Budgets    = "budgets"
	Fallbacks  = "fallbacks"
	Injected   = "faults"

	SharedState = "sharedState"
)

// standard is the format of the file as users know it.
var standard = format{
	{
		name: Breakers, one: "breaker", choose: "strategy", variants: strategies(), shades: judging,
		doc: "Circuit breakers by name.",
	},
	{
		name: Bulkheads, one: "bulkhead", choose: "limit", shades: sizing, variants: []variant{
			{"FIXED", "runs as many calls at the same time as the file says", func() any { return new(bulkhead.Settings) }},
			{"ADAPTIVE", "runs as many calls as the dependency answers in time", func() any { return new(bulkhead.AdaptiveSettings) }},
		},
		doc: "Limits on concurrent calls by name.",
	},
	{
		name: Timeouts, one: "timeout", variants: only[Timeout](),
		doc: "Limits on the time of one call by name. One without a duration bounds nothing.",
	},
	{
		name: RateLimits, one: "rate limit", variants: only[ratelimit.Settings](),
		doc: "Limits on how many calls begin in a time by name. One without a limit limits nothing.",
	},
	{
		name: Retries, one: "retry policy", variants: only[retry.Settings](),
		doc: "How often and when calls that failed are made again, by name.",
	},
	{
		name: Budgets, one: "budget", follows: spending, variants: only[retry.BudgetSettings](),
		doc: "How many retries there may be beside the successes, by name. Retries without a budget of another name have that of their own.",
	},
	{
		name: Fallbacks, one: "fallback", variants: only[Fallback](),
		doc: "When methods with a fallback fall back, by name.",
	},
	{
		name: Injected, one: "fault", follows: guarding, variants: only[faults.Settings](),
		doc: "Failures and delays to try what guards do, by the name of the breaker of the calls, else of the bulkhead. They need resilience.Faults() and end by themselves; see docs/operating.md.",
	},
	{
		name: SharedState, one: SharedState, single: true, secret: true, variants: only[sharedstate.Settings](),
		doc: "How processes share the breakers with \"shared\": true, on a Redis server; see docs/shared-state.md.",
	},
}

// guarding are the names of all that guards calls which can be hit by faults.
func guarding(_ *File, used map[string][]string) []string {
	return slices.Concat(used[Breakers], used[Bulkheads])
}

// spending are the budgets of the retries in use.
func spending(f *File, used map[string][]string) (budgets []string) {
	for _, name := range used[Retries] {
		budgets = append(budgets, f.InForce(Retries, name).(*retry.Settings).BudgetOf(name))
	}
	return budgets
}

// only is the one variant of sections whose objects are all alike.
func only[S any]() []variant { return []variant{{fresh: func() any { return new(S) }}} }

func strategies() []variant {
	variants := make([]variant, len(breaker.Strategies))
	for i, s := range breaker.Strategies {
		variants[i] = variant{s.Name, s.Doc, func() any { return s.New() }}
	}
	return variants
}

// InForce is a new copy of the settings of a name of a section: a pointer to the
// struct that the section has, or to one of those that it has.
func (f *File) InForce(section, name string) (settings any) {
	_, settings = f.inForce(section, name)
	return settings
}

func (f *File) inForce(section, name string) (variant string, settings any) {
	e, fallback := f.find(f.format.section(section), name)
	return e.variant.name, e.settings(fallback)
}

// breaker is the strategy and the settings of a breaker.
func (f *File) breaker(name string) (strategy string, settings breaker.Settings) {
	strategy, s := f.inForce(Breakers, name)
	return strategy, s.(breaker.Settings)
}

// SharedState is a new copy of the settings of that section.
func (f *File) SharedState() *sharedstate.Settings {
	return f.InForce(SharedState, "").(*sharedstate.Settings)
}

// Shares reports whether the file shares any breaker.
func (f *File) Shares() bool {
	for _, name := range append(f.Names(Breakers), fallback) {
		if _, s := f.breaker(name); s.Sharing().Shared {
			return true
		}
	}
	return false
}
