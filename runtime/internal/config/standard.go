package config

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
)

// The sections of a file.
const (
	Breakers  = "breakers"
	Bulkheads = "bulkheads"
	Timeouts  = "timeouts"

	SharedState = "sharedState"
)

// standard is the format of the file as users know it.
var standard = format{
	{
		name: Breakers, one: "breaker", choose: "strategy", kinds: strategies(),
		doc: "Circuit breakers by name.",
	},
	{
		name: Bulkheads, one: "bulkhead", kinds: []kind{{fresh: func() any { return new(bulkhead.Settings) }}},
		doc: "Limits on concurrent calls by name.",
	},
	{
		name: Timeouts, one: "timeout", kinds: []kind{{fresh: func() any { return new(Timeout) }}},
		doc: "Limits on the time of one call by name. One without a duration bounds nothing.",
	},
	{
		name: SharedState, one: SharedState, single: true, secret: true, kinds: []kind{{fresh: func() any { return new(sharedstate.Settings) }}},
		doc: "How processes share the breakers with \"shared\": true, on a Redis server; see docs/shared-state.md.",
	},
}

func strategies() []kind {
	kinds := make([]kind, len(breaker.Strategies))
	for i, s := range breaker.Strategies {
		kinds[i] = kind{s.Name, s.Doc, func() any { return s.New() }}
	}
	return kinds
}

// Breaker is the strategy and a new copy of the settings of a breaker.
func (f *File) Breaker(name string) (strategy string, settings breaker.Settings) {
	strategy, s := f.inForce(Breakers, name)
	return strategy, s.(breaker.Settings)
}

// Bulkhead is the settings of a bulkhead.
func (f *File) Bulkhead(name string) bulkhead.Settings {
	_, s := f.inForce(Bulkheads, name)
	return *s.(*bulkhead.Settings)
}

// Timeout is the longest time that one call may take. 0 bounds nothing.
func (f *File) Timeout(name string) time.Duration {
	_, s := f.inForce(Timeouts, name)
	if longest := s.(*Timeout).Duration; longest != nil {
		return *longest
	}
	return 0
}

// SharedState is a new copy of the settings of that section.
func (f *File) SharedState() *sharedstate.Settings {
	_, s := f.inForce(SharedState, "")
	return s.(*sharedstate.Settings)
}

// Shares reports whether the file shares any breaker.
func (f *File) Shares() bool {
	for _, name := range append(f.Names(Breakers), fallback) {
		if _, s := f.Breaker(name); s.Sharing().Shared {
			return true
		}
	}
	return false
}

func (f *File) inForce(section, name string) (kind string, settings any) {
	e, fallback := f.find(f.format.section(section), name)
	return e.kind.name, e.settings(fallback)
}
