package directives

import (
	"fmt"
	"go/ast"
)

// rules judges the directives of one interface together, once its default
// name is filled in.
func (p *parser) rules(i Interface) {
	p.fillNames(i.Directives, i.DefaultName())
	for _, method := range i.Methods {
		p.fillNames(method.Directives, i.DefaultName())
		p.noneAlone(method)
		p.oneUse(method, i)
	}
	p.oneProbe(i)
}

// fillNames gives the default name to the directives that write none.
func (p *parser) fillNames(set Set, name string) {
	for n := range set {
		d := &set[n]
		if d.Name.Pos.IsValid() || !d.Kind.mayBeNamed() {
			continue
		}
		d.Name.Pos = d.Slash
		if why := refused(name); why != "" {
			p.fault(d.Slash, d.Kind.Name, "the default name cannot be used, write a NAME: %s", why)
			continue
		}
		d.Name.Text = name
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
		if d.Kind.Guards && method.Directives.OptsOut(d.Kind.Name) {
			p.fault(none.Slash, None, "contradicts %s in line %d, which guards %s; keep one of them", d.Kind.Name, p.line(d.Slash), method.Name.Name)
		}
	}
}

// oneUse reports a bulkhead of which one method would hold permits in two
// ways: as its guard, its preload and its lease.
func (p *parser) oneUse(method Method, i Interface) {
	anticipate, ok := method.Directives.Get(Anticipate)
	if !ok {
		return
	}
	uses := map[string]string{}
	if guard, ok := guardOf(method, i); ok {
		uses[guard.Name.Text] = fmt.Sprintf("the guard of line %d", p.line(guard.Slash))
	}
	p.reserveOnce(method, anticipate.Preload, "preload", uses)
	p.reserveOnce(method, anticipate.Lease, "lease", uses)
}

// guardOf is the bulkhead that guards a method: its own replaces the type's.
func guardOf(method Method, i Interface) (Directive, bool) {
	if own, ok := method.Directives.Get(Bulkhead); ok {
		return own, true
	}
	return i.Directives.Get(Bulkhead)
}

// reserveOnce adds the reservations of a key to the uses of bulkheads so far.
func (p *parser) reserveOnce(method Method, reservations []Reservation, key string, uses map[string]string) {
	for _, reservation := range reservations {
		bulkhead := reservation.Bulkhead
		use, twice := uses[bulkhead.Text]
		switch {
		case bulkhead.Text == "":
		case twice:
			p.fault(bulkhead.Pos, Anticipate, "bulkhead %s is used twice by %s, in %s and again in %s; drop one of them",
				bulkhead.Text, method.Name.Name, use, key)
		default:
			uses[bulkhead.Text] = key
		}
	}
}

// oneProbe reports further probes of one breaker.
func (p *parser) oneProbe(i Interface) {
	probes := map[string]*ast.Ident{}
	for _, method := range i.Methods {
		probe, ok := method.Directives.Get(Probe)
		if !ok || probe.Name.Text == "" {
			continue
		}
		if first, twice := probes[probe.Name.Text]; twice {
			p.fault(probe.Name.Pos, Probe, "breaker %s has a probe already, %s in line %d; keep one of them",
				probe.Name.Text, first.Name, p.line(first.Pos()))
			continue
		}
		probes[probe.Name.Text] = method.Name
	}
}
