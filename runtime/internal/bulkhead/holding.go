package bulkhead

import "context"

// A holding is what one reservation holds of one bulkhead. Holdings of the same bulkhead in nested
// entries form a chain, along which permits are lent from the outer to the inner and come back. A
// permit that was lent is booked where it is, as idle or busy of the inner, and as lent by the outer.
//
// The lock of the reservation's root guards what changes.
type holding struct {
	reservation *Reservation
	bulkhead    *Bulkhead
	outer       *holding // of the same bulkhead, in the nearest enclosing entry that has one
	as          Use
	n           int // permits at the start

	lender *holding // on whose permit the entry's own call runs, if it is not from the pool

	idle    int // wait for a call
	busy    int // a call runs on them
	lent    int // are with inner holdings
	loan    int // of these three: belong to the outer holding
	through int // of lent and of loan: only passed on, from the outer to an inner holding

	fresh    int // of a lease's idle ones: no call ran on them so far
	used     int
	unused   int
	overflow int
}

// total is the number of permits in the care of h.
func (h *holding) total() int { return h.idle + h.busy + h.lent }

// held is the number of permits that h and the open entries around it have from the pool.
func (h *holding) held() int {
	sum := 0
	for ; h != nil; h = h.outer {
		if !h.reservation.closed {
			sum += h.total() - h.loan
		}
	}
	return sum
}

// fill gets the permits of a new reservation: borrowed ones first, the rest from the pool.
func (h *holding) fill(ctx context.Context, p *patience) (waited bool, refused *Refusal) {
	c := claim{n: h.n, to: freeToIdle}
	if h.as == Own {
		c.to = freeToBusy
	}
	if h.reservation.outer != nil {
		if against := h.borrow(&c); against {
			p = new(patience)
		}
	}
	if c.n == 0 {
		return false, nil
	}
	if waited, refused = h.bulkhead.obtain(ctx, c, p); refused != nil {
		return waited, refused
	}
	h.lock()
	defer h.unlock()
	if h.as == Own {
		h.busy += c.n
	} else {
		h.idle += c.n
		h.fresh = h.idle
	}
	return waited, nil
}

// borrow takes off c what enclosing entries can spare. It reports whether waiting for the rest would
// be against the global order, so that two entries could wait for each other.
func (h *holding) borrow(c *claim) (against bool) {
	h.lock()
	defer h.unlock()
	c.held = h.outer.held()
	if h.as == Own {
		if h.lender = h.outer.beginCall(); h.lender != nil {
			c.n = 0
		}
	} else {
		c.loan = h.outer.lend(c.n)
		c.n -= c.loan
		h.loan, h.idle, h.fresh = c.loan, c.loan, c.loan
	}
	return h.reservation.outer.holdsAfter(h.bulkhead)
}

// lend passes up to n idle permits of h and the holdings around it to an inner one.
func (h *holding) lend(n int) int {
	if h == nil || n == 0 {
		return 0
	}
	own := min(h.idle, n)
	h.idle -= own
	h.fresh = min(h.fresh, h.idle)
	passed := h.outer.lend(n - own)
	h.loan += passed
	h.through += passed
	h.lent += own + passed
	return own + passed
}

// takeBack books k permits that an inner holding borrowed. They come as idle or busy ones; spent says
// that each served the one call that a ticket is for.
func (h *holding) takeBack(k int, from tally, spent bool) {
	h.lent -= k
	if passed := min(k, h.through); passed > 0 {
		h.through -= passed
		h.loan -= passed
		h.outer.takeBack(passed, from, spent)
		k -= passed
	}
	if !h.reservation.closed && (h.as == Lease || !spent) {
		h.idle += k
		h.bulkhead.shift(k, oneIdle-from)
		return
	}
	if pooled := h.dismiss(k, from, spent); !spent {
		h.unused += pooled
		h.bulkhead.counters.unused.Add(uint64(pooled))
	}
}

// dismiss lets k permits go that h no longer counts: its own to the pool, then what it borrowed to
// the outer holding. It returns how many went to the pool.
func (h *holding) dismiss(k int, from tally, spent bool) (pooled int) {
	owed := max(0, h.loan-h.total())
	h.loan -= owed
	h.bulkhead.put(k-owed, oneFree-from)
	if owed > 0 {
		h.outer.takeBack(owed, from, spent)
	}
	return k - owed
}

// close gives back all permits without a call.
func (h *holding) close() {
	if h.as == Own {
		if h.lender != nil {
			h.lender.finishCall()
		} else {
			h.finishCall()
		}
		return
	}
	idle, fresh := h.idle, h.fresh
	h.idle, h.fresh = 0, 0
	h.unused = h.dismiss(idle, oneIdle, false)
	if h.as == Lease {
		h.unused = min(h.unused, fresh)
	}
}

// beginCall lets a call run on an idle permit of h or, if h has none, of the holdings around it. It
// returns the one whose permit it is, or nil.
func (h *holding) beginCall() *holding {
	var missed *holding
	for ; h != nil; h = h.outer {
		switch {
		case h.reservation.closed || h.as == Own:
		case h.idle > 0:
			h.idle--
			h.busy++
			h.used++
			h.fresh = min(h.fresh, h.idle)
			h.bulkhead.shift(1, idleToBusy)
			h.bulkhead.counters.used.Add(1)
			return h
		case missed == nil:
			missed = h
		}
	}
	if missed != nil {
		missed.overflow++
		missed.bulkhead.counters.overflow.Add(1)
	}
	return nil
}

// endCall gives back the permit of a call that ended.
func (h *holding) endCall() {
	h.lock()
	defer h.unlock()
	h.finishCall()
}

func (h *holding) finishCall() {
	if h.busy == 0 {
		return // from nobody
	}
	h.busy--
	if h.as == Lease && !h.reservation.closed {
		h.idle++
		h.bulkhead.shift(1, busyToIdle)
		return
	}
	h.dismiss(1, oneBusy, h.as == Ticket)
}

func (h *holding) lock()   { h.reservation.root.mu.Lock() }
func (h *holding) unlock() { h.reservation.root.mu.Unlock() }
