package resilience

import (
	"slices"

	"github.com/resgen-go/resgen/runtime/internal/config"
)

// NamedSettings are the settings in force for one name.
type NamedSettings struct {
	Section string  `json:"section"` // "breakers", "bulkheads" or "timeouts"
	Name    string  `json:"name"`
	Values  []Value `json:"values"`
}

// Value is one setting in force.
type Value struct {
	Setting string `json:"setting"`
	Value   any    `json:"value"` // an int, float64, bool or string (durations too: "20s"); nil: off
	From    string `json:"from"`  // "file", "default section" (of the file) or "built in"
}

func effective(file *config.File, section, name string) []Value {
	var values []Value
	for _, v := range file.Effective(section, name) {
		values = append(values, Value{v.Setting, v.Value, v.From.String()})
	}
	return values
}

// Settings returns what is in force for every name in use, by section and name.
func (r *Registry) Settings() []NamedSettings {
	if r.made() != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []NamedSettings
	for _, s := range r.sections {
		for _, name := range s.names() {
			all = append(all, NamedSettings{s.title(), name, effective(r.settings, s.title(), name)})
		}
	}
	return all
}

// SettingsFile is a settings file without faults, for tools that look at one
// without running a service.
type SettingsFile struct{ file *config.File }

// LoadSettings is ParseSettings of the file at path, which is read as [File]
// reads it. An error of reading is an [*io/fs.PathError].
func LoadSettings(path string) (*SettingsFile, error) {
	text, err := config.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseSettings(path, text)
}

// ParseSettings reads the text of a settings file. The error lists all its
// faults; name stands for the file in them.
func ParseSettings(name string, text []byte) (*SettingsFile, error) {
	file, err := config.Inspect(name, text)
	if err != nil {
		return nil, err
	}
	return &SettingsFile{file}, nil
}

// Effective returns the settings that the file gives a name of a section, which
// is "breakers", "bulkheads" or "timeouts"; others have none. The name need not
// be in the file.
func (f *SettingsFile) Effective(section, name string) []Value {
	return effective(f.file, section, name)
}

// Names are the names that a section of the file has, sorted, without "default".
func (f *SettingsFile) Names(section string) []string { return f.file.Names(section) }

// Warnings are settings that are allowed but mean something else than they say,
// also by how methods use them.
func (f *SettingsFile) Warnings(uses ...Use) []string {
	return texts(slices.Concat(f.file.Warnings(), f.file.Misfits(uses), f.file.Unprobed(uses)))
}

// Compare says which of the names in use, by section, the file lacks, and which
// of its entries nobody uses.
func (f *SettingsFile) Compare(used map[string][]string) []string { return texts(f.file.Compare(used)) }

func texts(faults config.Faults) []string {
	var lines []string
	for _, fault := range faults {
		lines = append(lines, fault.String())
	}
	return lines
}

// Schema returns the JSON Schema (draft 2020-12) of settings files, for editors.
func Schema() []byte { return config.Schema() }

// StartingSettings returns a settings file for the names in use, by section,
// that says of every setting what it does and what holds without it.
func StartingSettings(used map[string][]string) []byte { return config.Starter(used) }
