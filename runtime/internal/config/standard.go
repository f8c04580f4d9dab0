package config

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// The sections of a file.
const (
	Breakers  = "breakers"
	Bulkheads = "bulkheads"
	Timeouts  = "timeouts"

	SharedState = "sharedState" // an adapter's
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
		name: SharedState, foreign: true, kinds: []kind{{fresh: func() any { return new(struct{}) }}},
		doc: "Where processes share breakers; an adapter, such as that for Redis, reads it.",
	},
}

func strategies() []kind {
	kinds := make([]kind, len(breaker.Strategies))
	for i, s := range breaker.Strategies {
		kinds[i] = kind{s.Name, s.Doc, func() any { return s.New() }}
	}
	return kinds
}

// Breaker is the strategy and a new copy of the settings of a breaker, and whether the file names it.
func (f *File) Breaker(name string) (strategy string, settings breaker.Settings, named bool) {
	strategy, s, named := f.inForce(Breakers, name)
	return strategy, s.(breaker.Settings), named
}

// Bulkhead is the settings of a bulkhead, and whether the file names it.
func (f *File) Bulkhead(name string) (settings bulkhead.Settings, named bool) {
	_, s, named := f.inForce(Bulkheads, name)
	return *s.(*bulkhead.Settings), named
}

// Timeout is the longest time that one call may take, and whether the file names the timeout. 0 bounds nothing.
func (f *File) Timeout(name string) (d time.Duration, named bool) {
	_, s, named := f.inForce(Timeouts, name)
	if longest := s.(*Timeout).Duration; longest != nil {
		d = *longest
	}
	return d, named
}

// Single is a new copy of the settings of an adapter's section, and whether the file has the section.
func (f *File) Single(section string) (settings any, named bool) {
	_, settings, named = f.inForce(section, "")
	return settings, named
}

// Shares reports whether the file shares any breaker.
func (f *File) Shares() bool {
	for _, name := range append(f.Names(Breakers), fallback) {
		if _, s, _ := f.Breaker(name); s.InFleet() {
			return true
		}
	}
	return false
}

// Unshareable are the places where the file shares breakers although no adapter reads sharedState.
func (f *File) Unshareable() Faults { return f.unshareable }

func (f *File) inForce(section, name string) (kind string, settings any, named bool) {
	e, fallback, named := f.find(f.format.section(section), name)
	return e.kind.name, e.settings(fallback), named
}
