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
// otherwise it might wait for ever.
package bulkhead

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// born numbers bulkheads, so that two of the same name have an order too.
var born atomic.Uint64

// A Bulkhead is a number of permits, one for each call that may run at the same
// time. Its methods are safe for concurrent use.
type Bulkhead struct {
	name   string
	number uint64
	wait   atomic.Int64 // the patience of a single call, in nanoseconds
	full   *Refusal     // of a call that finds no permit and does not wait
	last   atomic.Pointer[Refusal]

	pool holding // stands for the pool in permits that come from there; of no reservation

	mu       sync.Mutex // guards the queue, and the free permits while somebody waits
	size     int        // that the settings give, which the tally's is too but for a moment
	queue    queue
	capacity int // requests that may wait

	// Every call writes the tally. It keeps a cache line of its own, together
	// with the one figure that is read beside it.
	_     [64]byte
	tally atomic.Int64
	open  atomic.Int64 // open reservations; while there is none, no call looks into its context
	_     [48]byte

	counters counters
}

// New returns a bulkhead with all its permits free. It panics if no bulkhead
// can have the size.
func New(name string, s Settings) *Bulkhead {
	s.mustFit(name)
	b := &Bulkhead{name: name, number: born.Add(1), size: s.MaxConcurrentCalls}
	b.pool.bulkhead = b
	b.full = &Refusal{Bulkhead: b, Kind: Full, Wanted: 1}
	b.tally.Store(int64(tally(s.MaxConcurrentCalls) * oneFree))
	b.tune(s)
	return b
}

// Name returns the name that settings and errors use.
func (b *Bulkhead) Name() string { return b.name }

// Acquire takes the permit for one call: from the reservation that ctx carries
// if that has one to spare, else from the pool, waiting at most the
// maxWaitDuration and never longer than ctx lives. A context that is done gets
// no permit, even if one is free. It reports whether it had to wait.
func (b *Bulkhead) Acquire(ctx context.Context) (p Permit, waited bool, refused *Refusal) {
	if err := ctx.Err(); err != nil {
		return Permit{}, false, b.refuseDone(1, err)
	}
	return b.Admit(ctx)
}

// Admit is Acquire for a caller that has looked at ctx just now, which costs as
// much as all that is left to do.
func (b *Bulkhead) Admit(ctx context.Context) (p Permit, waited bool, refused *Refusal) {
	if b.open.Load() == 0 {
		if _, ok := b.take(1, freeToBusy); ok {
			return Permit{&b.pool}, false, nil
		}
	}
	return b.acquire(ctx)
}

// acquire is the rest of Admit.
func (b *Bulkhead) acquire(ctx context.Context) (Permit, bool, *Refusal) {
	if b.open.Load() > 0 {
		if h := carried(ctx).use(b); h != nil {
			return Permit{h}, false, nil
		}
	}
	p := patience{longest: time.Duration(b.wait.Load())}
	waited, refused := b.obtain(ctx, claim{n: 1, to: freeToBusy}, &p)
	if refused != nil {
		return Permit{}, waited, refused
	}
	return Permit{&b.pool}, waited, nil
}

// A Permit is the right to one call. The zero Permit is none.
type Permit struct{ from *holding }

// Release gives the permit back and leaves p empty, so that a second Release
// changes nothing.
func (p *Permit) Release() {
	h := p.from
	p.from = nil
	switch {
	case h == nil:
	case h.reservation == nil:
		h.bulkhead.release()
	default:
		h.endCall()
	}
}

// Return gives back the permit of a call that was not made, so that a
// reservation has it for another one. It leaves p empty too.
func (p *Permit) Return() {
	if h := p.from; h != nil && h.reservation != nil {
		p.from = nil
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
