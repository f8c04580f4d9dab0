package bulkhead

import "context"

// stuck counts the permits of a bulkhead that can't come free before a request in
// its queue is served. The bulkhead's lock guards it.
type stuck struct {
	permits int32 // of all entries
	inside  map[*holding]*inside
}

// inside counts the requests that wait inside one holding.
type inside struct {
	requests int   // at least one
	permits  int32 // stuck in the holding because of them
}

// findEntries looks for the entries around a call. An entry knows those around it.
func (b *Bulkhead) findEntries(ctx context.Context, c *claim) {
	if c.call {
		c.in = carried(ctx)
		c.within = c.in.find(b)
	}
}

// inOrder reports whether the entries around the claim hold no bulkhead that
// comes after b. While they do it must not wait, because two entries could wait
// for each other.
func (c *claim) inOrder(b *Bulkhead) bool {
	if c.in == nil {
		return true
	}
	mu := &c.in.root().mu
	mu.Lock()
	defer mu.Unlock()
	return !c.in.holdsAfter(b)
}

// passes reports whether the claim may get permits past the queue although it can't
// wait.
func (c *claim) passes(t tally) bool { return c.within != nil && t.queued() }

// lockEntries locks the entries around w, whose holdings its wait concerns.
func (w *waiter) lockEntries() (unlock func()) {
	if w.within == nil {
		return func() {}
	}
	w.within.lock()
	return w.within.unlock
}

// enclose marks the request of a holder, and notes the permits that are stuck while
// it waits.
func (b *Bulkhead) enclose(w *waiter) {
	if w.within == nil || !w.within.holds() {
		return
	}
	w.holder = true
	for h := w.within; h != nil; h = h.outer() {
		h.reservation.waits.Add(1)
		if b.stuck.inside[h] == nil {
			if b.stuck.inside == nil {
				b.stuck.inside = map[*holding]*inside{}
			}
			b.stuck.inside[h] = new(inside)
		}
		b.stuck.inside[h].requests++
		b.note(h)
	}
}

// disclose forgets the permits that were stuck because of w.
func (b *Bulkhead) disclose(w *waiter) {
	if !w.holder {
		return
	}
	for h := w.within; h != nil; h = h.outer() {
		h.reservation.waits.Add(-1)
		in := b.stuck.inside[h]
		if in.requests--; in.requests == 0 {
			b.stuck.permits -= in.permits
			delete(b.stuck.inside, h)
		}
	}
}

// note notes how many permits are stuck in h, if any are. Both locks must be
// held.
func (b *Bulkhead) note(h *holding) {
	if in := b.stuck.inside[h]; in != nil {
		now := h.stuck()
		b.stuck.permits += now - in.permits
		in.permits = now
	}
}

// serveFrom gives idle permits of h to the requests inside it. Both locks must be
// held.
func (b *Bulkhead) serveFrom(h *holding) {
	for w := b.queue.first; w != nil && w.holder && h.idle > 0; {
		next := w.next
		if w.isInside(h) {
			b.lend(h, w)
		}
		w = next
	}
}

// lend gives idle permits of h to w, which is served once it needs no more.
func (b *Bulkhead) lend(h *holding, w *waiter) {
	if w.fills == nil {
		h.take()
		w.from = h
	} else {
		n := w.fills.borrowFrom(h, int32(w.n))
		w.n, w.loan = w.n-int(n), w.loan+int(n)
		b.note(w.fills)
	}
	b.note(h)
	if w.from != nil || w.n == 0 {
		b.grant(w)
	}
}

// lender is the innermost holding whose permits could serve w.
func (w *waiter) lender() *holding {
	if w.fills != nil {
		return w.fills.outer()
	}
	return w.within
}

func (w *waiter) isInside(h *holding) bool {
	for around := w.lender(); around != nil; around = around.outer() {
		if around == h {
			return true
		}
	}
	return false
}

// breakCircle refuses the newest of the requests that wait for each other, if no
// permit can come free any more. It reports whether it refused one.
func (b *Bulkhead) breakCircle() bool {
	if t := b.now(); b.stuck.permits == 0 || int(b.stuck.permits) < t.busy()+t.idle() {
		return false
	}
	w := b.queue.lastHolder
	for !b.holdsUp(w) {
		w = w.prev
	}
	refused := b.refuse(Refusal{Kind: Full, Wanted: w.wanted(), Available: b.availableTo(w), Circle: true})
	b.remove(w)
	w.verdict <- refused
	return true
}

// holdsUp reports whether permits are stuck because of w.
func (b *Bulkhead) holdsUp(w *waiter) bool {
	for h := w.within; h != nil; h = h.outer() {
		if b.stuck.inside[h].permits > 0 {
			return true
		}
	}
	return false
}
