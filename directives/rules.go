package directives

import (
	"fmt"
	"go/ast"
	"slices"
)

// rules judges the directives of one interface together, once its default
// name is filled in.
func (p *parser) rules(i Interface) {
	p.fillNames(i.Directives, i.DefaultName())
	for _, method := range i.Methods {
		p.fillNames(method.Directives, i.DefaultName())
		p.noneAlone(method)
		p.oneCall(method)
		p.oneUse(method, i)
	}
	p.oneProbe(i)
}

// fillNames gives the default name to the directives that write none.
func (p *parser) fillNames(set Set, name string) {
	for n := range set {
		d := &set[n]
		if !d.Row.mayBeNamed() || d.Name().Pos.IsValid() {
			continue
		}
		if why := refused(name); why != "" {
			p.fault(d.Slash, d.Row.Name, "the default name cannot be used, write a NAME: %s", why)
			name = ""
		}
		d.put(d.Row.param(""), Ref{Text: name, Pos: d.Slash})
	}
}

// noneAlone reports a method that is opted out of guards and has such guards. A
// probe is none: its method may well be left unguarded.
func (p *parser) noneAlone(method Method) {
	none, ok := method.Directives.Get(None)
	if !ok {
		return
	}
	for _, d := range method.Directives {
		if d.Row.Guards() && method.Directives.OptsOut(d.Row.Name) {
			p.fault(none.Slash, None, "contradicts %s in line %d, which guards %s; keep one of them", d.Row.Name, p.line(d.Slash), method.Name.Name)
		}
	}
}

// oneCall reports a method that a directive may call more than once, beside another
// directive that is for one call.
func (p *parser) oneCall(method Method) {
	for _, repeats := range method.Directives {
		for _, once := range method.Directives {
			if repeats.Row.Repeats && once.Row.Once {
				p.fault(repeats.Slash, repeats.Row.Name, "does not go together with %s in line %d, which is for one call; keep one of them",
					once.Row.Name, p.line(once.Slash))
			}
		}
	}
}

// oneUse reports an entry of the settings that one method would use in two ways,
// such as a bulkhead as its guard, its preload and its lease.
func (p *parser) oneUse(method Method, i Interface) {
	uses := map[string]string{} // by section and name
	for _, d := range inForce(method, i) {
		if section := d.Row.Section(); section != nil {
			uses[section.Name+d.Name().Text] = fmt.Sprintf("the guard of line %d", p.line(d.Slash))
		}
	}
	for _, d := range method.Directives {
		for _, arg := range d.Args {
			if arg.Form == CountList {
				p.reserveOnce(method, d, arg, uses)
			}
		}
	}
}

// inForce are the directives that guard a method: its own, and those of the type
// that it neither replaces nor opts out of.
func inForce(method Method, i Interface) Set {
	set := slices.Clone(method.Directives)
	for _, d := range i.Directives {
		if _, own := set.Get(d.Row.Name); !own && !method.Directives.OptsOut(d.Row.Name) {
			set = append(set, d)
		}
	}
	return slices.DeleteFunc(set, func(d Directive) bool { return !d.Row.Guards() })
}

// reserveOnce adds the reservations of an argument to the uses so far.
func (p *parser) reserveOnce(method Method, d Directive, arg Argument, uses map[string]string) {
	for _, ref := range arg.Refs {
		use, twice := uses[arg.Section.Name+ref.Text]
		switch {
		case ref.Text == "":
		case twice:
			p.fault(ref.Pos, d.Row.Name, "%s %s is used twice by %s, in %s and again in %s; drop one of them",
				arg.Section.Noun, ref.Text, method.Name.Name, use, arg.Key)
		default:
			uses[arg.Section.Name+ref.Text] = arg.Key
		}
	}
}

// oneProbe reports further probes of one breaker.
func (p *parser) oneProbe(i Interface) {
	probes := map[string]*ast.Ident{}
	for _, method := range i.Methods {
		probe, ok := method.Directives.Get(Probe)
		name := probe.Name()
		if !ok || name.Text == "" {
			continue
		}
		if first, twice := probes[name.Text]; twice {
			p.fault(name.Pos, Probe, "breaker %s has a probe already, %s in line %d; keep one of them", name.Text, first.Name, p.line(first.Pos()))
			continue
		}
		probes[name.Text] = method.Name
	}
}
