// Package bulkhead limits how many calls run at the same time.
//
// It owns permits, the queue for them, and reservations: permits that an entry
// method takes before its body runs and that its context carries to the calls
// inside. Settings are checked, gates asked and errors worded by others.
//
// There are three ways to a permit. A call whose context carries a reservation
// uses one of its permits. Any other call takes a free one from the pool, with
// one compare-and-swap. When nothing is free it queues, strictly first come,
// first served: a request for four holds back later requests for one, because
// otherwise it might wait for ever. bulkhead.go, queue.go and resize.go say all
// of that, and can be read without what follows.
//
// # Who holds goes first
//
// An entry that holds permits may need more of the same bulkhead: for an entry
// inside it, or for a call beyond its reservation. Such a request is that of a
// holder. If holders queued like others, the queue would collapse: its front
// would wait for permits that those at its back hold. Therefore:
//
//   - Holders stand in the queue before everybody who holds nothing. Among
//     themselves they are served first come, first served.
//   - A permit that comes back to a reservation serves the requests that wait
//     inside it, before calls that come later and without a way through the
//     pool.
//   - Nobody waits in a circle. An idle permit, or that of an entry's own call,
//     is stuck while a request waits inside its entry, because the entry can't
//     end before. When all permits that are not free are stuck, nothing can
//     come free any more. Then the newest request of those who hold them is
//     refused at once, and its entry ends, or goes on without it.
//   - While an entry holds permits of one bulkhead, it waits only for those
//     whose names sort after it. So there is no circle through two bulkheads
//     either. A bulkhead of which no entry ever holds a permit is excepted,
//     because nothing of it can be stuck.
//
// A call in flight on a permit gets on, and so does an entry in which nobody
// waits: both end by themselves. nesting.go has these rules, holding.go what
// entries lend to each other.
//
// # Locks
//
// Entries inside each other share one lock, that of the outermost; it guards
// their holdings. Each bulkhead has a lock for its queue and for what is stuck.
// The lock of the entries comes first. Whoever changes a holding in which a
// request waits takes both, so that the bulkhead always knows what is stuck.
// Nobody else pays for that: a call that need not wait takes no lock of the
// bulkhead.
package bulkhead

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/shedding"
)

// born numbers bulkheads, so that two of the same name have an order too.
var born atomic.Uint64

// A Bulkhead is a number of permits, one for each call that may run at the same
// time. Its methods are safe for concurrent use.
type Bulkhead struct {
	name   string
	number uint64
	wait   atomic.Int64 // the longest wait of a single call, in nanoseconds
	full   *Refusal     // of a call that finds no permit and does not wait
	dry    atomic.Bool  // nobody is refused
	shadow atomic.Int64 // a size that is tried beside; 0: none is

	fullInDry *Refusal // of a call that goes on all the same

	last atomic.Pointer[Refusal]

	// These stand for the pool in permits that come from there: beside where a
	// reservation had none for the call.
	pool, beside holding

	mu       sync.Mutex // guards the queue, and the free permits while somebody waits
	size     int        // that the settings give, which the tally's is too but for a moment
	queue    queue
	stuck    stuck
	capacity int // requests that may wait

	demanded   atomic.Bool                // some entry may hold permits
	adaptation atomic.Pointer[adaptation] // nil: the size stays
	limited    func(Limited)
	refusing   *shedding.Watch // nil: nobody wants to know

	// Every call writes the tally. It keeps a cache line of its own, together
	// with the one figure that is read beside it.
	_     [64]byte
	tally atomic.Int64
	open  atomic.Int64 // open reservations, and the size that is tried; while there is none, calls take the short way
	_     [48]byte

	counters counters
}

// New returns a bulkhead with all its permits free. It panics if no bulkhead
// can have the size.
func New(name string, s Settings) *Bulkhead {
	s.mustFit(name)
	b := &Bulkhead{name: name, number: born.Add(1), size: s.MaxConcurrentCalls}
	b.pool.bulkhead = b
	b.beside = holding{bulkhead: b, reservation: new(Reservation)}
	b.full = &Refusal{Bulkhead: b, Kind: Full, Wanted: 1}
	b.fullInDry = &Refusal{Bulkhead: b, Kind: Full, Wanted: 1, Dry: true}
	b.tally.Store(int64(tally(s.MaxConcurrentCalls) * oneFree))
	b.tune(s)
	return b
}

// Name returns the name that settings and errors use.
func (b *Bulkhead) Name() string { return b.name }

