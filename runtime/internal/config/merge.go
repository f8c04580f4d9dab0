package config

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// find returns the entry of a name and the defaults under it. An instance that the
// file lacks has the entry of its base. Any other name that it lacks is an entry
// with no field.
func (f *File) find(s *section, name string) (e, fallback *entry) {
	fallback = s.builtIn()
	if all := f.sections[s.name]; all != nil {
		fallback = all.fallback
		if e = all.named[name]; e == nil {
			e = all.named[Base(name)]
		}
	}
	if e == nil {
		e = &entry{variant: fallback.variant, chosen: fallback.chosen.inherited()}
	}
	return e, fallback
}

// settings are a new struct of the entry's variant with the fields of the entry,
// else of the fallback, else built in.
func (e *entry) settings(fallback *entry) any {
	values := map[string]any{}
	for _, f := range e.variant.fields() {
		if g, _, ok := e.lookup(f.Name, fallback); ok {
			values[f.Name] = g.value
		}
	}
	s := e.variant.fresh()
	setting.Fill(s, values)
	if e.shadow != nil && e.shadow.variant != nil {
		s.(shaded).Shade(e.shadow.settings(e.under(fallback)))
	}
	return s
}

// lookup finds the value that the file has for a field.
func (e *entry) lookup(field string, fallback *entry) (given, Origin, bool) {
	if g, ok := e.given[field]; ok {
		return g, Own, true
	}
	if fallback != nil {
		if g, ok := fallback.given[field]; ok {
			return g, DefaultSection, true
		}
	}
	return given{}, BuiltIn, false
}

// origin is where the value of a field comes from. A default that is the value of
// another setting has the origin of that setting.
func (e *entry) origin(f *setting.Field, fallback *entry) Origin {
	_, from, found := e.lookup(f.Name, fallback)
	if !found && f.Like != "" {
		_, from, _ = e.lookup(f.Like, fallback)
	}
	return from
}

// plain is a value that reads well in JSON.
func plain(value any) any {
	if d, ok := value.(time.Duration); ok {
		return setting.Format(d)
	}
	return value
}
