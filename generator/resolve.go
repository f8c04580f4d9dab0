package generator

import (
	"fmt"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/nearest"
)

// resolve settles what stands before a method: its own directives, and of the type
// those of whose rows it has none.
func (c *checker) resolve(t *target, m *method) {
	for i := range directives.Table {
		row := &directives.Table[i]
		if !row.Guards() {
			continue
		}
		if d, ok := c.applying(t, m, row); ok {
			t.noteName(d)
			m.guard = append(m.guard, c.items(t, m, d)...)
		}
	}
	for _, item := range m.guard {
		c.checkCounts(t, m, item)
		c.checkRepeats(m, item)
	}
	if d, ok := m.own.Get(directives.Probe); ok {
		c.resolveProbe(t, m, d)
	}
	if !m.guarded() {
		m.why = c.whyUnguarded(m)
	}
	if d, ok := m.own.Get(directives.Stream); ok {
		c.resolveStream(t, m, d)
	}
	if m.answersUnjudged() {
		m.skipped = append(m.skipped, "no judge of answers: a 503 counts as a success")
	}
}

// items are what a directive fills in, in the order of its row.
func (c *checker) items(t *target, m *method, d directives.Directive) (items guard) {
	for i := range d.Row.Params {
		arg := d.Arg(d.Row.Params[i].Key)
		if len(arg.Refs) == 0 {
			continue
		}
		item := item{Row: d.Row, Param: arg.Param, Refs: arg.Refs}
		if find := c.finder(arg.Form); find != nil && !find(t, m, &item) {
			continue
		}
		if !c.numbers(m, &item) {
			continue
		}
		items = append(items, item)
	}
	return items
}

// finder finds the function of an item of that form; it is nil for names.
func (c *checker) finder(form directives.Form) func(*target, *method, *item) (holds bool) {
	switch form {
	case directives.Function:
		return c.holds
	case directives.StandIn:
		return c.standIn
	case directives.Key:
		return c.byKey
	}
	return nil
}

// checkCounts reports reservations that can never be had, and an entry of the
// settings that guards a method and that the method reserves, too, where the two
// are said in different interfaces.
func (c *checker) checkCounts(t *target, m *method, i item) {
	if i.Form != directives.CountList {
		return
	}
	for _, ref := range i.Refs {
		c.checkLimit(i, ref)
		guards := func(own item) bool { return own.Section == i.Section && own.Refs[0].Text == ref.Text && ref.Text != "" }
		if slices.ContainsFunc(m.guard.own(), guards) && !t.declares(m.Name()) {
			c.fault(ref.Pos, i.Row.Name, "%s %s is used twice by %s in %s, which guards with it; reserve from another",
				i.Section.Noun, ref.Text, m.Name(), t.name)
		}
	}
}

func (c *checker) checkLimit(i item, ref directives.Ref) {
	s := i.Section
	if c.limit == nil || ref.Text == "" || s.Limit == "" || s.Unless != "" && c.limit(s.Name, ref.Text, s.Unless) == math.MaxInt {
		return
	}
	if limit := c.limit(s.Name, ref.Text, s.Limit); ref.Count.N > limit {
		c.fault(ref.Count.Pos, i.Row.Name, "%d %ss of %s %s can never be had: its %s is %d; reserve fewer, or raise it",
			ref.Count.N, s.Unit, s.Noun, ref.Text, s.Limit, limit)
	}
}

// applying is the directive of a row that holds for a method. One of the type
// is passed over where the method cannot carry it; one of the method is a fault
// there.
func (c *checker) applying(t *target, m *method, row *directives.Row) (directives.Directive, bool) {
	obstacle := c.obstacle(m, row)
	if d, ok := m.own.Get(row.Name); ok {
		if obstacle != nil {
			c.fault(d.Slash, row.Name, "%s %s", m.Name(), obstacle.fault)
		}
		return d, obstacle == nil
	}
	d, ok := t.annotated.Directives.Get(row.Name)
	switch {
	case !ok:
		return d, false
	case m.own.OptsOut(row.Name):
		m.skipped = append(m.skipped, fmt.Sprintf("no %s %s: it is marked %s", row.Noun(), d.Name().Text, noneOf(m.own)))
		return d, false
	case obstacle != nil:
		m.skipped = append(m.skipped, fmt.Sprintf("no %s %s: %s", row.Noun(), d.Name().Text, obstacle.why))
		m.lacking = append(m.lacking, row)
	}
	return d, obstacle == nil
}

