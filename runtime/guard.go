package resilience

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/faults"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
	"github.com/resgen-go/resgen/runtime/internal/retry"
)

// Guard is what stands before one method of a wrapper. Generated constructors make
// it with [Wiring.Guard]. It is safe for concurrent use.
type Guard struct {
	makeup
	open  atomic.Pointer[openRefusal]
	gated atomic.Pointer[gateRefusal]
	full  atomic.Pointer[fullRefusal]
	rated atomic.Pointer[RefusalError]
}

// makeup is what a guard is made of. It never changes.
type makeup struct {
	method  string       // such as "payments.Client.Do"
	first   string       // name of the guard that is asked first
	parts   []any        // breaker, bulkhead and whatever else it has of its own, to compare
	alone   bool         // a breaker is the only guard
	told    bool         // its calls are watched, see Call.watch: by timing or inCall, or for faults
	heeded  bool         // somebody hears of each refusal: a fallback or an observer
	enters  bool         // something is asked before the breaker
	special bool         // of an entry or of a key, or its calls are recorded
	entry   *entry       // of an anticipated method; nil: of another
	entered *atomic.Bool // an entry of the registry may be around a call
	holder  *holder      // of its instance; nil: of none
	need
	rateLimit *ratelimit.Limiter
	bulkhead  *bulkhead.Bulkhead
	breaker   *breaker.Breaker
	timeout   *timeout
	retry     *retry.Policy    // nil: its calls are Calls, not Attempts
	when      func(error) bool // nil: failures are tried again
	fallback  *falling
	timing    *timing       // nil: without the option Time
	faults    *faults.Fault // nil: without the option Faults
	classify  func(error) Outcome

	events  *events
	tell    func(Event) // to the log, too
	version *version    // of the settings
	inCall  inCall      // nil: nobody hears of its calls

	recording *recording // nil: nobody records its calls

	keys  *keys   // by which its calls find guards of their own; nil: they have none
	key   string  // of the calls it is for; empty: of those without one
	slots []*slot // the instances that it is made of; nil: without a key
}

// need is what is asked and taken before a call begins.
type need struct {
	gates  gates            // of an entry: asked first, its own breaker before the others
	waits  bulkhead.Gates   // end a wait for permits; nil without any
	tokens []ratelimit.Want // of an entry: for the calls under it
	demand *bulkhead.Demand // of an entry: its own permit and those of its reservation

	numbers []int // by tokens: which of the numbers of each call is N; 0: N is fixed
}

// with is the need with the numbers of one call.
func (n *need) with(numbers []int) *need {
	given := &need{gates: slices.Clone(n.gates), demand: n.demand.Given(numbers)}
	for i := range given.gates {
		if g := &given.gates[i]; g.number > 0 {
			calls := max(0, numbers[g.number-1])
			g.n, g.trials = max(1, g.n+calls), calls > 0
		}
	}
	if len(given.gates) > 0 {
		given.waits = given.gates
	}
	for i, want := range n.tokens {
		if number := n.numbers[i]; number > 0 {
			want.N = numbers[number-1]
		}
		if want.N > 0 {
			given.tokens = append(given.tokens, want)
		}
	}
	return given
}

// slowAfter is the duration above which a call is slow, 0 if none is.
func (g *Guard) slowAfter() time.Duration {
	if g.breaker == nil {
		return 0
	}
	return g.breaker.SlowAfter()
}

// onTrial reports whether a call would be a trial.
func (g *Guard) onTrial() bool { return g.breaker != nil && g.breaker.State() == HalfOpen }

// countGate counts a call that the gate refused where the guards behind it count
// their own refusals.
func (g *Guard) countGate() {
	if g.rateLimit != nil {
		g.rateLimit.CountGate()
	}
	if g.bulkhead != nil {
		g.bulkhead.CountGate()
	}
}

// A gate is what an entry asks before it begins.
type gate struct {
	*family
	n         int  // calls that the entry makes
	number    int  // which of the numbers of each call says so, too; 0: n alone
	trials    bool // it reserves trials for them
	anyNumber bool // it makes more, one after the other
}

// reserves is the breaker of which the entry reserves trials, or nil. Of instances it
// reserves none, because nobody knows which of them its calls will reach.
func (g gate) reserves() *breaker.Breaker {
	if !g.trials || g.instances.Load() != nil {
		return nil
	}
	return g.base
}

// holds reports whether the entry has to hold trials now.
func (g gate) holds() bool {
	b := g.reserves()
	return b != nil && !b.IsFree()
}

// gates are asked whether they would admit a call. They end a wait for permits once
// one of them is open.
type gates []gate

// free reports whether every breaker admits every call.
func (g gates) free() bool {
	for i := range g {
		if f := g[i].family; f.base == nil || f.instances.Load() != nil || !f.base.IsFree() {
			return false
		}
	}
	return true
}

// Watch sends to news when one of the breakers changes.
func (g gates) Watch(news chan<- struct{}) {
	for _, gate := range g {
		for _, b := range gate.members() {
			b.Watch(news)
		}
	}
}

// Unwatch ends Watch.
func (g gates) Unwatch(news chan<- struct{}) {
	for _, gate := range g {
		for _, b := range gate.members() {
			b.Unwatch(news)
		}
	}
}

// Refuse reports whether one of the gates is open. HALF_OPEN ends no wait,
// because trials may be free by the end of it.
func (g gates) Refuse() bool {
	for _, gate := range g {
		if _, period, admits := gate.ask(gate.n); !admits && period.State() != HalfOpen {
			return true
		}
	}
	return false
}

// without are the gates but one.
func (g gates) without(one gate) (left gates) {
	return slices.DeleteFunc(slices.Clone(g), func(other gate) bool { return other == one })
}
