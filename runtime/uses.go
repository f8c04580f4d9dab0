package resilience

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
)

// usage is how the wrappers of a registry use its settings.
type usage struct {
	of   map[string][]config.Use // by breaker
	told map[string]bool         // warnings about the settings in force
	soon *time.Timer             // to warn of breakers without a probe; nil: nothing to tell
}

// forProbe is how long a breaker may lack its probe before a warning, because
// ExternalProbe is called after the wrappers are made.
const forProbe = time.Second

// noteUses remembers how a wrapper uses settings, and warns of settings that do not
// fit.
func (r *Registry) noteUses(added []config.Use) {
	r.mu.Lock()
	defer r.mu.Unlock()
	touched := map[string][]config.Use{}
	for _, use := range added {
		if of := r.usage.of; !slices.Contains(of[use.Breaker], use) {
			of[use.Breaker] = append(of[use.Breaker], use)
		}
		touched[use.Breaker] = r.usage.of[use.Breaker]
	}
	for _, use := range added {
		r.adapt(use.Bulkhead)
	}
	uses := slices.Concat(slices.Collect(maps.Values(touched))...)
	r.warnOnce(r.settings.Misfits(uses))
	if r.usage.soon == nil && len(r.settings.Unprobed(uses)) > 0 {
		r.usage.soon = time.AfterFunc(forProbe, r.warnOfUnprobed)
	}
}

// bulkhead returns the uses of one.
func (u *usage) bulkhead(name string) (uses []config.Use) {
	for _, of := range u.of {
		for _, use := range of {
			if use.Bulkhead == name {
				uses = append(uses, use)
			}
		}
	}
	return uses
}

func (r *Registry) allUses() []config.Use {
	return slices.Concat(slices.Collect(maps.Values(r.usage.of))...)
}

func (r *Registry) warnOfUnprobed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usage.soon != nil {
		r.usage.soon = nil
		r.warnOnce(r.settings.Unprobed(r.allUses()))
	}
}

func (r *Registry) warnOnce(warnings config.Faults) {
	for _, warning := range warnings {
		warning.File = cmp.Or(warning.File, builtIn)
		if text := warning.String(); !r.usage.told[text] {
			r.usage.told[text] = true
			r.events.emit(SettingWarning{At: time.Now(), Text: text})
		}
	}
}

// MethodSnapshot is what guards a method, by the names that settings use, and what it
// reserves if it is an entry.
type MethodSnapshot struct {
	Method   string     `json:"method"`
	Breaker  string     `json:"breaker,omitempty"`
	Bulkhead string     `json:"bulkhead,omitempty"`
	Timeout  string     `json:"timeout,omitempty"`
	Reserves []Reserved `json:"reserves,omitempty"` // without what the arguments of each call say
}

// Reserved is the permits of a bulkhead that an entry reserves.
type Reserved struct {
	Bulkhead string `json:"bulkhead"`
	Permits  int    `json:"permits"`
	Lease    bool   `json:"lease,omitempty"` // its permits serve one call after another; else one each
}

// methodSnapshots are those of all methods with guards. The lock must be held.
func (r *Registry) methodSnapshots() []MethodSnapshot {
	if r.timings == nil {
		return nil
	}
	all := map[string]MethodSnapshot{}
	for _, use := range r.allUses() {
		if !use.Probe {
			all[use.Method] = MethodSnapshot{Method: use.Method, Breaker: use.Breaker, Bulkhead: use.Bulkhead, Timeout: use.Timeout}
		}
	}
	for method, e := range r.entries {
		m := all[method]
		m.Method, m.Reserves = method, e.reserves()
		all[method] = m
	}
	return each(slices.Sorted(maps.Keys(all)), func(method string) MethodSnapshot { return all[method] })
}

func (e *entry) reserves() (all []Reserved) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.demand.Wants() {
		if w.As != bulkhead.Own {
			all = append(all, Reserved{w.Bulkhead.Name(), w.N, w.As == bulkhead.Lease})
		}
	}
	return all
}
