package resilience

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
)

// Guards are the guards of one method, as its directives say. Generated
// constructors fill it in; an empty name is a guard that the method does not have.
type Guards struct {
	Breaker string
	// BreakerBy gives each key of calls a breaker of its own, as [Guard.For] says. It
	// says what the key is, such as the name of a parameter. BulkheadBy and TimeoutBy
	// do the same for theirs.
	BreakerBy string
	// Classify judges the error that the dependency returned, also if it is nil. It
	// is not asked about refusals by guards further in, callers that gave up,
	// timeouts, and the error of a deadline of the caller that has passed. Several
	// calls may ask it at the same time. Without it an error is a failure.
	Classify  func(error) Outcome
	RateLimit string
	Bulkhead  string
	// BulkheadBy is for the bulkhead.
	BulkheadBy string
	// Timeout ends the context of the call when the time is over or the method has
	// returned, so that bodies and streams end with it.
	Timeout string
	// TimeoutBy is for the timeout.
	TimeoutBy string

	// Retry makes calls again that failed; then each call is an [Attempts].
	Retry string
	// When says in place of the outcome which errors are tried again. It is not asked
	// about successes and refusals.
	When func(error) bool

	// Fallback has the settings by which the method falls back; see [Call.FallsBack].
	Fallback string

	// Of an anticipated entry method: the breakers whose gates it asks, and the
	// tokens and permits that it reserves for the calls under it.
	Check   []Calls
	Rate    []Tokens  // each token lets one call begin
	Preload []Permits // each permit serves one call
	Lease   []Permits // each permit serves one call after the other
}

// Calls are n calls that a breaker has to admit. With N = 0 they are as many as the
// entry reserves permits of the bulkhead of that name, or one.
type Calls struct {
	Breaker string
	N       int
}

// Permits are n permits of a bulkhead. With a Number of 1 or more they are as many as
// that number of [Call.BeginEntry], and N is 0.
type Permits struct {
	Bulkhead string
	N        int
	Number   int
}

// Tokens are n tokens of a rate limit, or as many as a number says, as with [Permits].
type Tokens struct {
	RateLimit string
	N         int
	Number    int
}

// Wiring collects the guards of one wrapper while its constructor runs.
type Wiring struct {
	registry  *Registry
	iface     iface
	instance  string      // empty: none
	held      []*instance // that its guards are
	holder    *holder
	inner     []*Guard // of a wrapper that is wrapped once more
	defaults  []string
	bulkheads []string // names of the bulkheads before its methods
	probes    []pendingProbe
	reserves  []reserve
	uses      []config.Use

	joined bool // there is a fault about guards that it shares with another wrapper
	faults []error
	seen   map[string]bool // the texts of faults
}

// maxFaults is how many faults of one wrapper are in its error.
const maxFaults = 100

// iface is the interface of a wrapper.
type iface struct {
	path string // import path of its package
	name string // as other packages write it, such as "payments.Client"
}

// String is a name that no other interface has, such as
// "example.com/shop/payments.Client".
func (i iface) String() string {
	return i.path + "." + i.name[strings.IndexByte(i.name, '.')+1:]
}

// Wire begins the wiring of a wrapper around next. The interface I has the import
// path of its package and its name as other packages write it, such as
// "payments.Client". A nil client and a registry that New did not make are errors.
func Wire[I any](registry *Registry, path, name string, next I, options ...WrapperOption) (*Wiring, error) {
	if err := registry.made(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if isNil(next) {
		return nil, fmt.Errorf("%s: the client to be guarded is nil; make it before its wrapper", name)
	}
	w := &Wiring{registry: registry, iface: iface{path, name}, inner: guardsIn[I](next)}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("%s: option %d of its constructor is nil; leave it out", name, i+1)
		}
		option(w)
	}
	return w, nil
}

// Defaults says which names no directive writes out, with their sections, such as
// "breakers.client". It is an error if interfaces of two packages get the same one
// by default, because they would share a guard that nobody meant to be shared.
func (w *Wiring) Defaults(names ...string) { w.defaults = names }

