package bulkhead

import (
	"context"
	"time"
)

// A claim is a request for permits of one bulkhead.
type claim struct {
	n      int          // permits wanted from the pool
	to     tally        // the move that grants one
	call   bool         // not an entry
	in     *Reservation // the entries around it, if it matters what they hold
	within *holding     // the innermost holding of the bulkhead in which it waits, see nesting.go
	fills  *holding     // of an entry inside others: its own, which is within too
	held   int          // permits that those others had when last asked
	loan   int          // permits got from them already
}

// fits reports whether a bulkhead of that size could ever grant the claim.
func (c *claim) fits(size int) bool { return c.n+c.held <= size }

// wanted is the number of permits that the caller asked for.
func (c *claim) wanted() int { return c.n + c.loan }

// Gates stand before the bulkhead. A request that waits asks them again when their
// answer may have changed, and leaves the queue once they refuse.
type Gates interface {
	// Watch sends to news, without waiting, whenever the answer may be another.
	Watch(news chan<- struct{})
	Unwatch(news chan<- struct{})
	Refuse() bool
}

// waitBudget is how long a request may wait, for all of its bulkheads together,
// and the gates that may end it before. The time runs from the first wait on,
// since what comes before takes none.
type waitBudget struct {
	longest time.Duration
	until   time.Time
	gates   Gates
}

// left returns how long a wait may last, and the error of a context that leaves
// no time for one.
func (p *waitBudget) left(ctx context.Context) (time.Duration, error) {
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
		return WithCause(ctx, err)
	}
	if deadline, ok := ctx.Deadline(); ok && !now.Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// obtain takes the permits that c claims, and waits for them as long as p and ctx
// allow. In a dry run it takes them also where it would refuse. It returns the holding
// that gave the permit of a call, nil if the pool did.
func (b *Bulkhead) obtain(ctx context.Context, c claim, p *waitBudget) (from *holding, waited bool, refused *Refusal) {
	t, ok := b.take(c.n, c.to)
	if ok {
		return nil, false, nil
	}
	if refused, through := b.letThrough(&c); through {
		return nil, false, refused
	}
	patient := p.longest > 0
	if b.demanded.Load() {
		b.findEntries(ctx, &c)
		patient = patient && c.inOrder(b)
	}
	b.fill()
	if !c.fits(b.largest(t)) || !patient && !c.passes(t) {
		return nil, false, b.refuseClaim(&c, t)
	}
	left := time.Duration(0)
	if patient {
		var err error
		if left, err = p.left(ctx); err != nil {
			return nil, false, b.refuse(Refusal{Kind: Cancelled, Wanted: c.wanted(), Available: t.available() + c.loan, Cause: err})
		}
	}
	done := ctx.Done() // before there is a place in the queue that a panic could lose
	w := newWaiter(c)
	if waits, refused := b.enqueue(w, left > 0); !waits {
		return w.from, false, refused
	}
	refused = b.await(ctx, done, w, left, p.gates)
	return w.from, true, refused
}

// enqueue lets w wait, unless it is granted or refused at once.
func (b *Bulkhead) enqueue(w *waiter, patient bool) (waits bool, refused *Refusal) {
	defer w.lockEntries()()
	b.mu.Lock()
	defer b.mu.Unlock()
	// From here on free permits are ours to give: a release either came before
	// and is seen now, or sees the mark and comes to serve the queue.
	t := tally(b.tally.Or(int64(queued)))
	room := b.queue.length < b.capacity
	if !w.fits(b.largest(t)) {
		refused = b.refuseClaim(&w.claim, t)
		b.serve()
		return false, refused
	}
	b.push(w)
	b.grantAll()
	if w.queued && !(patient && room) {
		refused = b.refuse(Refusal{Kind: Full, Wanted: w.wanted(), Available: b.availableTo(w)})
		b.remove(w)
	}
	b.serve()
	if w.queued || refused != nil {
		return w.queued, refused
	}
	return false, <-w.verdict
}

// availableTo is how many permits w, which is queued, could have now.
func (b *Bulkhead) availableTo(w *waiter) int {
	if w != b.queue.first {
		return w.loan
	}
	return max(0, b.now().free()) + w.loan
}

// await returns when w is granted, or must not wait any longer.
func (b *Bulkhead) await(ctx context.Context, done <-chan struct{}, w *waiter, left time.Duration, gates Gates) *Refusal {
	timer := time.NewTimer(left)
	defer timer.Stop()
	var news chan struct{}
	if gates != nil {
		news = make(chan struct{}, 1)
		news <- struct{}{} // they may have changed before
		gates.Watch(news)
		defer gates.Unwatch(news)
	}
	gated := false
	for waits := true; waits; {
		select {
		case refused := <-w.verdict:
			return b.decided(ctx, w, refused)
		case <-w.shrunk:
			b.askAgain(w)
		case <-news:
			gated = gates.Refuse()
			waits = !gated
		case <-done:
			waits = false
		case <-timer.C:
			waits = false
		}
	}
	if available, left := b.leave(w); left {
		return b.refuseLate(ctx, w, available, gated)
	}
	return b.decided(ctx, w, <-w.verdict)
}

