package config

import (
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Schema is a JSON schema (draft 2020-12) of the file, for editors. It accepts
// everything that [Parse] accepts, and refuses what Parse refuses for its shape or
// for the range of a number. Only Parse finds names that an object has twice,
// settings that don't go together, and durations as text that are out of range:
// "8760h" and "P365D" are one time. Numbers are compared as float64s.
func Schema() []byte { return standard.schema() }

func (f format) schema() []byte {
	properties := object{{"$schema", object{{"type", "string"}}}}
	var defs object
	for _, s := range f {
		properties = append(properties, member{s.name, ref(s.name)})
		defs = append(defs, s.definitions()...)
	}
	defs = append(defs, f.durations()...)
	return pretty(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "resgen settings"},
		{"description", "Settings of circuit breakers, bulkheads and timeouts, by the names that directives use."},
		{"allowComments", true},
		{"allowTrailingCommas", true},
		{"type", "object"},
		{"properties", properties},
		{"additionalProperties", false},
		{"$defs", defs},
	})
}

// definitions are the schema of the section and of the objects in it.
func (s *section) definitions() object {
	switch {
	case s.single:
		return object{{s.name, closed(s.doc, fieldSchemas(s.variants[0].fields()))}}
	case s.choose == "":
		return object{
			{s.name, s.outline(ref(s.id()))},
			{s.id(), s.variantSchema(&s.variants[0])},
		}
	}
	outline := s.outline(ref(s.id()))
	outline = append(outline,
		member{"properties", object{{fallback, ref(s.id() + "." + fallback)}}},
		member{"allOf", append(s.inheritance(), s.idleRules()...)},
	)
	defs := object{
		{s.name, outline},
		{s.id(), s.entrySchema()},
		{s.id() + "." + fallback, s.fallbackSchema()},
	}
	for i := range s.variants {
		defs = append(defs, member{s.id() + "." + s.variants[i].name, s.variantSchema(&s.variants[i])})
	}
	return defs
}

// outline is what holds for every section.
func (s *section) outline(entry object) object {
	return object{
		{"description", s.doc},
		{"type", "object"},
		{"propertyNames", object{{"pattern", namePattern}, {"errorMessage", noName(s.one)}}},
		{"additionalProperties", entry},
	}
}

// entrySchema is an object that may choose its variant. If it does not, see
// [section.inheritance].
func (s *section) entrySchema() object {
	var chosen []any
	for _, v := range s.variants {
		chosen = append(chosen, object{
			{"if", object{{"required", list(s.choose)}, {"properties", s.isVariant(v.name)}}},
			{"then", ref(s.id() + "." + v.name)},
		})
	}
	return object{
		{"type", "object"},
		{"properties", object{{s.choose, s.choice()}}},
		{"allOf", chosen},
	}
}

// inheritance has for each variant: if the defaults are of that variant, so are the
// objects that choose none.
func (s *section) inheritance() []any {
	var rules []any
	for i, v := range s.variants {
		given := object{{"properties", s.isVariant(v.name)}}
		condition := object{{"properties", object{{fallback, given}}}}
		if i > 0 { // the first variant also holds without any choice
			given = append(given, member{"required", list(s.choose)})
			condition = object{{"required", list(fallback)}, {"properties", object{{fallback, given}}}}
		}
		rules = append(rules, object{{"if", condition}, {"then", object{
			{"properties", object{{fallback, true}}},
			{"additionalProperties", object{
				{"if", object{{"required", list(s.choose)}}},
				{"else", ref(s.id() + "." + v.name)},
			}},
		}}})
	}
	return rules
}

// idleRules say of fields that not all variants have: if the defaults have one,
// some object of the section is of such a variant.
func (s *section) idleRules() []any {
	var owners []string
	having := map[string][]any{}
	for _, f := range s.fields() {
		names := variantNames(s.owners(f.Name))
		if len(names) == len(s.variants) {
			continue
		}
		key := strings.Join(names, ",")
		if having[key] == nil {
			owners = append(owners, key)
		}
		having[key] = append(having[key], object{{"required", list(f.Name)}})
	}
	var rules []any
	for _, key := range owners {
		rules = append(rules, object{
			{"if", object{{"required", list(fallback)}, {"properties", object{{fallback, object{{"anyOf", having[key]}}}}}}},
			{"then", s.someVariant(strings.Split(key, ","))},
		})
	}
	return rules
}

// someVariant says that an object of the section, the defaults included, is of one
// of the variants.
func (s *section) someVariant(names []string) object {
	chosen := object{{"required", list(s.choose)}, {"properties", object{{s.choose, object{{"enum", list(names...)}}}}}}
	some := object{{"not", object{{"additionalProperties", object{{"not", chosen}}}}}}
	if !slices.Contains(names, s.variants[0].name) {
		return some
	}
	unchosen := object{{"properties", object{{fallback, object{{"not", object{{"required", list(s.choose)}}}}}}}}
	return object{{"anyOf", []any{some, unchosen}}}
}