// Guard makes the guard of one method. Done returns its faults.
func (w *Wiring) Guard(method string, guards Guards) *Guard {
	r := w.registry
	g := &Guard{makeup: makeup{
		method: w.iface.name + "." + method, classify: guards.Classify, when: guards.When,
		events: r.events, tell: r.tell, inCall: r.inCall, version: &r.version,
	}}
	g.breaker = part(w, g, r.breakers, guards.Breaker)
	g.rateLimit = part(w, g, r.rateLimits, guards.RateLimit)
	g.bulkhead = part(w, g, r.bulkheads, guards.Bulkhead)
	g.timeout = part(w, g, r.timeouts, guards.Timeout)
	g.retry = named(w, r.retries, guards.Retry)
	g.fallback = named(w, r.fallbacks, guards.Fallback).method(g.method)
	g.first = cmp.Or(g.first, guards.Fallback)
	g.timing = r.timing(g.method)
	g.faults = r.faulty(g)
	g.told = g.timing != nil || g.inCall != nil || g.faults != nil
	g.heeded = g.fallback != nil || g.inCall != nil || g.events.observed
	if guards.Breaker+guards.Bulkhead+guards.Retry+guards.Fallback != "" {
		w.uses = append(w.uses, config.Use{
			Method: g.method, Breaker: guards.Breaker, Bulkhead: guards.Bulkhead, Timeout: guards.Timeout,
			Retry: guards.Retry, Rate: guards.RateLimit, Fallback: guards.Fallback,
		})
	}
	if g.bulkhead != nil {
		w.bulkheads = append(w.bulkheads, g.bulkhead.Name())
	}
	g.entered = &r.entered
	switch {
	case guards.anticipates():
		w.entry(g, guards)
		w.noteEntry(g)
	case g.breaker != nil:
		g.waits = gates{gateOf(g.breaker)}
	}
	if r.recorder != nil {
		g.recording = r.recorder.recording(w, g, guards)
	}
	g.special = g.entry != nil || g.recording != nil
	g.enters = g.rateLimit != nil || g.bulkhead != nil || g.entry != nil
	w.checkTwice(g)
	g.holder = w.holder
	g.alone = g.breaker != nil && guards.onlyBreaker() && !g.events.calls && !g.told
	w.byKey(g, guards)
	return g
}

// anticipates reports whether the method is an entry.
func (guards Guards) anticipates() bool {
	return len(guards.Check)+len(guards.Rate)+len(guards.Preload)+len(guards.Lease) > 0
}

// onlyBreaker reports whether a breaker is the only guard that is asked before a
// call. It asks every field there is, so that no guard can be forgotten.
func (guards Guards) onlyBreaker() bool {
	guards.Breaker, guards.BreakerBy, guards.Classify = "", "", nil
	guards.Retry, guards.When, guards.Fallback = "", nil, "" // which are around the call
	return reflect.ValueOf(guards).IsZero()
}

// named is what the registry has for a name. It is the zero T without a name, and
// after a fault, which Done returns.
func named[T, S any](w *Wiring, of *section[T, S], name string) (found T) {
	if name == "" {
		return found
	}
	found, err := of.find(w.registry, name)
	if err != nil {
		w.fault(err)
	}
	return found
}

// part is what the registry has for a name, as a part of g.
func part[T comparable, S any](w *Wiring, g *Guard, of *section[T, S], name string) (found T) {
	var none T
	if found = own(w, of, name); found != none {
		g.parts = append(g.parts, found)
		g.first = cmp.Or(g.first, w.full(name))
	}
	return found
}

// own is what the registry has for a name of the wrapper, or of its instance.
func own[T, S any](w *Wiring, of *section[T, S], name string) (found T) {
	if name != "" && w.instance != "" {
		w.hold(w.full(name))
	}
	return named(w, of, w.full(name))
}

