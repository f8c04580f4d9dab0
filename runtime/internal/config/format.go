package config

import (
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/keyed"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// format is the table of the sections that a file may have. The reader, the schema
// and the starting file know only this table, so a new section is a new row.
type format []section

// section is a section of the file: named objects of one sort, such as "breakers",
// or a single object.
type section struct {
	name     string
	one      string // names one of its objects: "breaker"
	doc      string
	single   bool                   // the section itself is the one object
	secret   bool                   // faults don't show values, because there are secrets among them
	follows  followed               // names that it may have and need not, because of others in use; nil: it has its own
	shades   func(name string) bool // reports whether a shadow may have a member; nil: there are no shadows
	choose   string                 // the field that chooses an object's variant; empty if there is only one
	variants []variant              // the first is built in
}

// followed are the names of a section that names in use of other sections lead to.
type followed func(f *File, used map[string][]string) []string

// variant is one sort of settings that an object of a section can have, such as a
// breaker's strategy.
type variant struct {
	name, doc string
	fresh     func() any // pointer to a new settings struct
}

// fallback is the name of the object with the defaults of its section.
const fallback = "default"

// Timeout is the settings of one timeout.
type Timeout struct {
	Duration *time.Duration `setting:"duration" range:"(0s,8760h]" usual:"1m" doc:"longest time that one call may take; without it the timeout bounds nothing"`
	keyed.Instances
}

// Limit is the longest time that one call may take; 0 bounds nothing.
func (t *Timeout) Limit() time.Duration {
	if t.Duration == nil {
		return 0
	}
	return *t.Duration
}

// Fallback is the settings of one fallback.
type Fallback struct {
	Enabled bool   `setting:"enabled" default:"true" doc:"false returns errors to the callers"`
	On      string `setting:"on" default:"ANY" oneof:"ANY,REFUSALS,TIMEOUTS" doc:"what the fallback answers: ANY is refusals and all failures, timeouts among them"`
}

func (f format) section(name string) *section {
	i := slices.IndexFunc(f, func(s section) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &f[i]
}

func (f format) names() []string {
	names := make([]string, len(f))
	for i, s := range f {
		names[i] = s.name
	}
	return names
}

// id names its objects in the schema.
func (s *section) id() string { return strings.ReplaceAll(s.one, " ", "-") }

func (s *section) variant(name string) *variant {
	i := slices.IndexFunc(s.variants, func(v variant) bool { return v.name == name })
	if i < 0 {
		return nil
	}
	return &s.variants[i]
}

func (s *section) variantNames() []string { return variantNames(s.variants) }

// owners are the variants that have a field.
func (s *section) owners(field string) []variant {
	var owners []variant
	for _, v := range s.variants {
		if v.field(field) != nil {
			owners = append(owners, v)
		}
	}
	return owners
}

// fields are the fields of all variants, each once.
func (s *section) fields() []setting.Field {
	var all []setting.Field
	for _, v := range s.variants {
		for _, f := range v.fields() {
			if !slices.ContainsFunc(all, func(g setting.Field) bool { return g.Name == f.Name }) {
				all = append(all, f)
			}
		}
	}
	return all
}

func (v *variant) fields() []setting.Field { return setting.Describe(v.fresh()) }

func (v *variant) field(name string) *setting.Field {
	fields := v.fields()
	i := slices.IndexFunc(fields, func(f setting.Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

func variantNames(variants []variant) []string {
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = v.name
	}
	return names
}

func fieldNames(fields []setting.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
