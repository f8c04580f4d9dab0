package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/internal/nearest"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/tailscale/hujson"
)

// namePattern is what a breaker, bulkhead or timeout may be called, for editors.
// Behind a slash stands the instance of it that is meant.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9._-]*(/[!-~]+)?$`

// isName reports whether namePattern matches a text.
func isName(text string) bool {
	const first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base, instance, has := strings.Cut(text, "/")
	return base != "" && strings.Trim(base, first+"._-") == "" && strings.IndexByte(first, base[0]) >= 0 &&
		(!has || IsInstance(instance))
}

// IsInstance reports whether a text can stand behind the slash of a name: printable
// ASCII without spaces.
func IsInstance(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r < '!' || r > '~' }) < 0
}

// Base is the name that an instance belongs to: "solver" of "solver/8.8.8.8", and
// the name itself of any other.
func Base(name string) string {
	base, _, _ := strings.Cut(name, "/")
	return base
}

// entries are the objects of one section.
type entries struct {
	fallback *entry // the object "default"; empty if the file has none
	named    map[string]*entry
}

// entry is one object of a section, with its own fields only.
type entry struct {
	path    string
	at      int
	line    int // of its name
	column  int
	variant *variant // nil if the file says one that does not exist
	chosen  Origin
	given   map[string]given
	unclear map[string]bool // fields whose values or names are wrong, so that their meaning is unknown
	opaque  bool            // it is no object, so that all are unclear

	shadow   *entry // nil: it has none
	isShadow bool
}

type given struct {
	value any
	at    int
}

// reader turns a tree into entries and collects faults.
type reader struct {
	*document
	file     string
	faults   Faults
	warnings Faults
	secret   bool // values of the present section are not shown
}

func (r *reader) fault(at int, path, format string, args ...any) {
	r.faults = append(r.faults, r.locate(at, path, fmt.Sprintf(format, args...)))
}

func (r *reader) warn(at int, path, format string, args ...any) {
	r.warnings = append(r.warnings, r.locate(at, path, fmt.Sprintf(format, args...)))
}

func (r *reader) locate(at int, path, message string) Fault {
	line, column := r.place(at)
	return Fault{File: r.file, Line: line, Column: column, Path: path, Message: message}
}

// sections reads the whole tree.
func (r *reader) sections(f format) map[string]*entries {
	all := map[string]*entries{}
	root, ok := r.root.Value.(*hujson.Object)
	if !ok {
		r.secret = true // a file with nothing but one value may be that of a password
		r.fault(r.root.StartOffset, "", "%s is not an object such as %s", r.describe(r.root), smallest)
		return all
	}
	for _, m := range root.Members {
		name := nameOf(m)
		path := join("", name)
		s := f.section(name)
		r.secret = s != nil && s.secret
		switch {
		case s != nil && s.single:
			if read := r.single(s, path, m.Value); all[name] == nil {
				all[name] = read
			}
		case s != nil:
			if read := r.section(s, path, m.Value); all[name] == nil {
				all[name] = read
			}
		case name != "$schema":
			r.fault(m.Name.StartOffset, path, "no such section%s; %s", glyph.Remark(name), suggestSection(name, m.Value, f.names()))
		case m.Value.Value.Kind() != '"':
			r.wrong(m.Value, path, "the address of a JSON schema, in double quotes")
		}
	}
	r.everywhere(r.root, "")
	return all
}

