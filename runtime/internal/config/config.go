// Package config reads settings files: JSON with comments and trailing commas. It
// returns checked and immutable settings, or all faults of the file at once, each
// with its place, the value that was found and what is allowed. From the same
// description of the settings it makes the JSON schema for editors and a starting
// file.
//
// The packages that use settings describe them: names, defaults, ranges, meaning.
// Watching a file and applying its changes are left to others.
package config

import (
	"maps"
	"slices"

	"github.com/resgen-go/resgen/runtime/internal/bounded"
)

// MaxSize is how large a file may be. A line for each of ten thousand breakers
// fits.
const MaxSize = 1 << 20

// File is a file without faults. It does not change; all methods may be called
// from any goroutine.
type File struct {
	name     string
	format   format
	sections map[string]*entries
	warnings Faults
}

// ReadFile reads as much of the file at path as Parse needs: of one that is too
// large, a little more than it may have. It has to be a regular file, and to
// answer in time.
func ReadFile(path string) ([]byte, error) { return bounded.ReadFile(path, MaxSize+1) }

// Process is what a process allows the file to ask for.
type Process struct {
	Shares  bool // breakers, with other processes
	Injects bool // faults, into calls
}

// Parse reads the content of a file for a process. What the process does not allow is a
// fault. name is what faults call the file. The error is of type [Faults].
func Parse(name string, data []byte, p Process) (*File, error) { return standard.parse(name, data, p) }

// Inspect is Parse for a tool, which does not know what the process allows.
func Inspect(name string, data []byte) (*File, error) {
	return standard.parse(name, data, Process{true, true})
}

// Default is a file without content, so that the built-in defaults hold.
func Default() *File { return &File{format: standard} }

func (f format) parse(name string, data []byte, p Process) (*File, error) {
	text, bad := newText(data)
	if bad != nil {
		return nil, text.faults(name, bad)
	}
	document, bad := parse(text)
	if bad != nil {
		return nil, text.faults(name, bad)
	}
	r := &reader{document: document, file: name}
	sections := r.sections(f)
	r.sharing(sections, !p.Shares)
	r.injecting(sections[Injected], p.Injects)
	if len(r.faults) > 0 {
		return nil, r.faults.settle()
	}
	return &File{name, f, sections, r.warnings.settle()}, nil
}

// Name is what faults call the file.
func (f *File) Name() string { return f.name }

// Warnings are settings that mean something else than they say, such as a
// minimumNumberOfCalls above the window.
func (f *File) Warnings() []Fault { return slices.Clone(f.warnings) }

// Names are the names that a section of the file has, sorted, without "default".
func (f *File) Names(section string) []string {
	if all := f.sections[section]; all != nil {
		return slices.Sorted(maps.Keys(all.named))
	}
	return nil
}

// Has reports whether a section of the file has an object of that name.
func (f *File) Has(section, name string) bool {
	all := f.sections[section]
	return all != nil && all.named[name] != nil
}

// Covers reports whether a section of the file has an object that holds for a name:
// its own, or that of the base of an instance.
func (f *File) Covers(section, name string) bool {
	return f.Has(section, name) || f.Has(section, Base(name))
}

// Origin says where the value of a setting comes from.
type Origin uint8

// The origins, the strongest first.
const (
	Own            Origin = iota // the object of that name
	DefaultSection               // the object "default" of the section
	BuiltIn                      // neither: the default of the setting
)

// String is "file", "default section" or "built in".
func (o Origin) String() string { return [...]string{"file", "default section", "built in"}[o] }

// inherited is the origin of a value that an object takes from its section's
// defaults.
func (o Origin) inherited() Origin { return max(o, DefaultSection) }

// remark explains in a message where a variant comes from that the object itself
// does not choose.
func (o Origin) remark() string {
	if o == Own {
		return ""
	}
	return " (" + o.String() + ")"
}

// Value is a setting in force.
type Value struct {
	Setting string
	Value   any    // an int, float64, bool or string (durations too: "20s"); nil: off
	From    string // "file", "default section" or "built in"
}

// Effective are the settings that hold for a name of a section, in the order of
// their declaration. The name need not be in the file. An unknown section has no
// settings, and a section with secrets shows none. The first setting of a breaker
// is its strategy.
func (f *File) Effective(section, name string) []Value {
	s := f.format.section(section)
	if s == nil || s.secret {
		return nil
	}
	e, fallback := f.find(s, name)
	var values []Value
	if s.choose != "" {
		values = append(values, Value{s.choose, e.variant.name, e.chosen.String()})
	}
	settings := e.settings(fallback)
	for _, field := range e.variant.fields() {
		values = append(values, Value{field.Name, plain(field.Get(settings)), e.origin(&field, fallback).String()})
	}
	return values
}
