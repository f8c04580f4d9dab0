package generator

import (
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
)

// entryName is one entry of the settings.
type entryName struct {
	section *directives.Section
	name    string
}

// halfway warns of entries that reserve a part of what the calls under them need: a
// rate limit that the calls pass may let some of them begin and refuse the rest.
func halfway(outcomes []outcome) fault.List {
	spent := map[entryName][]entryName{} // by calls that also take of the key
	for _, out := range outcomes {
		for _, plan := range out.plans {
			for _, w := range plan.Wrappers {
				for _, m := range w.Methods {
					m.Guard.addSpent(spent)
				}
			}
		}
	}
	var faults fault.List
	for _, out := range outcomes {
		for _, reserved := range out.usage.reserved {
			faults = append(faults, reserved.halfway(spent)...)
		}
	}
	return faults
}

// addSpent notes the names of which each call uses something up, beside the other
// names that guard it.
func (g guard) addSpent(spent map[entryName][]entryName) {
	own := g.own()
	for _, used := range own {
		for _, other := range own {
			key, name := entryName{other.Section, other.Refs[0].Text}, entryName{used.Section, used.Refs[0].Text}
			if used.Section.Spent && key != name && !slices.Contains(spent[key], name) {
				spent[key] = append(spent[key], name)
			}
		}
	}
}

// reserved are the names that one entry reserves of.
type reserved []reference

func (r reserved) halfway(spent map[entryName][]entryName) (faults fault.List) {
	for _, ref := range r {
		for _, used := range spent[entryName{ref.section, ref.name}] {
			has := func(other reference) bool { return other.section == used.section && other.name == used.name }
			if slices.ContainsFunc(r, has) {
				continue
			}
			faults = append(faults, directives.Warning(ref.at, ref.directive,
				"calls that take a %s of %s %s also take a %s of %s %s, which may refuse some of them when others have begun; reserve with %s=%[6]s:n",
				ref.section.Unit, ref.section.Noun, ref.name, used.section.Unit, used.section.Noun, used.name, keyOf(ref.directive, used.section)))
		}
	}
	return faults
}

// keyOf is the argument of a directive that reserves of a section.
func keyOf(directive string, section *directives.Section) string {
	params := directives.RowOf(directive).Params
	i := slices.IndexFunc(params, func(p directives.Param) bool { return p.Form == directives.CountList && p.Section == section })
	return params[i].Key
}
