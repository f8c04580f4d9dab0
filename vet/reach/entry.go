package reach

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/vet/internal/entries"
	"github.com/resgen-go/resgen/vet/internal/guards"
)

// key is a guard: its kind and name.
type key struct{ kind, name string }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.kind, o.kind), cmp.Compare(k.name, o.name))
}

// row is one guard of an entry.
type row struct {
	declared string // empty: not at all
	n        int    // permits or tokens declared; 0: another kind, or only the call knows
	calls    count
	way      string // of one of the shortest ways to it
}

// count is how many calls are written on the ways to a guard.
type count struct {
	n       int
	looping bool // one is in a loop, or a function calls itself
}

// plenty is where counting ends: only a function that calls itself gets there.
const plenty = 1000

func (c count) String() string {
	switch {
	case c.n >= plenty:
		return "n ≥ 1"
	case c.looping:
		return fmt.Sprintf("n ≥ %d", c.n)
	}
	return fmt.Sprint(c.n)
}

func (c count) plus(o count) count {
	return count{min(c.n+o.n, plenty), c.looping || o.looping}
}

// in is c on the way through a site.
func (c count) in(s site) count { return count{c.n, c.looping || s.looping} }

// rows are the guards that an entry declares, and those that the calls under it reach.
func (p *program) rows(e *entries.Entry) map[key]*row {
	rows := map[key]*row{}
	at := func(kind, name string) *row {
		k := key{kind, name}
		if rows[k] == nil {
			rows[k] = &row{}
		}
		return rows[k]
	}
	declare := func(kind, how string, list []guards.Count) {
		for _, c := range list {
			base, _, _ := strings.Cut(c.Name, "/")
			r := at(kind, base)
			r.declared, r.n = how, c.N
		}
	}
	declare(breaker, "check", e.Method.Check)
	declare(rateLimit, "rate", e.Method.Rate)
	declare(bulkhead, "preload", e.Method.Preload)
	declare(bulkhead, "lease", e.Method.Lease)
	for _, r := range p.reached(e) {
		for _, k := range guardsOf(r.call.Method) {
			found := at(k.kind, k.name)
			found.calls = found.calls.plus(r.count)
			found.way = cmp.Or(found.way, r.way)
		}
	}
	return rows
}

const (
	breaker   = "breaker"
	rateLimit = "rate limit"
	bulkhead  = "bulkhead"
)

// guardsOf are the guards of a method that may refuse a call.
func guardsOf(m guards.Method) (list []key) {
	for _, k := range []key{{breaker, m.Breaker}, {rateLimit, m.RateLimit}, {bulkhead, m.Bulkhead}} {
		if k.name != "" {
			list = append(list, k)
		}
	}
	return list
}

// reached is a guarded call under an entry.
type reached struct {
	call guards.Call
	count
	way string
}

// reached are the guarded calls under an entry, the nearest first.
func (p *program) reached(e *entries.Entry) (list []reached) {
	start := e.TypesInfo.Defs[e.Decl.Name].(*types.Func)
	order, before := p.ways(start)
	counts := p.counts(start, order)
	for _, fn := range order {
		for _, s := range p.sites(fn) {
			if s.guarded.Interface != "" {
				list = append(list, reached{s.guarded, counts[fn].in(s), way(before, fn, e.Pkg) + " → " + s.guarded.String()})
			}
		}
	}
	return list
}

// ways are the functions that one reaches, the nearest first, and from which
// function each was reached.
func (p *program) ways(start *types.Func) (order []*types.Func, before map[*types.Func]*types.Func) {
	order, before = []*types.Func{start}, map[*types.Func]*types.Func{start: nil}
	for i := 0; i < len(order); i++ {
		for _, s := range p.sites(order[i]) {
			for _, to := range s.to {
				if _, seen := before[to]; !seen {
					before[to] = order[i]
					order = append(order, to)
				}
			}
		}
	}
	return order, before
}

// counts is how often functions are called below one that is called once. They
// are counted anew until nothing changes; where functions call each other, that
// is when plenty is reached.
func (p *program) counts(start *types.Func, order []*types.Func) map[*types.Func]count {
	counts := map[*types.Func]count{}
	for {
		next := map[*types.Func]count{start: {n: 1}}
		for _, fn := range order {
			for _, s := range p.sites(fn) {
				for _, to := range s.to {
					next[to] = next[to].plus(counts[fn].in(s))
				}
			}
		}
		if maps.Equal(counts, next) {
			return counts
		}
		counts = next
	}
}

// way names the functions from the first to one.
func way(before map[*types.Func]*types.Func, fn *types.Func, from *types.Package) string {
	var names []string
	for ; fn != nil; fn = before[fn] {
		names = append(names, nameOf(fn, from))
	}
	slices.Reverse(names)
	return strings.Join(names, " → ")
}

// nameOf is a function as the package from would call it.
func nameOf(fn *types.Func, from *types.Package) string {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = guards.Named(recv.Type()).Name() + "." + name
	}
	if fn.Pkg() != from {
		name = fn.Pkg().Name() + "." + name
	}
	return name
}
