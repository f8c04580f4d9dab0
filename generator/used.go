package generator

import (
	"maps"
	"slices"

	"github.com/resgen-go/resgen/directives"
)

// Used returns the names that the wrappers ask their registry for, sorted, by
// the section of the settings file that has them.
func (r Result) Used() map[string][]string {
	bySection := map[string]names{}
	use := func(section *directives.Section, refs ...directives.Ref) {
		if section == nil {
			return
		}
		if bySection[section.Name] == nil {
			bySection[section.Name] = names{}
		}
		for _, ref := range refs {
			bySection[section.Name].add(directives.BaseOf(ref.Text))
		}
	}
	for _, row := range directives.Table {
		for _, param := range row.Params {
			use(param.Section)
		}
	}
	for w := range r.wrappers() {
		for _, probe := range w.Probes {
			use(directives.RowOf(directives.Probe).Section(), directives.Ref{Text: probe.Breaker})
		}
		for _, m := range w.Methods {
			for _, item := range m.Guard {
				use(item.Section, item.Refs...)
			}
		}
	}
	used := map[string][]string{}
	for section, names := range bySection {
		used[section] = names.sorted()
	}
	return used
}

// Use is what one method has by the settings.
type Use struct {
	Method string            // with its interface: "Payments.Charge"
	Names  map[string]string // of its own guards, by section: "breakers" gives "payments"
	Probe  bool              // it is the health check of the breaker, without a guard
}

// Uses are those of all methods with a guard, and of the probes.
func (r Result) Uses() (all []Use) {
	for w := range r.wrappers() {
		for _, m := range w.Methods {
			if len(m.Guard) == 0 {
				continue
			}
			use := Use{Method: w.Interface + "." + m.Name, Names: map[string]string{}}
			for _, item := range m.Guard.own() {
				use.Names[item.Section.Name] = item.Refs[0].Text
			}
			all = append(all, use)
		}
		for _, p := range w.Probes {
			section := directives.RowOf(directives.Probe).Section().Name
			all = append(all, Use{Method: w.Interface + "." + p.Method, Names: map[string]string{section: p.Breaker}, Probe: true})
		}
	}
	return all
}

// sorted are the names, without the empty one.
func (n names) sorted() []string {
	delete(n, "")
	return slices.Sorted(maps.Keys(n))
}
