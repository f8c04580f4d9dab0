package generator

import (
	"fmt"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
	"github.com/resgen-go/resgen/internal/later"
)

// checkRepeats reports a method that can't be called again with the same arguments,
// because one of them is used up by the first call.
func (c *checker) checkRepeats(m *method, i item) {
	if !i.Row.Repeats || i.Key != "" {
		return
	}
	d, _ := m.repeated()
	if m.context.Carried {
		c.fault(d.Slash, i.Row.Name, "the context of %s is in its %s, which is for one call; only a method with a context.Context of its own can be called again",
			m.Name(), c.spell(m.context.Type))
		return
	}
	params := m.Signature().Params()
	for n := range params.Len() {
		if v := params.At(n); later.Once(v.Type()) {
			c.fault(d.Slash, i.Row.Name, "parameter %s of %s can be read only once; take []byte, or leave the method out", nameOr(v.Name(), n), m.Name())
		}
	}
}

// nameOr is how a message names the n-th parameter.
func nameOr(name string, n int) string {
	if name == "" || name == "_" {
		return fmt.Sprint(n + 1)
	}
	return name
}

// usedUp warns of arguments of which a part may be used up by the first call.
func (c *checker) usedUp(targets []*target) (faults fault.List) {
	for _, t := range targets {
		for _, m := range t.methods {
			d, repeats := m.repeated()
			if !repeats {
				continue
			}
			for v := range m.Signature().Params().Variables() {
				if field, once := later.OnceWithin(v.Type()); once {
					faults = append(faults, c.warning(d.Slash, d.Row.Name,
						"%s.%s, which %s is called with, can be read only once, so a second attempt may send nothing; leave the method out unless its callers can rewind it",
						c.spell(v.Type()), field, m.Name()))
				}
			}
		}
	}
	return faults
}

// repeated is the directive by which a method may be called again.
func (m *method) repeated() (d directives.Directive, repeats bool) {
	for _, d := range m.own {
		if d.Row.Repeats {
			return d, true
		}
	}
	return directives.Directive{}, false
}