// noneOf is the directive by which a method is opted out, without its tool.
func noneOf(set directives.Set) string {
	none, _ := set.Get(directives.None)
	words := []string{directives.None}
	for _, kind := range none.Kinds() {
		words = append(words, kind.Text)
	}
	return strings.Join(words, " ")
}

// overrides reports whether a directive of the type does not count for a method,
// because of what stands on the method itself.
func (m *method) overrides(row *directives.Row) bool {
	_, own := m.own.Get(row.Name)
	return own || m.own.OptsOut(row.Name)
}

// obstacle is why a method cannot carry a guard.
type obstacle struct {
	why   string // of a directive on the type
	fault string // of one on the method
}

// obstacle is nil if the method can carry the guard of a row.
func (c *checker) obstacle(m *method, row *directives.Row) *obstacle {
	if last := lastResult(m.Signature()); !returnsError(m.Signature()) && !m.answered() {
		return &obstacle{
			why:   "it returns no error",
			fault: "needs error as its last result to return a refusal, or a fallback; " + c.unlikeError(last),
		}
	}
	switch needs := "needs a context.Context parameter to carry " + string(row.Needs); {
	case row.Needs == "":
	case m.context.Index < 0:
		return &obstacle{why: "it has no context", fault: needs}
	case m.context.Fixed:
		t := c.spell(m.context.Type)
		return &obstacle{
			why:   "the context of its " + t + " cannot be replaced",
			fault: needs + fmt.Sprintf("; its %s has no WithContext(context.Context) %[1]s by which it would carry that", t),
		}
	}
	return nil
}

func lastResult(sig *types.Signature) types.Type {
	results := sig.Results()
	if results.Len() == 0 {
		return nil
	}
	return results.At(results.Len() - 1).Type()
}

func returnsError(sig *types.Signature) bool {
	last := lastResult(sig)
	return last != nil && isError(last)
}

// unlikeError says what a method returns last instead of error.
func (c *checker) unlikeError(last types.Type) string {
	if last == nil {
		return "it returns nothing"
	}
	if named, ok := last.(interface{ Obj() *types.TypeName }); ok && named.Obj().Name() == "error" {
		return "its error is the type that is declared at " + c.place(named.Obj().Pos())
	}
	return "its last result is " + c.spell(last)
}

// spell is a type as the messages show it.
func (c *checker) spell(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg.Path() == c.pkg.Types.Path() {
			return ""
		}
		return pkg.Name()
	})
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// whyUnguarded says why a method passes through.
func (c *checker) whyUnguarded(m *method) string {
	none, marked := m.own.Get(directives.None)
	switch {
	case marked && (len(none.Kinds()) == 0 || len(m.lacking) == 0):
		return "it is marked " + noneOf(m.own)
	case len(m.lacking) == 0:
		return "it has no directive"
	case !returnsError(m.Signature()):
		return "it returns no error"
	}
	return c.obstacle(m, m.lacking[0]).why + " for a " + m.lacking[0].Noun()
}

func (c *checker) resolveProbe(t *target, m *method, d directives.Directive) {
	sig := m.Signature()
	if sig.Params().Len() != 1 || m.context.Index != 0 || m.context.Carried || sig.Results().Len() != 1 || !isError(lastResult(sig)) {
		c.fault(d.Slash, directives.Probe, "%s needs the shape func(context.Context) error to be a probe; it is %s",
			m.Name(), c.spell(unnamed(sig)))
		return
	}
	name := d.Name()
	for _, probe := range t.probes {
		if probe.Breaker != name.Text {
			continue
		}
		if !t.declares(m.Name()) || !t.declares(probe.Method) {
			c.fault(name.Pos, directives.Probe, "breaker %s has a probe in %s already, %s; keep one of them", name.Text, t.name, probe.Method)
		}
		return
	}
	t.noteName(d)
	t.probes = append(t.probes, probe{Breaker: name.Text, Method: m.Name()})
}

// unnamed is a signature without the names of its parameters and results.
func unnamed(sig *types.Signature) *types.Signature {
	strip := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, strip(sig.Params()), strip(sig.Results()), sig.Variadic())
}

func didYouMean(name string, valid []string) string {
	if meant, ok := nearest.Name(name, valid); ok {
		return "; did you mean " + meant + "?"
	}
	return ""
}
