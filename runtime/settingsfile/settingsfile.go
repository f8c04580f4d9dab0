// Package settingsfile looks at settings files without running a service. It is
// for tools: cmd/resgen is made of it, a test of a deployment's settings may be. A
// service gives its file to [resilience.New].
package settingsfile

import (
	"slices"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/config"
)

// File is a settings file without faults. It never changes.
type File struct{ config *config.File }

// Load is [Parse] of the file at path, which is read as [resilience.File] reads
// it. An error of reading is an [*io/fs.PathError].
func Load(path string) (*File, error) {
	text, err := config.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads the text of a settings file. The error lists all its faults; name
// stands for the file in them.
func Parse(name string, text []byte) (*File, error) {
	file, err := config.Inspect(name, text)
	if err != nil {
		return nil, err
	}
	return &File{file}, nil
}

// Names returns the names that a section of the file has, such as "breakers",
// sorted and without "default".
func (f *File) Names(section string) []string { return f.config.Names(section) }

// Effective returns the settings that the file gives a name of a section; of an
// unknown section there are none. The name need not be in the file.
func (f *File) Effective(section, name string) []resilience.Value {
	var values []resilience.Value
	for _, v := range f.config.Effective(section, name) {
		values = append(values, resilience.Value(v))
	}
	return values
}

// Use is what one method of a wrapper takes from the settings.
type Use struct {
	Method   string // such as "Payments.Charge"
	Breaker  string // empty: none
	Bulkhead string // likewise
	Timeout  string // likewise
	Retry    string // likewise
	Rate     string // likewise; of a rate limit
	Fallback string // likewise
	Probe    bool   // the method is the breaker's probe, and nothing guards it
}

// Warnings returns one line for each setting that is allowed but means something
// else than it says, also because of how methods use it.
func (f *File) Warnings(uses ...Use) []string {
	all := make([]config.Use, len(uses))
	for i, use := range uses {
		all[i] = config.Use(use)
	}
	return lines(slices.Concat(f.config.Warnings(), f.config.Misfits(all), f.config.Unprobed(all), f.config.Untargeted(all)))
}

// Compare returns one line for each of the names in use, by section, that the file
// lacks, and for each of its names that nobody uses.
func (f *File) Compare(used map[string][]string) []string { return lines(f.config.Compare(used)) }

func lines(faults config.Faults) []string {
	var all []string
	for _, fault := range faults {
		all = append(all, fault.String())
	}
	return all
}

// Schema returns the JSON Schema (draft 2020-12) of settings files, for editors.
func Schema() []byte { return config.Schema() }

// Starter returns a settings file for the names in use, by section. It says of
// every setting what it does and what holds without it.
func Starter(used map[string][]string) []byte { return config.Starter(used) }
