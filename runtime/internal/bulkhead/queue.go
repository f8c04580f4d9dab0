package bulkhead

import (
	"context"
	"time"
)

// A claim is a request for permits of one bulkhead.
type claim struct {
	n      int      // permits wanted from the pool
	to     tally    // the move that grants one
	nested *holding // that wants them, if others enclose it
	held   int      // permits that those held when last asked
	loan   int      // permits got from those already
}

// fits reports whether a bulkhead of that size could ever grant the claim.
func (c claim) fits(size int) bool { return c.n+c.held <= size }

// patience is how long a request may wait, for all of its bulkheads together.
// The time runs from the first wait on, since what comes before takes none.
type patience struct {
	longest time.Duration
	until   time.Time
}

// left returns how long a wait may last, and the error of a context that leaves
// no time for one.
func (p *patience) left(ctx context.Context) (time.Duration, error) {
	now := time.Now()
	if p.until.IsZero() {
		p.until = now.Add(p.longest)
	}
	until := p.until
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		until = deadline
	}
	return until.Sub(now), ended(ctx, now)
}

// ended returns the error of a context that is done, or is about to be because
// its deadline passed.
func ended(ctx context.Context, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !now.Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// obtain takes what c claims, and waits for it as long as p and ctx allow.
func (b *Bulkhead) obtain(ctx context.Context, c claim, p *patience) (waited bool, refused *Refusal) {
	t, ok := b.take(c.n, c.to)
	if ok {
		return false, nil
	}
	if p.longest <= 0 || !c.fits(t.size()) {
		return false, b.refuseClaim(c, t)
	}
	left, err := p.left(ctx)
	switch {
	case err != nil:
		return false, b.refuse(Refusal{Kind: Cancelled, Wanted: c.n + c.loan, Available: t.available() + c.loan, Cause: err})
	case left <= 0:
		return false, b.refuseClaim(c, t)
	}
	done := ctx.Done() // before there is a place in the queue that a panic could lose
	w := newWaiter(c)
	if waits, refused := b.enqueue(w); !waits {
		return false, refused
	}
	return true, b.await(ctx, done, w, left)
}

// enqueue lets w wait, unless it is granted or refused at once.
func (b *Bulkhead) enqueue(w *waiter) (waits bool, refused *Refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// From here on free permits are ours to give: a release either came before
	// and is seen now, or sees the mark and comes to serve the queue.
	t := tally(b.tally.Or(int64(queued)))
	granted := b.queue.first == nil && t.free() >= w.n
	if room := b.queue.length < b.capacity; w.fits(t.size()) && (granted || room) {
		b.queue.push(w)
	} else {
		refused = b.refuseClaim(w.claim, t)
	}
	b.serve()
	return w.queued, refused
}

// await returns when w was granted, or is not to wait any longer.
func (b *Bulkhead) await(ctx context.Context, done <-chan struct{}, w *waiter, left time.Duration) *Refusal {
	timer := time.NewTimer(left)
	defer timer.Stop()
	for waits := true; waits; {
		select {
		case refused := <-w.verdict:
			return b.decided(ctx, w, refused)
		case <-w.shrunk:
			b.askAgain(w)
		case <-done:
			waits = false
		case <-timer.C:
			waits = false
		}
	}
	if refused, left := b.leave(ctx, w); left {
		return refused
	}
	return b.decided(ctx, w, <-w.verdict)
}

// askAgain refuses w if, with what the entries around it hold now, its bulkhead
// became too small.
func (b *Bulkhead) askAgain(w *waiter) {
	held := w.nested.enclosing()
	b.mu.Lock()
	defer b.mu.Unlock()
	w.held = held
	b.refuseMisfit(w)
	b.serve()
}

// decided accepts the verdict on w, but hands permits back that a cancelled
// request no longer wants.
func (b *Bulkhead) decided(ctx context.Context, w *waiter, refused *Refusal) *Refusal {
	if refused != nil {
		return refused
	}
	kept := false
	defer func() {
		if !kept { // also where a method of the context panics
			b.put(int32(w.n), -w.to)
		}
	}()
	if err := ended(ctx, time.Now()); err != nil {
		return b.refuse(Refusal{Kind: Cancelled, Wanted: w.n + w.loan, Available: w.n + w.loan, Cause: err})
	}
	kept = true
	return nil
}

// leave takes w out of the queue and lets those behind it move up. It reports
// false if w's turn has come in the meantime. The context is asked without the
// lock, for it may be anybody's code.
func (b *Bulkhead) leave(ctx context.Context, w *waiter) (refused *Refusal, left bool) {
	available, left := b.withdraw(w)
	if !left {
		return nil, false
	}
	r := Refusal{Kind: Full, Wanted: w.n + w.loan, Available: available + w.loan}
	if err := ended(ctx, time.Now()); err != nil {
		r.Kind, r.Cause = Cancelled, err
	}
	return b.refuse(r), true
}

func (b *Bulkhead) withdraw(w *waiter) (available int, left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !w.queued {
		return 0, false
	}
	if w == b.queue.first {
		available = max(0, b.now().free())
	}
	b.queue.remove(w)
	b.serve()
	return available, true
}

// wake serves the queue after permits became free.
func (b *Bulkhead) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serve()
}

// serve grants requests in their order, as far as the free permits go. The lock
// must be held.
func (b *Bulkhead) serve() {
	for w := b.queue.first; w != nil && b.now().free() >= w.n; w = b.queue.first {
		b.tally.Add(int64(tally(w.n) * w.to))
		b.queue.remove(w)
		w.verdict <- nil
	}
	if b.queue.first == nil {
		b.tally.And(int64(^queued))
	}
}

// A waiter is a claim in the queue.
type waiter struct {
	claim
	verdict    chan *Refusal // has room for the one verdict: nil grants
	shrunk     chan struct{} // tells a nested one to ask what the others hold, for which it needs their lock
	queued     bool
	prev, next *waiter
}

func newWaiter(c claim) *waiter {
	w := &waiter{claim: c, verdict: make(chan *Refusal, 1)}
	if c.nested != nil {
		w.shrunk = make(chan struct{}, 1)
	}
	return w
}

// A queue is a list of waiters, from which any can leave.
type queue struct {
	first, last *waiter
	length      int
}

func (q *queue) push(w *waiter) {
	w.queued, w.prev = true, q.last
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
	q.length++
}

func (q *queue) remove(w *waiter) {
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.queued, w.prev, w.next = false, nil, nil
	q.length--
}
