package resilience

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
)

// EntrySnapshot is one anticipated method: whether it would begin, and whether those
// calls that began could finish.
type EntrySnapshot struct {
	Method    string    `json:"method"`
	Begins    bool      `json:"begins"`              // it would begin now
	RefusedBy string    `json:"refusedBy,omitempty"` // why not, such as "breaker payments"
	RetryAt   time.Time `json:"retryAt,omitzero"`    // when that ends, where time alone decides

	// Since its first wrapper was made:
	Begun      uint64          `json:"begun"`
	Refused    []RefusalsCount `json:"refused,omitempty"`    // entries that did not begin
	CutOff     []RefusalsCount `json:"cutOff,omitempty"`     // entries that began, by the first refusal of a call under them
	Undeclared []RefusalsCount `json:"undeclared,omitempty"` // calls under it that a guard refused which it neither checks nor reserves
	Unused     uint64          `json:"unused"`               // permits reserved for calls that were not made
	Overflow   uint64          `json:"overflow"`             // calls that found no reserved permit left
}

// RefusalsCount is how often a guard refused.
type RefusalsCount struct {
	By    string `json:"by"` // such as "breaker payments"; its instances count together
	Kind  Kind   `json:"kind"`
	Count uint64 `json:"count"`
}

// Undeclared is a call under an entry that was refused by a guard of which the entry
// neither checks the breaker nor reserves permits or tokens. The work before it is
// lost. It is told at most once a minute for an entry and a guard.
type Undeclared struct {
	At    time.Time     `json:"at"`
	Entry string        `json:"entry"` // the method of the entry
	Error *RefusalError `json:"error"` // of the call
}

func (Undeclared) event() {}

// undeclaredPause is the time between two events about one entry and one guard.
const undeclaredPause = time.Minute

// entry is what the calls of one anticipated method have in common.
type entry struct {
	method   string
	tell     func(Event)
	gates    gates
	demand   *bulkhead.Demand
	tokens   []ratelimit.Want
	declared map[refuser]bool
	begun    atomic.Uint64
	unused   atomic.Uint64
	overflow atomic.Uint64

	mu         sync.Mutex
	refused    refusers
	cutOff     refusers
	undeclared refusers
	told       map[refuser]time.Time // of undeclared guards
}

// refuser is a guard that can refuse, such as {"breaker", "payments"}.
type refuser struct{ sort, name string }

func (r refuser) String() string { return r.sort + " " + r.name }

// base is the guard of which r is an instance, or r.
func (r refuser) base() refuser { return refuser{r.sort, config.Base(r.name)} }

// refuser is the guard that refused.
func (e *RefusalError) refuser() refuser { return refuser{kinds[e.Kind].guard, e.Name} }

// refusers are how often each guard refused, instances together. They are few, and a
// refusal is counted without allocating anything.
type refusers []refused

type refused struct {
	by    refuser
	kind  Kind
	count uint64
}

func (r *refusers) add(e *RefusalError) {
	by := e.refuser().base()
	for i := range *r {
		if old := &(*r)[i]; old.kind == e.Kind && old.by == by {
			old.count++
			return
		}
	}
	*r = append(*r, refused{by, e.Kind, 1})
}

func (r refusers) counts() (all []RefusalsCount) {
	for _, one := range r {
		all = append(all, RefusalsCount{one.by.String(), one.kind, one.count})
	}
	slices.SortFunc(all, func(a, b RefusalsCount) int { return cmp.Or(cmp.Compare(a.By, b.By), cmp.Compare(a.Kind, b.Kind)) })
	return all
}