// Acquire takes the permit for one call: from the reservation that ctx carries
// if that has one to spare, else from the pool, waiting at most the
// maxWaitDuration, never longer than ctx lives, and only while the gates, if
// any, don't refuse. A context that is done gets no permit, even if one is free.
// It reports whether it had to wait. In a dry run there is a permit also where there
// is a refusal, which then says so.
func (b *Bulkhead) Acquire(ctx context.Context, gates Gates) (p Permit, waited bool, refused *Refusal) {
	if err := ctx.Err(); err != nil {
		return Permit{}, false, b.refuseDone(1, WithCause(ctx, err))
	}
	return b.Admit(ctx, gates)
}

// Admit is Acquire for a caller that has looked at ctx just now, which costs as
// much as all that is left to do.
func (b *Bulkhead) Admit(ctx context.Context, gates Gates) (p Permit, waited bool, refused *Refusal) {
	if b.open.Load() == 0 {
		if _, ok := b.take(1, freeToBusy); ok {
			return Permit{&b.pool}, false, nil
		}
		if b.wait.Load() == 0 && !b.demanded.Load() {
			return b.refuseCall()
		}
	}
	return b.acquire(ctx, gates)
}

// acquire is the rest of Admit.
func (b *Bulkhead) acquire(ctx context.Context, gates Gates) (Permit, bool, *Refusal) {
	var missed *holding
	if b.open.Load() > 0 {
		from, within := carried(ctx).use(b)
		if from != nil {
			return Permit{from}, false, nil
		}
		missed = within
	}
	p := waitBudget{longest: time.Duration(b.wait.Load()), gates: gates}
	from, waited, refused := b.obtain(ctx, claim{n: 1, to: freeToBusy, call: true}, &p)
	switch {
	case refused != nil && !refused.Dry:
		if refused.Kind != Gated {
			missed.miss(1)
		}
		return Permit{}, waited, refused
	case from != nil:
		return Permit{from}, waited, nil
	}
	b.judgeShadow()
	if missed != nil {
		return Permit{&b.beside}, waited, refused
	}
	return Permit{&b.pool}, waited, refused
}

// A Permit is the right to one call. The zero Permit is none.
type Permit struct{ from *holding }

// Reserved reports whether the call has to be counted at a reservation, by Begin.
func (p Permit) Reserved() bool { return p.from != nil && p.from.reservation != nil }

// Begin says that the call is made, with the context for which the permit was taken:
// only then is it counted. A permit that goes back by Return was for no call.
func (p *Permit) Begin(ctx context.Context) {
	switch h := p.from; {
	case !p.Reserved():
	case h.isBeside():
		carried(ctx).find(h.bulkhead).miss(1)
	default:
		h.began()
	}
}

// Release gives the permit back and leaves p empty, so that a second Release
// changes nothing.
func (p *Permit) Release() {
	h := p.from
	*p = Permit{}
	if h != nil {
		h.endCall()
	}
}

// Return gives back the permit of a call that was not made, so that a
// reservation has it for another one. It leaves p empty too.
func (p *Permit) Return() {
	if h := p.from; p.Reserved() && !h.isBeside() {
		*p = Permit{}
		h.undoCall()
		return
	}
	p.Release()
}

// release gives a busy permit back to the pool, by an addition, for that can't
// fail where many release at once. If nothing was busy, the permit came from
// nobody, and the addition, which borrowed from above, is undone.
func (b *Bulkhead) release() {
	switch t := b.shift(1, busyToFree); {
	case t.busy() > maxSize:
		b.shift(1, freeToBusy)
	case t.queued():
		b.wake()
	}
}

// take moves n free permits, unless there are fewer or somebody waits for them.
// It returns what it saw.
func (b *Bulkhead) take(n int, to tally) (seen tally, ok bool) {
	for {
		t := b.now()
		if t.queued() || t.free() < n {
			return t, false
		}
		if b.move(t, tally(n)*to) {
			return t, true
		}
	}
}

// shift moves n permits that the caller holds, and returns what came of it.
func (b *Bulkhead) shift(n int32, to tally) tally {
	return tally(b.tally.Add(int64(tally(n) * to)))
}

// put shifts n permits to the free ones, which whoever waits has first.
func (b *Bulkhead) put(n int32, to tally) {
	if n > 0 && b.shift(n, to).queued() {
		b.wake()
	}
}

func (b *Bulkhead) now() tally { return tally(b.tally.Load()) }
func (b *Bulkhead) move(from, change tally) bool {
	return b.tally.CompareAndSwap(int64(from), int64(from+change))
}