// full is the name of a guard of the wrapper, with its instance.
func (w *Wiring) full(name string) string {
	if name == "" || w.instance == "" {
		return name
	}
	return name + "/" + w.instance
}

func (w *Wiring) fault(err error) {
	text := err.Error()
	if w.seen[text] {
		return
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[text] = true
	if len(w.faults) < maxFaults {
		w.faults = append(w.faults, err)
	}
}

// entry makes g the guard of an anticipated method: all its gates are asked, and
// its own permit is taken together with the reservations.
func (w *Wiring) entry(g *Guard, guards Guards) {
	if g.breaker != nil {
		g.gates = gates{gateOf(g.breaker)}
	}
	for _, calls := range guards.Check {
		w.check(g, guards, calls)
	}
	if len(g.gates) > 0 {
		g.waits = g.gates
	}
	for _, t := range guards.Rate {
		if found := named(w, w.registry.rateLimits, t.RateLimit); found != nil {
			w.reserves = append(w.reserves, reserve{w.registry.rateLimits, t.RateLimit, t.N, "tokens", g.method})
			g.tokens = append(g.tokens, ratelimit.Want{Limiter: found, N: t.N})
			g.numbers = append(g.numbers, t.Number)
		}
	}
	var wants []bulkhead.Want
	if g.bulkhead != nil {
		wants = append(wants, bulkhead.Want{Bulkhead: g.bulkhead, N: 1, As: bulkhead.Own})
	}
	wants = w.wants(wants, g.method, guards.Preload, bulkhead.Ticket)
	wants = w.wants(wants, g.method, guards.Lease, bulkhead.Lease)
	if len(wants) > 0 {
		var err error
		if g.demand, err = bulkhead.NewDemand(wants...); err != nil {
			w.fault(err)
			return
		}
		for _, p := range append(slices.Clone(guards.Preload), guards.Lease...) {
			if found := named(w, w.registry.bulkheads, p.Bulkhead); found != nil && p.Number > 0 {
				g.demand.Number(found, p.Number)
			}
		}
	}
	switch {
	case len(g.gates) > 0:
		g.first = g.gates[0].name
	case len(g.tokens) > 0 && g.rateLimit == nil:
		g.first = g.tokens[0].Limiter.Name()
	case g.demand != nil && g.rateLimit == nil:
		g.first = g.demand.First().Name()
	}
}

// check adds a gate of an entry. Its own breaker is asked already, and the entry's own
// call comes on top of those under it.
func (w *Wiring) check(g *Guard, guards Guards, calls Calls) {
	more := guards.calls(calls)
	if calls.Breaker == guards.Breaker {
		if own := &g.gates[0]; more.trials {
			own.n, own.number, own.trials, own.anyNumber = own.n+more.n, more.number, true, more.anyNumber
		}
		return
	}
	var err error
	if more.family, err = w.family(calls.Breaker); err != nil {
		w.fault(err)
		return
	}
	if !slices.ContainsFunc(g.gates, func(other gate) bool { return other.family == more.family }) {
		g.gates = append(g.gates, more)
	}
}

// calls is the gate for calls of a breaker, still without the breaker. Where permits
// of the bulkhead of its name are reserved, trials are, too.
func (guards Guards) calls(calls Calls) gate {
	named := func(p Permits) bool { return p.Bulkhead == calls.Breaker }
	reserved := append(slices.Clone(guards.Preload), guards.Lease...)
	i := slices.IndexFunc(reserved, named)
	if i < 0 {
		return gate{n: max(1, calls.N)}
	}
	g := gate{n: calls.N, trials: true, anyNumber: i >= len(guards.Preload)}
	if g.n == 0 {
		g.n, g.number = reserved[i].N, reserved[i].Number
	}
	return g
}

func (w *Wiring) wants(wants []bulkhead.Want, method string, permits []Permits, as bulkhead.Use) []bulkhead.Want {
	for _, p := range permits {
		if found := named(w, w.registry.bulkheads, p.Bulkhead); found != nil {
			w.reserves = append(w.reserves, reserve{w.registry.bulkheads, p.Bulkhead, p.N, "permits", method})
			n := p.N
			if p.Number > 0 {
				n = 1 // until a call gives its own
			}
			wants = append(wants, bulkhead.Want{Bulkhead: found, N: n, As: as})
		}
	}
	return wants
}

// Probe makes probe the health check of a breaker. The breaker calls it without
// guards while it is OPEN. One breaker has one probe.
func (w *Wiring) Probe(name string, probe func(context.Context) error) {
	if b := own(w, w.registry.breakers, name); b != nil {
		w.probes = append(w.probes, pendingProbe{b, probe})
	}
}

type pendingProbe struct {
	breaker *breaker.Breaker
	probe   func(context.Context) error
}

// Done ends the wiring. It starts the probes, or returns all faults and starts
// none.
func (w *Wiring) Done() (err error) {
	r := w.registry
	defer func() { w.keep(err == nil) }()
	r.wiring.Lock()
	defer r.wiring.Unlock()
	if r.isClosed() {
		return w.failed(ErrClosed)
	}
	for _, name := range w.defaults {
		w.checkDefault(name)
	}
	w.checkTargets()
	for i, p := range w.probes {
		if !w.joined { // else a probe that is there already is no mistake of its own
			w.checkProbe(p, w.probes[:i])
		}
	}
	if untold := len(w.seen) - len(w.faults); untold > 0 {
		w.faults = append(w.faults, fmt.Errorf("and %d more", untold))
	}
	if len(w.faults) > 0 {
		return w.failed(errors.Join(w.faults...))
	}
	for _, p := range w.probes {
		name := p.breaker.Name()
		r.circles.own(name, owner{w.iface.name, w.bulkheads})
		if err := p.breaker.Probe(r.lookedAt(name, r.suffering(name, p.probe))); err != nil {
			return w.failed(err)
		}
	}
	for _, name := range w.defaults {
		r.defaults[name] = w.iface
	}
	r.note(w.reserves)
	for _, p := range w.probes {
		w.uses = append(w.uses, config.Use{Breaker: config.Base(p.breaker.Name()), Probe: true})
	}
	r.noteUses(w.uses)
	return nil
}

func (w *Wiring) failed(err error) error { return fmt.Errorf("%s: %w", w.iface.name, err) }

// checkTargets reports adaptive bulkheads of whose calls nothing says what they may
// take.
func (w *Wiring) checkTargets() {
	r := w.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.checkTargets(r.settings, append(r.allUses(), w.uses...)); err != nil {
		w.fault(err)
	}
}

// checkDefault reports a name that an interface of another package also has by
// default. Within one package the generator checks it.
func (w *Wiring) checkDefault(name string) {
	other, known := w.registry.defaults[name]
	if !known || other.path == w.iface.path {
		return
	}
	w.joined = true
	section, bare, _ := strings.Cut(name, ".")
	kind := strings.ToLower(strings.TrimSuffix(section, "s"))
	pkg, _, _ := strings.Cut(w.iface.name, ".")
	w.fault(fmt.Errorf("%s and %s get %s %s by default, and would share it unasked; give one a NAME of its own, "+
		"such as //resilience:%[3]s %[5]s-%[4]s, or write //resilience:%[3]s %[4]s out where sharing is meant",
		w.iface, other, kind, bare, pkg))
}

func (w *Wiring) checkProbe(p pendingProbe, before []pendingProbe) {
	same := func(other pendingProbe) bool { return other.breaker == p.breaker }
	switch {
	case p.probe == nil:
		w.fault(fmt.Errorf("breaker %s: its probe is nil", p.breaker.Name()))
	case p.breaker.Probed() || slices.ContainsFunc(before, same):
		w.fault(fmt.Errorf("breaker %s %w", p.breaker.Name(), breaker.ErrProbed))
	}
}
