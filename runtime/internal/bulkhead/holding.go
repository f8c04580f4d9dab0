package bulkhead

import (
	"context"
	"sync/atomic"
)

// A holding is what one reservation holds of one bulkhead. Holdings of the same
// bulkhead in nested entries form a chain, along which idle permits are lent
// from the outer to the inner and come back. A permit that is lent counts twice: as
// idle or busy in the inner holding, and as lent in the outer one.
//
// The lock of the reservation's root guards the counts. They are short integers
// because every entry allocates its holdings.
type holding struct {
	reservation *Reservation
	bulkhead    *Bulkhead
	loans       *loan
	as          Use
	n           int32 // permits at the start

	idle int32 // wait for a call
	busy int32 // a call runs on them
	lent int32 // are with inner holdings
	owed int32 // of these three: belong to the lenders

	fresh    int32 // of a lease's idle ones: no call ran on them so far
	used     atomic.Int32
	unused   int32
	overflow int32
}

// A loan is a number of permits that belong to an outer holding.
type loan struct {
	from   *holding
	n      int32
	before *loan
}

// outer is the holding of the same bulkhead in the nearest enclosing entry that
// has one.
func (h *holding) outer() *holding { return h.reservation.outer.find(h.bulkhead) }

// total is the number of permits that h has, idle, busy or lent.
func (h *holding) total() int32 { return h.idle + h.busy + h.lent }

// fromPool is the number of permits that h and the open entries around it have
// from the pool.
func (h *holding) fromPool() int32 {
	sum := int32(0)
	for ; h != nil; h = h.outer() {
		if !h.reservation.closed {
			sum += h.total() - h.owed
		}
	}
	return sum
}

// fill takes from the pool the permits that a new reservation could not borrow. No
// other goroutine knows the reservation yet.
func (h *holding) fill(ctx context.Context, p *waitBudget) (waited bool, refused *Refusal) {
	n := h.n - h.owed
	if n == 0 {
		return false, nil
	}
	if _, had := h.bulkhead.take(int(n), h.to()); !had {
		if _, waited, refused = h.bulkhead.obtain(ctx, h.claim(), p); refused != nil && !refused.Dry {
			return waited, refused
		}
	}
	h.bulkhead.judgeShadow()
	h.book(h.n - h.owed) // others may have lent it more in the meantime
	return waited, refused
}

// to is the move that takes permits from the pool.
func (h *holding) to() tally {
	if h.as == Own {
		return freeToBusy
	}
	return freeToIdle
}

// claim is what a new reservation wants from the pool.
func (h *holding) claim() claim {
	c := claim{n: int(h.n - h.owed), loan: int(h.owed), to: h.to()}
	if outer := h.reservation.outer; outer != nil {
		c.in, c.within, c.fills, c.held = outer, h, h, h.enclosing()
	}
	return c
}

// enclosing is the number of permits that the entries around h have from the
// pool.
func (h *holding) enclosing() int {
	h.lock()
	defer h.unlock()
	return int(h.outer().fromPool())
}

// keeps reports whether h has permits that may stay until its entry ends. The
// permit of a call on a ticket goes when the call ends.
func (h *holding) keeps() bool { return h.idle > 0 || h.lent > 0 || h.busy > 0 && h.as != Ticket }

// holds reports whether h or an open entry around it holds permits.
func (h *holding) holds() bool {
	for ; h != nil; h = h.outer() {
		if !h.reservation.closed && h.total() > 0 {
			return true
		}
	}
	return false
}

// stuck is the number of permits that can't come free before a request inside h is
// served, because no call will end on them.
func (h *holding) stuck() int32 {
	if h.as == Own {
		return h.busy
	}
	return h.idle
}