// askAgain refuses w if, with what the entries around it hold now, its bulkhead
// became too small.
func (b *Bulkhead) askAgain(w *waiter) {
	held := w.fills.enclosing()
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
			b.handBack(w)
		}
	}()
	if err := ended(ctx, time.Now()); err != nil {
		return b.refuse(Refusal{Kind: Cancelled, Wanted: w.wanted(), Available: w.loan, Cause: err}) // as before the grant
	}
	kept = true
	return nil
}

// handBack returns what was granted to w.
func (b *Bulkhead) handBack(w *waiter) {
	if w.from != nil {
		w.from.undoCall()
		return
	}
	b.put(int32(w.n), -w.to)
}

// leave takes w out of the queue and lets the requests behind it move up. It reports
// false if w is granted meanwhile, also by leave itself: permits may be free with
// which the queue was not served yet.
func (b *Bulkhead) leave(w *waiter) (available int, left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serve()
	if !w.queued {
		return 0, false
	}
	available = b.availableTo(w)
	b.remove(w)
	b.serve()
	return available, true
}

// refuseLate refuses a request that has left the queue. It asks the context without
// the lock, because a context may be anybody's code.
func (b *Bulkhead) refuseLate(ctx context.Context, w *waiter, available int, gated bool) *Refusal {
	if gated {
		return &Refusal{Bulkhead: b, Kind: Gated, Wanted: w.wanted(), Available: available}
	}
	r := Refusal{Kind: Full, Wanted: w.wanted(), Available: available}
	if err := ended(ctx, time.Now()); err != nil {
		r.Kind, r.Cause = Cancelled, err
	}
	return b.refuse(r)
}

// wake serves the queue after permits became free.
func (b *Bulkhead) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serve()
}

// serve grants requests in their order, as far as the free permits go, and
// refuses those that would wait in a circle. The lock must be held.
func (b *Bulkhead) serve() {
	b.grantAll()
	for b.breakCircle() {
		b.grantAll()
	}
	if b.queue.first == nil {
		b.tally.And(int64(^queued))
	}
}

func (b *Bulkhead) grantAll() {
	for w := b.queue.first; w != nil && (b.now().free() >= w.n || b.dry.Load()); w = b.queue.first {
		b.tally.Add(int64(tally(w.n) * w.to))
		b.grant(w)
	}
}

// grant ends the wait of w, whose permits are taken.
func (b *Bulkhead) grant(w *waiter) {
	b.remove(w)
	w.verdict <- nil
}

func (b *Bulkhead) push(w *waiter) {
	b.enclose(w)
	b.queue.push(w)
	if w.holder {
		for h := w.lender(); h != nil && w.queued; h = h.outer() {
			b.serveFrom(h)
		}
	}
}

func (b *Bulkhead) remove(w *waiter) {
	b.queue.remove(w)
	b.disclose(w)
}

// A waiter is a claim in the queue.
type waiter struct {
	claim
	holder     bool          // an entry around it holds permits of the bulkhead
	from       *holding      // of a call: whose permit it got; nil if that is the pool's
	verdict    chan *Refusal // has room for the one verdict: nil grants
	shrunk     chan struct{} // tells a nested one to ask what the others hold, for which it needs their lock
	queued     bool
	prev, next *waiter
}

func newWaiter(c claim) *waiter {
	w := &waiter{claim: c, verdict: make(chan *Refusal, 1)}
	if c.fills != nil {
		w.shrunk = make(chan struct{}, 1)
	}
	return w
}

// A queue is a list of waiters, from which any can leave. Holders stand first.
type queue struct {
	first, last, lastHolder *waiter
	length                  int
}

// push lets w stand behind all others, or as a holder behind all holders.
func (q *queue) push(w *waiter) {
	before := q.last
	if w.holder {
		before, q.lastHolder = q.lastHolder, w
	}
	w.queued, w.prev, w.next = true, before, *q.nextOf(before)
	*q.nextOf(before), *q.prevOf(w.next) = w, w
	q.length++
}

func (q *queue) remove(w *waiter) {
	if w == q.lastHolder {
		q.lastHolder = w.prev // only holders stand before one
	}
	*q.nextOf(w.prev), *q.prevOf(w.next) = w.next, w.prev
	w.queued, w.prev, w.next = false, nil, nil
	q.length--
}

// nextOf is where the list goes on behind w, or begins if w is nil.
func (q *queue) nextOf(w *waiter) **waiter {
	if w == nil {
		return &q.first
	}
	return &w.next
}

// prevOf is what stands before w, or last if w is nil.
func (q *queue) prevOf(w *waiter) **waiter {
	if w == nil {
		return &q.last
	}
	return &w.prev
}