// everywhere reports faults at any level, also in parts that are not read: names
// that an object has twice, and values that are no JSON, unless a fault there says
// already what is allowed.
func (r *reader) everywhere(v hujson.Value, path string) {
	if r.odd[v.StartOffset] && !r.reported(v.StartOffset) {
		r.fault(v.StartOffset, path, "is no JSON value; a text stands in double quotes") // not shown, because it may be a secret
	}
	switch v := v.Value.(type) {
	case *hujson.Object:
		first := map[string]int{}
		for _, m := range v.Members {
			name := nameOf(m)
			inner := join(path, name)
			if at, twice := first[name]; twice {
				line, column := r.place(at)
				r.fault(m.Name.StartOffset, inner, "stands here a second time; the first is at %d:%d", line, column)
			} else {
				first[name] = m.Name.StartOffset
			}
			r.everywhere(m.Value, inner)
		}
	case *hujson.Array:
		for i, element := range v.Elements {
			r.everywhere(element, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

func (r *reader) reported(at int) bool {
	line, column := r.place(at)
	return slices.ContainsFunc(r.faults, func(f Fault) bool { return f.Line == line && f.Column == column })
}

// section reads the objects of a section, the defaults first, because they choose
// the variant of objects that choose none.
func (r *reader) section(s *section, path string, v hujson.Value) *entries {
	all := &entries{fallback: s.builtIn(), named: map[string]*entry{}}
	object, ok := r.object(v, path)
	if !ok {
		return all
	}
	for _, m := range object.Members {
		if nameOf(m) == fallback {
			all.fallback = r.entry(s, nil, join(path, fallback), m.Value)
		}
	}
	for _, m := range object.Members {
		name := nameOf(m)
		if name == fallback {
			continue
		}
		r.checkName(m, join(path, name), s.one)
		e := r.entry(s, all.fallback, join(path, name), m.Value)
		e.line, e.column = r.place(m.Name.StartOffset)
		if all.named[name] == nil {
			all.named[name] = e
		}
	}
	r.idleDefaults(s, all)
	r.rules(all.fallback, nil)
	for _, e := range all.named {
		r.rules(e, all.fallback)
	}
	return all
}

// single reads a section that is a single object. Its name is empty.
func (r *reader) single(s *section, path string, v hujson.Value) *entries {
	e := r.entry(s, s.builtIn(), path, v)
	r.rules(e, nil)
	return &entries{fallback: s.builtIn(), named: map[string]*entry{"": e}}
}

// sharing reports faults of a file that shares breakers: the process must have an
// adapter, which it has not if it is alone, and the fleet must have a name.
func (r *reader) sharing(sections map[string]*entries, alone bool) {
	sharers := sections[Breakers].sharers()
	if len(sharers) == 0 {
		return
	}
	for _, e := range sharers {
		if alone {
			r.fault(e.given["shared"].at, join(e.path, "shared"),
				"true needs an adapter; pass redis.Share(), of github.com/resgen-go/resgen/runtime/redis, to resilience.New")
		}
	}
	first := slices.MinFunc(sharers, func(a, b *entry) int { return cmp.Compare(a.at, b.at) })
	r.nameless(sections[SharedState], first)
}

// injecting reports a file that injects faults into the calls of a process that does not
// allow it.
func (r *reader) injecting(section *entries, allowed bool) {
	if section == nil || allowed {
		return
	}
	for _, e := range append(slices.Collect(maps.Values(section.named)), section.fallback) {
		if e.given["failPercent"].value != nil || e.given["delay"].value != nil {
			r.fault(e.at, Injected, "needs resilience.Faults(); pass that to resilience.New, or take the section out")
		}
	}
}

// sharers are the objects with "shared": true.
func (all *entries) sharers() []*entry {
	if all == nil {
		return nil
	}
	return slices.DeleteFunc(append(slices.Collect(maps.Values(all.named)), all.fallback), func(e *entry) bool {
		return e.given["shared"].value != true
	})
}

// nameless reports a fleet without a name: at its section, or where a breaker is
// shared if the file has no such section.
func (r *reader) nameless(section *entries, sharer *entry) {
	at := sharer.given["shared"].at
	if section != nil {
		e := section.named[""]
		_, named := e.given["keyPrefix"]
		if _, service := e.given["service"]; service {
			named = true
		}
		off := e.given["enabled"].value == false
		if named || off || !e.clear("keyPrefix", nil) || !e.clear("enabled", nil) {
			return
		}
		at = e.at
	}
	r.fault(at, join(SharedState, "keyPrefix"), "missing: "+sharedstate.Joined)
}

// builtIn stands for an object "default" that the file does not have.
func (s *section) builtIn() *entry {
	return &entry{variant: &s.variants[0], chosen: BuiltIn}
}

func (r *reader) checkName(m hujson.ObjectMember, path, one string) {
	switch name := nameOf(m); {
	case name == "":
		r.fault(m.Name.StartOffset, path, "a %s needs a name", one)
	case !isName(name):
		r.fault(m.Name.StartOffset, path, "%s%s", noName(one), glyph.Remark(name))
	case strings.EqualFold(name, fallback):
		r.warn(m.Name.StartOffset, path, "is one %s's name; the defaults of all stand under %q", one, fallback)
	}
}

func noName(one string) string {
	return "no name for a " + one + "; allowed are letters, digits, '.', '_' and '-', a letter or digit first"
}

// entry reads one object. Without a fallback it is the object with the defaults,
// which may have fields of every variant.
func (r *reader) entry(s *section, fallback *entry, path string, v hujson.Value) *entry {
	e := &entry{path: path, at: v.StartOffset, given: map[string]given{}, unclear: map[string]bool{}}
	object, ok := r.object(v, path)
	if !ok {
		e.opaque = true
		return e
	}
	e.variant, e.chosen = r.chooseVariant(s, fallback, path, object)
	for _, m := range object.Members {
		r.field(s, e, fallback == nil, m)
	}
	return e
}

// chooseVariant returns the variant of an object and where it comes from: the object
// itself, else the defaults, else the built-in one.
func (r *reader) chooseVariant(s *section, fallback *entry, path string, object *hujson.Object) (*variant, Origin) {
	for _, m := range object.Members {
		if s.choose == "" || nameOf(m) != s.choose {
			continue
		}
		name, ok := r.textOf(m.Value)
		if !ok {
			r.wrong(m.Value, join(path, s.choose), "one of "+strings.Join(s.variantNames(), ", "))
			return nil, Own
		}
		k := s.variant(name)
		if k == nil {
			r.fault(m.Value.StartOffset, join(path, s.choose), "%s is no %s; %s",
				r.describe(m.Value), s.choose, suggestAmong(name, s.variantNames()))
		}
		return k, Own
	}
	if fallback == nil {
		return &s.variants[0], BuiltIn
	}
	return fallback.variant, fallback.chosen.inherited()
}

// field reads one member of an entry.
func (r *reader) field(s *section, e *entry, isFallback bool, m hujson.ObjectMember) {
	name := nameOf(m)
	path := join(e.path, name)
	switch {
	case name == s.choose && s.choose != "":
		return
	case name == shadow && s.shades != nil && !isFallback && !e.isShadow:
		r.shadow(s, e, path, m.Value)
		return
	}
	owners := s.owners(name)
	f := e.field(name)
	switch {
	case len(owners) == 0:
		hint, meant, ok := s.hint(e, name)
		if !ok {
			hint = suggest(name, s.known(e.variant))
			meant, _ = near(name, s.known(e.variant))
		}
		r.fault(m.Name.StartOffset, path, "no such setting%s; %s", glyph.Remark(name), hint)
		e.unclear[meant] = true
		return
	case f == nil && e.variant != nil && !isFallback:
		r.fault(m.Name.StartOffset, path, "belongs to %s; the %s here is %s%s",
			enumerate(variantNames(owners)), s.choose, e.variant.name, e.chosen.remark())
		return
	case f == nil:
		f = owners[0].field(name)
	}
	value, ok := r.value(f, path, m.Value)
	if _, twice := e.given[name]; ok && !twice {
		e.given[name] = given{value, m.Value.StartOffset}
	}
	if !ok {
		e.unclear[name] = true
	}
}

// known are the fields that an object of a variant may have.
func (s *section) known(v *variant) []string {
	var names []string
	if s.choose != "" {
		names = append(names, s.choose)
	}
	if s.shades != nil {
		names = append(names, shadow)
	}
	if v == nil {
		return append(names, fieldNames(s.fields())...)
	}
	return append(names, fieldNames(v.fields())...)
}

func (e *entry) field(name string) *setting.Field {
	if e.variant == nil {
		return nil
	}
	return e.variant.field(name)
}

// idleDefaults reports defaults that no object of the section can use.
func (r *reader) idleDefaults(s *section, all *entries) {
	used := []*variant{all.fallback.variant}
	for _, e := range all.named {
		used = append(used, e.variant)
	}
	if slices.Contains(used, nil) {
		return
	}
	for name, g := range all.fallback.given {
		if !slices.ContainsFunc(used, func(v *variant) bool { return v.field(name) != nil }) {
			r.fault(g.at, join(all.fallback.path, name), "belongs to %s; the %s here is %s%s, and no %s has another",
				enumerate(variantNames(s.owners(name))), s.choose,
				all.fallback.variant.name, all.fallback.chosen.remark(), s.one)
		}
	}
}

// rules reports rules between settings that an entry breaks, with its defaults.
func (r *reader) rules(e, fallback *entry) {
	if e.shadow != nil {
		r.rules(e.shadow, e.under(fallback))
	}
	if e.variant == nil {
		return
	}
	s := e.settings(fallback)
	if c, ok := s.(setting.Checker); ok {
		r.faults = r.blame(r.faults, e, fallback, c.Check())
	}
	if w, ok := s.(setting.Warner); ok {
		r.warnings = r.blame(r.warnings, e, fallback, w.Warn())
	}
}

// blame appends problems at their places: at the setting itself if the file has it,
// else at the other setting, which it does not fit. It leaves out problems of the
// defaults, which are reported there, and of settings that are unclear.
func (r *reader) blame(faults Faults, e, fallback *entry, problems []setting.Problem) Faults {
	for _, p := range problems {
		if !e.clear(p.Field, fallback) || p.Other != "" && !e.clear(p.Other, fallback) {
			continue
		}
		at, path, message, own := e.holds(p)
		if !own && fallback != nil {
			inheritedAt, inheritedPath, inherited, ok := fallback.holds(p)
			if ok && fallback.variant == e.variant {
				continue
			}
			if ok {
				at, path, message = inheritedAt, inheritedPath, inherited+" in "+e.path
			}
		}
		faults = append(faults, r.locate(at, path, message))
	}
	return faults
}

// clear reports whether the value in force for a field is what the file means.
func (e *entry) clear(field string, fallback *entry) bool {
	for _, from := range []*entry{e, fallback} {
		if from == nil {
			break
		}
		if _, ok := from.given[field]; ok {
			return true
		}
		if from.opaque || from.unclear[field] {
			return false
		}
	}
	f := e.field(field)
	return f == nil || f.Like == "" || e.clear(f.Like, fallback)
}

// holds reports whether an entry has a setting of a problem, and returns the place
// and the message: those of the setting, else those of the whole entry.
func (e *entry) holds(p setting.Problem) (at int, path, message string, ok bool) {
	if g, ok := e.given[p.Field]; ok {
		return g.at, join(e.path, p.Field), p.Message, true
	}
	message = p.Field + " " + p.Message
	if g, ok := e.given[p.Other]; ok {
		return g.at, join(e.path, p.Other), message, true
	}
	return e.at, e.path, message, false
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// join is the path of a member.
func join(path, name string) string {
	if !isName(strings.TrimPrefix(name, "$")) {
		return path + "[" + quote(name) + "]"
	}
	if path == "" {
		return shorten(name)
	}
	return path + "." + shorten(name)
}

// enumerate joins names: "A, B and C".
func enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// suggest names the nearest of the allowed names, or all of them if none is near.
func suggest(name string, allowed []string) string {
	if near, ok := near(name, allowed); ok {
		return "did you mean " + near + "?"
	}
	return "allowed are " + strings.Join(allowed, ", ")
}

// suggestSection is suggest for a name that is no section.
func suggestSection(name string, v hujson.Value, allowed []string) string {
	if _, ok := near(name, allowed); !ok {
		if places := elsewhere(name, v); places != "" {
			return "write " + places
		}
	}
	return suggest(name, allowed)
}

// suggestAmong names all allowed names, and the nearest.
func suggestAmong(name string, allowed []string) string {
	text := "allowed are " + strings.Join(allowed, ", ")
	if near, ok := near(name, allowed); ok {
		text += "; did you mean " + near + "?"
	}
	return text
}

// near is the name that was probably meant: the nearest, or the only one that begins
// like it. A text too long to be a name has none.
func near(name string, allowed []string) (string, bool) {
	if len(name) > 100 {
		return "", false
	}
	if meant, ok := nearest.Name(name, allowed); ok {
		return meant, true
	}
	begun := slices.DeleteFunc(slices.Clone(allowed), func(n string) bool {
		return !strings.HasPrefix(strings.ToLower(n), strings.ToLower(name))
	})
	if len(name) < 3 || len(begun) != 1 {
		return "", false
	}
	return begun[0], true
}
