package config

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// foreignTable is read by [readForeign].
//
//go:embed foreign.txt
var foreignTable string

// foreign are the names that other tools use, with our names for them.
var foreign = readForeign(foreignTable)

type foreignNames struct {
	around   map[string]string   // names of objects around settings, with our section, "-" for none
	settings map[string][]target // names of settings, with ours
}

// target is a setting of a section.
type target struct{ section, setting string }

func readForeign(table string) foreignNames {
	all := foreignNames{map[string]string{}, map[string][]target{}}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, ours := range words[1:] {
			section, setting, isSetting := strings.Cut(ours, ".")
			if isSetting {
				all.settings[words[0]] = append(all.settings[words[0]], target{section, setting})
			} else {
				all.around[words[0]] = section
			}
		}
	}
	return all
}

// plainName is a name as the table has it.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// hint names our setting in place of another tool's name in the entry e, whose
// variant is nil where that is not clear.
func (s *section) hint(e *entry, name string) (text, meant string, ok bool) {
	targets := foreign.settings[plainName(name)]
	here := slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return t.section != s.name })
	for _, t := range here {
		if slices.Contains(s.known(e.variant), t.setting) {
			return "did you mean " + t.setting + "?", t.setting, true
		}
	}
	if len(here) > 0 {
		t := here[0]
		return "did you mean " + t.setting + ", which belongs to " + enumerate(variantNames(s.owners(t.setting))) + "?", t.setting, true
	}
	if around := foreign.around[plainName(name)]; around != "" && around != "-" && (len(targets) == 0 || around != s.name) {
		return "write " + around + "." + lastName(e.path, around) + "…", "", true
	}
	if len(targets) > 0 {
		return "write " + targets[0].section + "." + lastName(e.path, targets[0].section) + targets[0].setting, "", true
	}
	return "", "", false
}

// lastName is the name of the entry at a path, with a dot behind it, to begin the
// path of a setting in another section. It is empty if that section has no names.
func lastName(path, section string) string {
	_, name, named := strings.Cut(path, ".")
	switch {
	case section == SharedState:
		return ""
	case !named || !isName(name):
		return "NAME."
	}
	return name + "."
}

// maxHints is how many places a message shows.
const maxHints = 3

// elsewhere lists our paths for the settings under a name that is no section. The
// files of other tools nest names, sections and settings in another order.
func elsewhere(name string, v hujson.Value) string {
	var all []string
	var walk func(way []string, v hujson.Value)
	walk = func(way []string, v hujson.Value) {
		if len(all) > maxHints {
			return
		}
		object, isObject := v.Value.(*hujson.Object)
		place, ok := placeOf(way, isObject)
		switch {
		case ok && !slices.Contains(all, place):
			all = append(all, place)
		case !ok && isObject && len(way) < maxDepth:
			for _, m := range object.Members {
				walk(append(slices.Clip(way), strings.Split(nameOf(m), ".")...), m.Value)
			}
		}
	}
	walk(strings.Split(name, "."), v)
	if len(all) > maxHints {
		all = append(all[:maxHints:maxHints], "…")
	}
	return strings.Join(all, ", ")
}

// placeOf is our path for an object of settings, or for one setting, that another
// tool has at a path of names.
func placeOf(way []string, isObject bool) (place string, ok bool) {
	section, setting := "", "…"
	var names []string
	for i, step := range way {
		around, known := foreign.around[plainName(step)]
		switch {
		case !isObject && i == len(way)-1:
			setting = step
		case !known:
			names = append(names, step)
		case around != "-":
			section = around
		}
	}
	if targets := foreign.settings[plainName(setting)]; len(targets) > 0 {
		if i := slices.IndexFunc(targets, func(t target) bool { return t.section == section }); i >= 0 {
			setting = targets[i].setting
		}
	}
	switch {
	case section == "" || isObject && len(names) == 0 && section != SharedState:
		return "", false
	case section == SharedState:
		return section + "." + shown(setting), true
	case len(names) == 0:
		names = []string{"NAME"}
	}
	return section + "." + shown(names[0]) + "." + shown(setting), true
}

// shown is a name of somebody else's file as a message shows it.
func shown(name string) string {
	if name != "…" && !isName(name) {
		return "NAME"
	}
	return shorten(name)
}