// fallbackSchema is the object of the defaults, which may have the fields of
// every variant.
func (s *section) fallbackSchema() object {
	properties := object{{s.choose, s.choice()}}
	for _, f := range s.fields() {
		properties = append(properties, member{f.Name, s.sharedSchema(f.Name)})
	}
	return closed("What holds for a "+s.one+" whose own object says nothing else.", properties)
}

// sharedSchema is a field that may have its own meaning and default in each variant,
// but has one type and range in all.
func (s *section) sharedSchema(field string) object {
	owners := s.owners(field)
	if len(owners) == 1 {
		return fieldSchema(owners[0].field(field))
	}
	f := *owners[0].field(field)
	var meanings []string
	differs := false
	for _, v := range owners {
		own := v.field(field)
		meanings = append(meanings, v.name+": "+own.Doc)
		differs = differs || own.Doc != f.Doc
		if own.Default != f.Default {
			f.Default = nil
		}
	}
	if differs || len(owners) < len(s.variants) {
		f.Doc = strings.Join(meanings, "\n")
	}
	return fieldSchema(&f)
}

func (s *section) variantSchema(v *variant) object {
	var properties object
	if s.choose != "" {
		properties = s.isVariant(v.name)
	}
	if s.shades != nil {
		properties = append(properties, member{shadow, object{
			{"description", "Settings to try beside these: what would be different. They refuse nothing."},
			{"type", "object"},
			{"$ref", "#/$defs/" + s.id()},
		}})
	}
	return closed(v.doc, append(properties, fieldSchemas(v.fields())...))
}

// closed is an object that has no other properties.
func closed(description string, properties object) object {
	o := object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}
	if description != "" {
		o = append(object{{"description", description}}, o...)
	}
	return o
}

func (s *section) isVariant(name string) object { return object{{s.choose, object{{"const", name}}}} }

// choice is the field that chooses a variant.
func (s *section) choice() object {
	lines := []string{}
	for _, v := range s.variants {
		lines = append(lines, v.name+": "+v.doc)
	}
	return object{{"description", strings.Join(lines, "\n")}, {"enum", list(s.variantNames()...)}}
}

func fieldSchemas(fields []setting.Field) object {
	var properties object
	for _, f := range fields {
		properties = append(properties, member{f.Name, fieldSchema(&f)})
	}
	return properties
}

func fieldSchema(f *setting.Field) object {
	doc := f.Doc
	if f.Like != "" {
		doc += "; default: that of " + f.Like
	}
	o := object{{"description", doc}}
	switch {
	case f.Type == setting.Int:
		o = append(append(o, member{"type", "integer"}), limits(f.Range)...)
	case f.Type == setting.Float:
		o = append(append(o, member{"type", "number"}), limits(f.Range)...)
	case f.Type == setting.Duration:
		o = append(o, ref(durationIn(f.Range))...)
	case f.Type == setting.Bool:
		o = append(o, member{"type", "boolean"})
	case f.OneOf == nil:
		o = append(o, member{"type", "string"})
	default:
		o = append(o, member{"enum", list(f.OneOf...)})
	}
	if f.Default != nil {
		o = append(o, member{"default", plain(f.Default)})
	}
	return o
}

// limits are the bounds of a number. They say nothing of a text.
func limits(r setting.Range) (o object) {
	if r.Low != nil {
		o = append(o, member{keyword("inimum", r.LowOpen), number(r.Low)})
	}
	if r.High != nil {
		o = append(o, member{keyword("aximum", r.HighOpen), number(r.High)})
	}
	return o
}

func keyword(end string, exclusive bool) string {
	if exclusive {
		return "exclusiveM" + end
	}
	return "m" + end
}

// number is a bound as the file writes it: a duration in seconds.
func number(bound any) any {
	if d, ok := bound.(time.Duration); ok {
		return d.Seconds()
	}
	return bound
}

// durations are the schemas of durations, one for each range.
func (f format) durations() (defs object) {
	known := map[setting.Range]bool{}
	for _, s := range f {
		for _, field := range s.fields() {
			if field.Type == setting.Duration && !known[field.Range] {
				known[field.Range] = true
				defs = append(defs, member{durationIn(field.Range), durationSchema(field.Range)})
			}
		}
	}
	return defs
}

// durationIn is the name of the schema of durations in a range.
func durationIn(r setting.Range) string {
	name := "duration.from-"
	if r.LowOpen {
		name = "duration.above-"
	}
	return name + setting.Format(r.Low) + ".to-" + setting.Format(r.High)
}

// durationSchema is a number in the range or a text of the right shape. Editors
// that know errorMessage show it in place of the pattern.
func durationSchema(r setting.Range) object {
	return append(object{
		{"errorMessage", expected(&setting.Field{Type: setting.Duration, Range: r})},
		{"type", list("string", "number")},
		{"pattern", setting.DurationPattern},
	}, limits(r)...)
}

func ref(name string) object { return object{{"$ref", "#/$defs/" + name}} }

func list(texts ...string) []any {
	all := make([]any, len(texts))
	for i, t := range texts {
		all[i] = t
	}
	return all
}
