package generator

import (
	"maps"
	"slices"
)

// Used returns the names that the wrappers ask their registry for, sorted, by
// the section of the settings file that has them.
func (r Result) Used() map[string][]string {
	breakers, bulkheads, timeouts := names{}, names{}, names{}
	for _, plan := range r.Plans {
		for _, wrapper := range plan.Wrappers {
			for _, probe := range wrapper.Probes {
				breakers.add(probe.Breaker)
			}
			for _, m := range wrapper.Methods {
				if g := m.Guard; g != nil {
					breakers.add(append(g.Check, g.Breaker)...)
					bulkheads.add(g.Bulkhead)
					for _, p := range slices.Concat(g.Preload, g.Lease) {
						bulkheads.add(p.Bulkhead)
					}
					timeouts.add(g.Timeout)
				}
			}
		}
	}
	return map[string][]string{
		"breakers":  breakers.sorted(),
		"bulkheads": bulkheads.sorted(),
		"timeouts":  timeouts.sorted(),
	}
}

// sorted are the names, without the empty one.
func (n names) sorted() []string {
	delete(n, "")
	return slices.Sorted(maps.Keys(n))
}
