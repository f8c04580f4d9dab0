package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/tailscale/hujson"
)

// shadow is the member of an object that has settings to try beside those of the object.
// It says what would be different; all else is that of the object. So what it tries is
// put into force by writing it into the object.
const shadow = "shadow"

// shaded are settings that take those of their shadow.
type shaded interface{ Shade(shadow any) }

// judging are the settings of breakers by which calls are judged.
func judging(name string) bool {
	others := setting.Describe(new(struct {
		dryrun.Enforcement
		breaker.Fleet
		keyed.Instances
	}))
	return !slices.ContainsFunc(others, func(f setting.Field) bool { return f.Name == name })
}

// sizing is the setting of bulkheads that says how many calls they run.
func sizing(name string) bool { return name == "maxConcurrentCalls" }

// shadow reads the shadow of e.
func (r *reader) shadow(s *section, e *entry, path string, v hujson.Value) {
	object, ok := r.object(v, path)
	if !ok {
		return
	}
	of := &entry{path: path, at: v.StartOffset, given: map[string]given{}, unclear: map[string]bool{}, isShadow: true}
	of.variant, of.chosen = r.chooseVariant(s, e, path, object)
	for _, m := range object.Members {
		if name := nameOf(m); !s.shades(name) && (name == s.choose || len(s.owners(name)) > 0) {
			r.fault(m.Name.StartOffset, join(path, name), "means nothing in a shadow%s; allowed are %s", glyph.Remark(name), strings.Join(s.shadowed(of.variant), ", "))
			continue
		}
		r.field(s, of, false, m)
	}
	if e.shadow == nil {
		e.shadow = of
	}
}

// shadowed are the members that a shadow may have.
func (s *section) shadowed(v *variant) []string {
	return slices.DeleteFunc(s.known(v), func(name string) bool { return name == shadow || !s.shades(name) })
}

// under is what e and its defaults say together, to those who say less.
func (e *entry) under(fallback *entry) *entry {
	both := *e
	both.given = map[string]given{}
	if fallback != nil {
		maps.Copy(both.given, fallback.given)
	}
	maps.Copy(both.given, e.given)
	return &both
}
