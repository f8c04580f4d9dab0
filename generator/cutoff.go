package generator

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/fault"
	"github.com/resgen-go/resgen/internal/later"
)

// cutOff warns of deadlines that end too early: the context of a call ends when
// the method returns, and what its caller reads from the result ends with it.
// There is one line for an interface, however many of its methods are concerned.
func (c *checker) cutOff(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		var cut []*method
		for _, m := range t.methods {
			if m.cutOff != "" {
				cut = append(cut, m)
			}
		}
		if len(cut) > 0 {
			deadline, _ := cut[0].guard.with(directives.Deadline)
			faults = append(faults, c.warning(t.placeOf(deadline.Row, cut[0]), deadline.Row.Name, "%s", cutOffText(cut, deadline.Row)))
		}
	}
	return faults
}

func cutOffText(cut []*method, row *directives.Row) string {
	if len(cut) == 1 {
		return fmt.Sprintf("the context of %s ends when it returns, and with it what is read afterwards from its %s; put %s on it, or read inside",
			cut[0].Name(), cut[0].cutOff, cure(cut, row))
	}
	return fmt.Sprintf("the contexts of %s end when they return, and with them what is read afterwards from their results, as from %s; put %s on them, or read inside",
		fewNames(cut), cut[0].cutOff, cure(cut, row))
}

// cure is the directive, or its absence, that lets the results be read.
func cure(cut []*method, row *directives.Row) string {
	none, absent := fmt.Sprintf("//%s:%s %s", directives.Tool, directives.None, row.Name), "no "+row.Noun()
	if !slices.ContainsFunc(cut, func(m *method) bool { return !m.holdable() }) {
		none = fmt.Sprintf("//%s:%s or %s", directives.Tool, directives.Stream, none)
	}
	own := func(m *method) bool { _, own := m.own.Get(row.Name); return own }
	switch {
	case !slices.ContainsFunc(cut, own):
		return none
	case slices.ContainsFunc(cut, func(m *method) bool { return !own(m) }):
		return none + " or " + absent
	}
	return absent
}

// fewNames are the names of some methods, and how many more there are.
func fewNames(methods []*method) string {
	const few = 3
	var list []string
	for _, m := range methods {
		list = append(list, m.Name())
	}
	if len(list) > few+1 {
		list = append(list[:few], fmt.Sprintf("%d more (-list names them)", len(list)-few))
	}
	return joined(list)
}

// cutOffBy is what is read from the result of a method after its deadline; empty
// if there is nothing.
func (c *checker) cutOffBy(m *method) string {
	if _, bounded := m.guard.with(directives.Deadline); !bounded || m.stream != nil {
		return ""
	}
	reading, ok := later.Of(m.Signature())
	if !ok {
		return ""
	}
	return reading.Phrase(c.spell)
}

// unreserved warns of entries whose reservation has ended when the calls are made
// that it was for: those behind a result that is read after the entry's return.
func (c *checker) unreserved(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		for _, m := range t.methods {
			reading, ok := later.Of(m.Signature())
			if !ok || m.stream != nil || !slices.ContainsFunc(m.guard, func(i item) bool { return i.Form == directives.CountList }) {
				continue
			}
			reservation, _ := m.guard.with(directives.Reservation)
			faults = append(faults, c.warning(t.placeOf(reservation.Row, m), reservation.Row.Name,
				"the reservation of %s ends when it returns, so calls that are made while its %s is read have no part in it; read inside, or reserve nothing",
				m.Name(), reading.Phrase(c.spell)))
		}
	}
	return faults
}

// placeOf is where a method gets a guard: at its own directive, else at the
// method, else, if another interface declares it, at the directive of the type.
func (t *target) placeOf(row *directives.Row, m *method) token.Pos {
	if d, ok := m.own.Get(row.Name); ok {
		return d.Slash
	}
	if t.has(m) {
		return m.Pos()
	}
	d, _ := t.annotated.Directives.Get(row.Name)
	return d.Slash
}

// has reports whether a method stands in the interface itself, not in one that it
// embeds.
func (t *target) has(m *method) bool {
	return t.annotated.Spec.Pos() <= m.Pos() && m.Pos() < t.annotated.Spec.End()
}