// shift moves n permits of h. Permits that become idle by it serve the requests
// inside h first. Its lock must be held.
func (h *holding) shift(n int32, to tally) {
	b := h.bulkhead
	if h.reservation.waits.Load() == 0 {
		b.shift(n, to)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shift(n, to)
	b.serveFrom(h) // who waits inside it takes all of them
	b.serve()
}

// note tells the bulkhead how many permits are stuck in h after a change.
func (h *holding) note() {
	if h.reservation.waits.Load() > 0 {
		h.bulkhead.mu.Lock()
		defer h.bulkhead.mu.Unlock()
		h.bulkhead.note(h)
	}
}

// book counts n permits, as idle ones if they are for calls inside.
func (h *holding) book(n int32) {
	if h.as == Own {
		h.busy += n
	} else {
		h.idle += n
	}
	h.fresh = h.idle
}

// borrow takes the permits that enclosing entries can spare. The lock must be held.
func (h *holding) borrow() {
	for from := h.outer(); from != nil && h.owed < h.n; from = from.outer() {
		h.borrowFrom(from, h.n-h.owed)
	}
}

// borrowFrom takes up to n idle permits of an enclosing holding, and returns how
// many it got.
func (h *holding) borrowFrom(from *holding, n int32) int32 {
	n = from.lend(n)
	if n == 0 {
		return 0
	}
	h.owe(from, n)
	h.book(n)
	if h.as == Own {
		h.bulkhead.shift(n, idleToBusy)
	}
	return n
}

// owe books a loan. Loans of the outermost lenders come first, because they are
// paid back first.
func (h *holding) owe(from *holding, n int32) {
	h.owed += n
	at := &h.loans
	for *at != nil && (*at).from != from && from.isInside((*at).from) {
		at = &(*at).before
	}
	if *at != nil && (*at).from == from {
		(*at).n += n
		return
	}
	*at = &loan{from, n, *at}
}

func (h *holding) isInside(other *holding) bool {
	for h = h.outer(); h != nil && h != other; {
		h = h.outer()
	}
	return h != nil
}

// lend passes up to n idle permits to an inner holding.
func (h *holding) lend(n int32) int32 {
	n = min(n, h.idle)
	h.idle -= n
	h.lent += n
	h.fresh = min(h.fresh, h.idle)
	return n
}

// takeBack books n permits that h had lent. If spent, each has served the one call
// of a ticket.
func (h *holding) takeBack(n int32, from tally, spent bool) {
	h.lent -= n
	if !h.reservation.closed && (h.as == Lease || !spent) {
		h.idle += n
		h.shift(n, oneIdle-from)
		return
	}
	if pooled := h.release(n, from, spent); !spent {
		h.unused += pooled
		h.bulkhead.counters.unused.Add(uint64(pooled))
	}
}

// release gives back n permits that h no longer counts. Permits that served no call
// go to the lenders, whose calls can still use them; spent ones go to the pool. It
// returns how many went to the pool.
func (h *holding) release(n int32, from tally, spent bool) (pooled int32) {
	due := min(n, h.owed)
	if spent {
		due = max(0, h.owed-h.total())
	}
	h.repay(due, from, spent)
	h.bulkhead.put(n-due, oneFree-from)
	return n - due
}

// repay gives n permits back to those who lent them, the last one first.
func (h *holding) repay(n int32, from tally, spent bool) {
	h.owed -= n
	for n > 0 {
		last := h.loans
		back := min(n, last.n)
		n -= back
		if last.n -= back; last.n == 0 {
			h.loans = last.before
		}
		last.from.takeBack(back, from, spent)
	}
}

// open lets calls find the holding, and counts its permits.
func (h *holding) open() {
	if h.as != Own {
		h.bulkhead.open.Add(1)
		h.bulkhead.counters.reserved.Add(uint64(h.n - h.owed))
		return
	}
	for l := h.loans; l != nil; l = l.before {
		l.from.used.Add(l.n)
		h.bulkhead.counters.used.Add(uint64(l.n))
	}
	h.missOwn()
}

// missOwn counts the entry's own call as overflow if its permit had to come from the
// pool.
func (h *holding) missOwn() { h.outer().miss(h.n - h.owed) }

// close gives back the permits without a call, and the entry's own. If spent, the
// body has run.
func (h *holding) close(spent bool) {
	if h.as == Own {
		own := h.busy
		h.busy = 0
		h.note()
		h.release(own, oneBusy, spent)
		return
	}
	idle, fresh := h.idle, h.fresh
	h.idle, h.fresh = 0, 0
	h.unused = h.release(idle, oneIdle, false)
	if h.as == Lease {
		h.unused = min(h.unused, fresh)
	}
}

// beginCall lets a call run on an idle permit of h or, if h has none, of a holding
// around it. It returns the holding whose permit it is, or nil.
func (h *holding) beginCall() *holding {
	for from := h; from != nil; from = from.outer() {
		if from.idle > 0 {
			from.take()
			return from
		}
	}
	return nil
}

// take lets a call run on an idle permit of h.
func (h *holding) take() {
	h.idle--
	h.busy++
	h.bulkhead.shift(1, idleToBusy)
}

// began counts a call on a permit of h, now that it is made.
func (h *holding) began() {
	h.used.Add(1)
	h.bulkhead.counters.used.Add(1)
	if h.as == Lease {
		h.lock()
		defer h.unlock()
		h.fresh = min(h.fresh, h.idle)
	}
}

// miss counts n calls as overflow of the innermost open reservation that is for
// calls, if there is one.
func (h *holding) miss(n int32) {
	if h == nil || n == 0 {
		return
	}
	h.lock()
	defer h.unlock() // all of them have the same lock
	for ; h != nil; h = h.outer() {
		if h.as != Own && !h.reservation.closed {
			h.overflow += n
			h.bulkhead.counters.overflow.Add(uint64(n))
			return
		}
	}
}

// undoCall takes back the permit of a call that was not made, and spends nothing.
func (h *holding) undoCall() {
	h.lock()
	defer h.unlock()
	if h.busy == 0 {
		return // from nobody
	}
	h.busy--
	if !h.reservation.closed {
		h.idle++
		h.shift(1, busyToIdle)
		return
	}
	pooled := h.release(1, oneBusy, false)
	h.unused += pooled
	h.bulkhead.counters.unused.Add(uint64(pooled))
}

// endCall gives back the permit of a call that ended.
func (h *holding) endCall() {
	if h.reservation == nil || h.isBeside() {
		h.bulkhead.release()
	} else {
		h.endReserved()
	}
}

// isBeside reports whether h stands for the pool, for a call of which a reservation
// had no permit.
func (h *holding) isBeside() bool { return h == &h.bulkhead.beside }

func (h *holding) endReserved() {
	h.lock()
	defer h.unlock()
	if h.busy == 0 {
		return // from nobody
	}
	h.busy--
	if h.as == Lease && !h.reservation.closed {
		h.idle++
		h.shift(1, busyToIdle)
		return
	}
	h.release(1, oneBusy, h.as != Lease)
}

func (h *holding) lock()   { h.reservation.root().mu.Lock() }
func (h *holding) unlock() { h.reservation.root().mu.Unlock() }