// noteEntry makes g an entry that is told of, together with others of the method.
func (w *Wiring) noteEntry(g *Guard) {
	r := w.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[g.method]
	if e == nil {
		e = &entry{method: g.method, tell: r.tell, declared: map[refuser]bool{}}
		r.entries[g.method] = e
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gates, e.demand, e.tokens = g.gates, g.demand, g.tokens
	for _, gate := range g.gates {
		e.declared[refuser{"breaker", gate.name}] = true
	}
	for _, want := range g.tokens {
		e.declared[refuser{"rate limit", want.Limiter.Name()}] = true
	}
	if g.rateLimit != nil {
		e.declared[refuser{"rate limit", g.rateLimit.Name()}] = true
	}
	for _, name := range g.demand.Bulkheads() {
		e.declared[refuser{"bulkhead", name}] = true
	}
	e.demand.Own(e)
	g.entry = e
	r.entered.Store(true)
}

// declares reports whether the entry asks or reserves of the guard that refused.
func (e *entry) declares(by *RefusalError) bool {
	return e.declared[by.refuser()] || e.declared[by.refuser().base()]
}

// begins reports whether the entry would begin now, or who would refuse it, and until
// when. It changes nothing.
func (e *entry) begins() (refusedBy string, until time.Time, begins bool) {
	for _, gate := range e.gates {
		if b, period, admits := gate.ask(gate.n); !admits {
			if at, known := period.RetryAt(); known {
				until = time.Now().Add(at.Sub(breaker.Now()))
			}
			return "breaker " + b.Name(), until, false
		}
	}
	for _, want := range e.tokens {
		at, known := want.Limiter.RetryAt(want.N)
		if !known {
			return "rate limit " + want.Limiter.Name(), until, false
		}
		if wait := at.Sub(breaker.Now()); wait > 0 {
			return "rate limit " + want.Limiter.Name(), time.Now().Add(wait), false
		}
	}
	if short := e.demand.Short(); short != nil {
		return "bulkhead " + short.Name(), until, false
	}
	return "", until, true
}

func (e *entry) snapshot() EntrySnapshot {
	s := EntrySnapshot{Method: e.method, Begun: e.begun.Load(), Unused: e.unused.Load(), Overflow: e.overflow.Load()}
	s.RefusedBy, s.RetryAt, s.Begins = e.begins()
	e.mu.Lock()
	defer e.mu.Unlock()
	s.Refused, s.CutOff, s.Undeclared = e.refused.counts(), e.cutOff.counts(), e.undeclared.counts()
	return s
}

func (r *Registry) entrySnapshots() []EntrySnapshot {
	return each(slices.Sorted(maps.Keys(r.entries)), func(method string) EntrySnapshot { return r.entries[method].snapshot() })
}

// notBegun counts an entry that was refused.
func (e *entry) notBegun(refusal *RefusalError) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refused.add(refusal)
}

// cutOffBy counts a refused call under the entry, and the entry, if it is the first.
// It reports whether to tell of a guard that the entry does not declare.
func (e *entry) cutOffBy(refusal *RefusalError, first bool) (tell bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if first {
		e.cutOff.add(refusal)
	}
	if e.declares(refusal) {
		return false
	}
	e.undeclared.add(refusal)
	guard, now := refusal.refuser().base(), time.Now()
	if last, told := e.told[guard]; told && now.Sub(last) < undeclaredPause {
		return false
	}
	if e.told == nil {
		e.told = map[refuser]time.Time{}
	}
	e.told[guard] = now
	return true
}

// noteRefusal counts a refusal at the entry that it refuses, and at the one around
// the call, unless a fallback may answer in its place.
func (g *Guard) noteRefusal(caller context.Context, refusal *RefusalError) {
	if g.entry != nil && refusal.Kind != KindDone {
		g.entry.notBegun(refusal)
	}
	if g.fallback == nil {
		noteCutOff(caller, refusal)
	}
}

// noteCutOff counts a refusal at the entry around a call.
func noteCutOff(caller context.Context, refusal *RefusalError) {
	if refusal.Kind == KindDone {
		return
	}
	around, first := entryAround(caller)
	if around != nil && around.cutOffBy(refusal, first()) {
		around.tell(Undeclared{At: time.Now(), Entry: around.method, Error: refusal})
	}
}

// entryAround is the innermost entry whose body makes a call with ctx, or nil. What
// it also returns reports whether this is the first refusal under it.
func entryAround(ctx context.Context) (around *entry, first func() bool) {
	b, r := bodyFrom(ctx), bulkhead.From(ctx)
	switch {
	case b != nil && (r == nil || bulkhead.From(b.Context) == r):
		return b.entry, func() bool { return !b.cutOff.Swap(true) }
	case r != nil:
		around, _ = r.Owner().(*entry)
		return around, r.CutOff
	}
	return nil, nil
}
