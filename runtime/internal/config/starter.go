package config

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/resgen-go/resgen/internal/column"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Starter is a complete file for names in use, by section: an empty object for each
// name, and comments that show every setting with its default, meaning and range.
// The settings are in comments only, because a setting in the file would hold for
// breakers of other strategies too, and outlive the built-in default. Names of
// unknown sections are left out.
func Starter(used map[string][]string) []byte { return standard.starter(used) }

// Compare reports the names in use that the file lacks, and, at their places, the
// names of the file that are not in use. used has names by section.
func (f *File) Compare(used map[string][]string) Faults {
	var all Faults
	for _, s := range f.format {
		if s.single {
			continue
		}
		all = append(all, f.compare(&s, used)...)
	}
	return all.settle()
}

func (f *File) compare(s *section, inUse map[string][]string) (all Faults) {
	section, used := s.name, inUse[s.name]
	if s.follows != nil {
		used = s.follows(f, inUse)
	}
	names := f.Names(section)
	unused := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(used, name) || slices.Contains(used, Base(name))
	})
	for _, name := range used {
		if s.follows != nil || slices.Contains(names, name) {
			continue
		}
		message := "not in the file, so the defaults hold"
		if near, ok := near(name, unused); ok {
			message += "; did you mean the unused " + near + "?"
		}
		all = append(all, Fault{File: f.name, Path: join(section, name), Message: message})
	}
	for _, name := range unused {
		e := f.sections[section].named[name]
		all = append(all, Fault{File: f.name, Line: e.line, Column: e.column, Path: e.path, Message: "no wrapper asks for it"})
	}
	return all
}

func (f format) starter(used map[string][]string) []byte {
	file := listing{{
		comments: []string{"Editors check and complete this file with the schema that `resgen schema` prints."},
		code:     `"$schema": "./resilience.schema.json"`,
	}}
	for _, s := range f {
		file = append(file, part{
			comments: []string{s.doc},
			code:     pair(s.name, s.starter(used[s.name]).indented("  ")),
		})
	}
	return []byte(file.indented("") + "\n")
}

// starter is the defaults of the section, and an object without fields for each
// name.
func (s *section) starter(used []string) listing {
	if s.single {
		return listing{{comments: s.showcase().comments}}
	}
	all := listing{{
		comments: []string{"What holds for every " + s.one + " whose own object says nothing else."},
		code:     pair(fallback, listing{s.showcase()}.indented("    ")),
	}}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(used))) {
		if name != fallback {
			all = append(all, part{code: pair(name, "{}")})
		}
	}
	return all
}

// showcase is the choice of a variant, if there is one, under comments with the
// settings of each, and with those that all of them have.
func (s *section) showcase() (p part) {
	common := s.common()
	for _, v := range s.variants {
		if s.choose != "" {
			p.comments = append(p.comments, v.name+": "+v.doc)
		}
		for _, shown := range v.shown() {
			if !slices.Contains(common, shown) {
				p.comments = append(p.comments, shown)
			}
		}
	}
	if len(common) > 0 {
		p.comments = append(append(p.comments, "All of them:"), common...)
	}
	if s.choose != "" {
		p.code = pair(s.choose, strconv.Quote(s.variants[0].name))
	}
	return p
}

// common are the settings that all of several variants show alike.
func (s *section) common() []string {
	if len(s.variants) == 1 {
		return nil
	}
	return slices.DeleteFunc(s.variants[0].shown(), func(shown string) bool {
		return slices.ContainsFunc(s.variants, func(v variant) bool { return !slices.Contains(v.shown(), shown) })
	})
}

// shown are the settings of a variant as comments show them.
func (v *variant) shown() (all []string) {
	for _, f := range v.fields() {
		all = append(all, "  "+v.show(&f))
	}
	return all
}

// show is a setting as one writes it, and what it means.
func (v *variant) show(f *setting.Field) string {
	meaning := fmt.Sprintf(" // %s; %s", f.Doc, column.Together(f.Allowed()))
	switch {
	case f.Like != "":
		like := v.field(f.Like)
		return fmt.Sprintf("%q: %s,%s; default: that of %s", f.Name, scalar(plain(like.Default)), meaning, f.Like)
	case f.Default == nil:
		return fmt.Sprintf("%q:%s; optional", f.Name, meaning)
	}
	return fmt.Sprintf("%q: %s,%s", f.Name, scalar(plain(f.Default)), meaning)
}

func pair(name, value string) string { return strconv.Quote(name) + ": " + value }

// listing is an object as a person reads it.
type listing []part

// part is comments and the member that they explain, if any.
type part struct {
	comments []string
	code     string
}

// indented is the object as text whose last line has this indentation. There is
// no comma after the last member.
func (l listing) indented(by string) string {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, p := range l {
		for _, c := range p.comments {
			fmt.Fprintln(&b, column.Wrap(by+"  // "+c, by+"  //     "))
		}
		if p.code == "" {
			continue
		}
		b.WriteString(by + "  " + p.code)
		if slices.ContainsFunc(l[i+1:], func(p part) bool { return p.code != "" }) {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(by + "}")
	return b.String()
}
