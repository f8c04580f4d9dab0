package resilience

import "github.com/resgen-go/resgen/runtime/internal/config"

// NamedSettings are the settings in force for one name.
type NamedSettings struct {
	Section string  `json:"section"` // such as "breakers"
	Name    string  `json:"name"`
	Values  []Value `json:"values"`
}

// Value is one setting in force.
type Value struct {
	Setting string `json:"setting"`
	Value   any    `json:"value"` // an int, float64, bool or string (durations too: "20s"); nil: off
	From    string `json:"from"`  // "file", "default section" (of the file) or "built in"
}

// Settings returns the settings in force for every name in use, by section and name.
func (r *Registry) Settings() []NamedSettings {
	if r.made() != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []NamedSettings
	for _, s := range r.sections {
		for _, name := range s.names() {
			values := each(r.settings.Effective(s.title(), name), func(v config.Value) Value { return Value(v) })
			all = append(all, NamedSettings{s.title(), name, values})
		}
	}
	return all
}
