package bulkhead

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The model says what bulkheads and reservations should do: single-threaded,
// without clocks, and with every permit an object of its own that knows who has
// it.
//
// One thing it leaves open: in which order those go on whom one step set free
// together. It asks choose, and a test looks for the choices that explain what
// happened.
type model struct {
	bulkheads []*mBulkhead // in the global order
	requests  []*mRequest
	now       time.Duration
	tasks     []task // of the present step: who can go on
	choose    func(n int) int
}

// A task does one bit of work and reports whether there is more.
type task func() (more bool)

type mBulkhead struct {
	order    int
	size     int
	wait     time.Duration
	capacity int
	held     []*mPermit
	queue    []*mRequest // holders first
	demanded bool        // an entry may hold permits

	full, tooLarge, cancelled, reserved, used, overflow, unused int
}

func (b *mBulkhead) free() int { return b.size - len(b.held) }

// A mPermit is a permit that is not free.
type mPermit struct {
	owners []*mHolding // from who took it from the pool to who has it; none: a call on the pool
	busy   bool
	ran    bool // a call ran on it since its owner has it
}

func (p *mPermit) owner() *mHolding {
	if len(p.owners) == 0 {
		return nil
	}
	return p.owners[len(p.owners)-1]
}

type mHolding struct {
	entry            *mRequest
	b                *mBulkhead
	as               Use
	n                int
	loan             int // of these: borrowed
	used, overflowed int
}

// care returns the permits in the care of h, lent ones included.
func (h *mHolding) care() (all []*mPermit) {
	for _, p := range h.b.held {
		if slices.Contains(p.owners, h) {
			all = append(all, p)
		}
	}
	return all
}

// idle returns the permits that h can give to a call, those last that no call
// ran on.
func (h *mHolding) idle() (all []*mPermit) {
	for _, p := range h.care() {
		if p.owner() != h || p.busy {
			continue
		}
		if p.ran {
			all = slices.Insert(all, 0, p)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// A mRequest is a call or an entry.
type mRequest struct {
	in       *mRequest // the entry whose context it has
	outer    *mRequest // of an entry: the nearest one around it that was open at its begin
	entry    bool
	holdings []*mHolding // of a call: the one permit it wants
	deadline time.Duration
	longest  time.Duration // patience
	until    time.Duration
	waited   bool

	step   int // the holding that is being filled
	need   int // permits wanted from the pool there
	held   int // permits of entries around it there
	loan   int
	permit *mPermit // of a call

	holder bool // while it waits: an entry around it, or itself, holds permits of the bulkhead

	state   state
	err     error // of its context
	refusal Refusal
	closed  bool
}

type state int

const (
	isFilling state = iota
	isWaiting
	isGranted
	isRefused
	isEnded
)

// chain returns the holdings of b in r and around it, innermost first.
func (r *mRequest) chain(b *mBulkhead) (all []*mHolding) {
	for ; r != nil; r = r.outer {
		for _, h := range r.holdings {
			if h.b == b {
				all = append(all, h)
			}
		}
	}
	return all
}

func (h *mHolding) open() bool { return !h.entry.closed && h.as != Own }

// An op is one step of a test.
type op struct {
	do       string
	who      int // the request that it ends or cancels
	in       int // the entry whose context the new request has, or -1
	bulkhead int
	wants    []mWant
	timeout  time.Duration // of the new request's context; 0: none
	pass     time.Duration
	settings Settings
}

type mWant struct {
	bulkhead, n int
	as          Use
}

func (m *model) apply(o op) {
	switch o.do {
	case "call":
		m.begin(o, []mWant{{o.bulkhead, 1, Own}}, false)
	case "enter":
		m.begin(o, o.wants, true)
	case "end":
		m.end(m.requests[o.who])
	case "cancel":
		m.fail(context.Canceled, func(r *mRequest) bool { return r == m.requests[o.who] })
	case "pass":
		m.pass(m.now + o.pass)
	case "resize":
		m.resize(m.bulkheads[o.bulkhead], o.settings)
	}
	m.settle()
}

// settle lets everybody go on who can.
func (m *model) settle() {
	for len(m.tasks) > 0 {
		i := m.choose(len(m.tasks))
		if more := m.tasks[i](); !more {
			m.tasks = slices.Delete(m.tasks, i, i+1)
		}
	}
}

func (m *model) begin(o op, wants []mWant, entry bool) {
	r := &mRequest{entry: entry, deadline: 1 << 62}
	m.requests = append(m.requests, r)
	if o.in >= 0 {
		r.in = m.requests[o.in]
		r.deadline, r.err = r.in.deadline, r.in.err
	}
	if o.timeout > 0 {
		r.deadline = min(r.deadline, m.now+o.timeout)
	}
	for r.outer = r.in; r.outer != nil && r.outer.closed; {
		r.outer = r.outer.outer
	}
	slices.SortFunc(wants, func(a, b mWant) int { return a.bulkhead - b.bulkhead })
	for _, w := range wants {
		b := m.bulkheads[w.bulkhead]
		r.holdings = append(r.holdings, &mHolding{entry: r, b: b, as: w.as, n: w.n})
		b.demanded = b.demanded || entry
		r.longest = max(r.longest, b.wait)
	}
	if r.err != nil {
		first := r.holdings[0]
		m.refuse(r, first.b, Done, min(first.n, first.b.available()))
		return
	}
	m.tasks = append(m.tasks, func() bool { return m.look(r) })
}

// look borrows what entries around r can spare, and refuses what can never be
// had, in any holding.
func (m *model) look(r *mRequest) (more bool) {
	if r.outer != nil && r.entry {
		for _, h := range r.holdings {
			m.borrow(r, h)
		}
	}
	for i, h := range r.holdings {
		if m.want(r, h); r.entry && r.need > 0 && r.need+r.held > h.b.size {
			r.step = i
			return m.refusePermits(r, h.b)
		}
	}
	m.tasks = append(m.tasks, func() bool { return m.fill(r) })
	return false
}

// want says what r needs from the pool for h.
func (m *model) want(r *mRequest, h *mHolding) {
	r.need, r.held, r.loan = h.n-h.loan, 0, h.loan
	if !r.entry {
		return
	}
	for _, from := range r.outer.chain(h.b) {
		if !from.entry.closed {
			for _, p := range from.care() {
				if p.owners[0] == from {
					r.held++
				}
			}
		}
	}
}

// fill gets the permits of one holding, if that needs no wait.
func (m *model) fill(r *mRequest) (more bool) {
	if r.step == len(r.holdings) {
		m.open(r)
		return false
	}
	h := r.holdings[r.step]
	if !r.entry && m.useReserved(r, h.b) {
		return false
	}
	m.want(r, h)
	r.holder = m.holds(r, h)
	patient := r.longest > 0 && m.inOrder(r, h)
	switch {
	case r.need == 0:
		r.step++
		return true
	case h.b.free() >= r.need && h.b.ahead(r) == 0:
		m.grant(r)
		return true
	case r.need+r.held > h.b.size:
		return m.refusePermits(r, h.b)
	case patient && r.until == 0:
		r.until = m.now + r.longest
	}
	switch {
	case patient && r.err != nil:
		return m.refuse(r, h.b, Cancelled, h.b.available()+r.loan)
	case !patient, r.until <= m.now, len(h.b.queue) >= h.b.capacity:
		return m.refusePermits(r, h.b)
	}
	h.b.queue = slices.Insert(h.b.queue, h.b.ahead(r), r)
	r.state = isWaiting
	m.serve(h.b)
	r.waited = r.state == isWaiting
	return false
}

// ahead is how many would wait before r.
func (b *mBulkhead) ahead(r *mRequest) (n int) {
	for _, q := range b.queue {
		if q.holder || !r.holder {
			n++
		}
	}
	return n
}

// within returns the holdings that r waits in when it wants more of h's
// bulkhead.
func (r *mRequest) within(h *mHolding) []*mHolding {
	if r.entry {
		if r.outer == nil {
			return nil
		}
		return append([]*mHolding{h}, r.outer.chain(h.b)...)
	}
	return r.in.chain(h.b)
}

func (m *model) holds(r *mRequest, h *mHolding) bool {
	return slices.ContainsFunc(r.within(h), func(h *mHolding) bool { return !h.entry.closed && len(h.care()) > 0 })
}

// useReserved lets a call run on a reserved permit.
func (m *model) useReserved(r *mRequest, b *mBulkhead) bool {
	chain := r.in.chain(b)
	for _, h := range chain {
		if idle := h.idle(); h.open() && len(idle) > 0 {
			idle[0].busy, r.permit = true, idle[0]
			m.open(r)
			return true
		}
	}
	return false
}

func (m *model) miss(chain []*mHolding) {
	for _, h := range chain {
		if h.open() {
			h.overflowed++
			h.b.overflow++
			return
		}
	}
}

// borrow books idle permits of entries around r.
func (m *model) borrow(r *mRequest, h *mHolding) {
	for _, from := range r.outer.chain(h.b) {
		for _, p := range from.idle() {
			if h.loan < h.n {
				m.lend(p, h)
			}
		}
	}
}

func (m *model) lend(p *mPermit, h *mHolding) {
	p.owners = append(p.owners, h)
	p.busy, p.ran = h.as == Own, false
	h.loan++
}

// inOrder reports whether r may wait for h.
func (m *model) inOrder(r *mRequest, h *mHolding) bool {
	for e := r.outer; e != nil && h.b.demanded; e = e.outer {
		for _, other := range e.holdings {
			if !e.closed && other.b.order > h.b.order && other.keeps() {
				return false
			}
		}
	}
	return true
}

// keeps reports whether h has a permit that does not go with the end of a call.
func (h *mHolding) keeps() bool {
	return slices.ContainsFunc(h.care(), func(p *mPermit) bool {
		return p.owner() != h || !p.busy || h.as != Ticket
	})
}

// grant moves permits from the pool to the holding that r is filling.
func (m *model) grant(r *mRequest) {
	h := r.holdings[r.step]
	for range r.need {
		p := &mPermit{busy: h.as == Own}
		if r.entry {
			p.owners = []*mHolding{h}
		}
		r.permit = p
		h.b.held = append(h.b.held, p)
	}
	r.step++
	r.state = isFilling
}

// open ends the filling: the call is made, or the body runs.
func (m *model) open(r *mRequest) {
	r.state = isGranted
	if !r.entry {
		m.count(r)
		return
	}
	for _, h := range r.holdings {
		if h.as == Own && h.loan < h.n {
			m.miss(r.outer.chain(h.b))
		}
		for _, p := range h.care() {
			switch {
			case h.as != Own && len(p.owners) == 1:
				h.b.reserved++
			case h.as == Own && len(p.owners) > 1:
				p.owners[len(p.owners)-2].used++
				h.b.used++
			}
		}
	}
}

// count counts a call that is made.
func (m *model) count(r *mRequest) {
	b := r.holdings[0].b
	if h := r.permit.owner(); h != nil {
		r.permit.ran = true
		h.used++
		b.used++
	} else {
		m.miss(r.in.chain(b))
	}
}

func (b *mBulkhead) available() int {
	if len(b.queue) > 0 {
		return 0
	}
	return max(0, b.free())
}

func (m *model) refusePermits(r *mRequest, b *mBulkhead) (more bool) {
	if r.need+r.held > b.size {
		return m.refuse(r, b, TooLarge, max(0, b.size-r.held)+r.loan)
	}
	return m.refuse(r, b, Full, b.availableTo(r))
}

// availableTo is how many permits r could have now, if it can't wait.
func (b *mBulkhead) availableTo(r *mRequest) int {
	if i := slices.Index(b.queue, r); i > 0 || i < 0 && b.ahead(r) > 0 {
		return r.loan
	}
	return max(0, b.free()) + r.loan
}

// refuse ends r. If it holds something already, giving that back is more to do.
func (m *model) refuse(r *mRequest, b *mBulkhead, kind Kind, available int) (more bool) {
	h := r.holdings[min(r.step, len(r.holdings)-1)]
	r.state = isRefused
	switch {
	case kind == Done:
	case !r.entry:
		m.miss(r.in.chain(b))
	case h.as == Own && h.loan < h.n:
		m.miss(r.outer.chain(b))
	}
	r.refusal = Refusal{Kind: kind, Wanted: h.n, Available: available}
	switch kind {
	case Full:
		b.full++
	case TooLarge:
		b.tooLarge++
	default:
		b.cancelled++
		r.refusal.Cause = r.err
	}
	m.close(r, false)
	return false
}

// close gives back what the holdings of r keep, one after the other. Spent: the
// body ran.
func (m *model) close(r *mRequest, spent bool) {
	r.closed = true
	var left []*mHolding
	for _, h := range r.holdings {
		if r.entry && len(h.care()) > 0 {
			left = append(left, h)
		}
	}
	if len(left) == 0 {
		return
	}
	m.tasks = append(m.tasks, func() (more bool) {
		h := left[0]
		fresh, pooled := 0, 0
		var last []*mHolding
		for _, p := range h.care() {
			if p.owner() != h || p.busy && h.as != Own {
				continue
			}
			if h.as == Ticket || h.as == Lease && !p.ran {
				fresh++
			}
			way := m.giveUp(h.b, p, spent && h.as == Own)
			if toPool(way) {
				pooled++
			}
			if last != nil && !slices.Equal(way, last) {
				m.serve(h.b)
			}
			last = way
		}
		m.serve(h.b)
		if spent {
			h.b.unused += min(fresh, pooled)
		}
		left = left[1:]
		return len(left) > 0
	})
}

// dismiss gives up one permit, and those go on who can have it.
func (m *model) dismiss(b *mBulkhead, p *mPermit, spent bool) (pooled bool) {
	way := m.giveUp(b, p, spent)
	m.serve(b)
	return toPool(way)
}

// giveUp takes p from its owner. What is spent goes to the pool rather than to
// a lender, what is not goes to a lender rather than to the pool. It returns the way
// that p went, with nil for the pool: permits that an entry gives up on the same way
// are there all at once, before anybody is served.
func (m *model) giveUp(b *mBulkhead, p *mPermit, spent bool) (way []*mHolding) {
	m.exchange(p, spent)
	if len(p.owners) > 0 {
		p.owners = p.owners[:len(p.owners)-1]
	}
	if len(p.owners) == 0 {
		b.held = slices.DeleteFunc(b.held, func(q *mPermit) bool { return q == p })
		return []*mHolding{nil}
	}
	p.busy, p.ran = false, true
	lender := p.owner()
	if lender.open() && (lender.as == Lease || !spent) {
		return []*mHolding{lender}
	}
	onward := m.giveUp(b, p, spent)
	if toPool(onward) && !spent {
		b.unused++
	}
	return append([]*mHolding{lender}, onward...)
}

// toPool reports whether the way leads to the pool, and through no lender.
func toPool(way []*mHolding) bool { return way[0] == nil }

// exchange makes p the right one to go, as permits of an owner are all alike:
// one from the pool, or one from the lender furthest out.
func (m *model) exchange(p *mPermit, spent bool) {
	h := p.owner()
	if h == nil {
		return
	}
	best, depth := p, rank(p, h, spent)
	for _, q := range h.care() {
		if d := rank(q, h, spent); d < depth {
			best, depth = q, d
		}
	}
	i, j := slices.Index(p.owners, h), slices.Index(best.owners, h)
	below := slices.Clone(p.owners[:i])
	p.owners = append(slices.Clone(best.owners[:j]), p.owners[i:]...)
	if best != p {
		best.owners = append(below, best.owners[j:]...)
	}
}

// rank is how late a permit of h goes: those from the pool first if it is
// spent, else last.
func rank(p *mPermit, h *mHolding, spent bool) int {
	i := slices.Index(p.owners, h)
	if i > 0 {
		for depth, from := range h.entry.outer.chain(h.b) {
			if from == p.owners[i-1] {
				return -depth
			}
		}
	}
	if spent {
		return -1 << 30
	}
	return 1
}

// serve grants requests in their order, first those that can have idle permits
// of the entries around them, and breaks circles.
func (m *model) serve(b *mBulkhead) {
	for again := true; again; {
		for _, r := range slices.Clone(b.queue) {
			m.serveInside(r, b)
		}
		for len(b.queue) > 0 && b.free() >= b.queue[0].need {
			r := b.queue[0]
			b.queue = b.queue[1:]
			m.grant(r)
			m.granted(r)
		}
		again = m.breakCircle(b)
	}
}

// serveInside gives r what has come back to the entries around it.
func (m *model) serveInside(r *mRequest, b *mBulkhead) {
	h := r.holdings[min(r.step, len(r.holdings)-1)]
	for _, from := range r.within(h) {
		for _, p := range from.idle() {
			if !r.holder || r.state != isWaiting || from.entry == r || !from.open() {
				break
			}
			if r.entry {
				m.lend(p, h)
				r.need, r.loan = r.need-1, r.loan+1
			} else {
				p.busy, r.permit, r.need = true, p, 0
			}
			if r.need == 0 {
				r.step++
				b.leave(r)
				m.granted(r)
			}
		}
	}
}

func (b *mBulkhead) leave(r *mRequest) {
	b.queue = slices.DeleteFunc(b.queue, func(q *mRequest) bool { return q == r })
}

// breakCircle refuses the newest of those who hold each other up, if nothing
// can come free.
func (m *model) breakCircle(b *mBulkhead) bool {
	for _, p := range b.held {
		if !slices.ContainsFunc(b.queue, func(r *mRequest) bool { return r.holdsUp(p) }) {
			return false
		}
	}
	for _, r := range slices.Backward(b.queue) {
		if slices.ContainsFunc(b.held, r.holdsUp) {
			available := b.availableTo(r)
			b.leave(r)
			m.refuse(r, b, Full, available)
			r.refusal.Circle = true
			return true
		}
	}
	return false
}

// holdsUp reports whether p can't come free before r, which waits for its
// bulkhead, is served.
func (r *mRequest) holdsUp(p *mPermit) bool {
	h := p.owner()
	return r.holder && h != nil && (!p.busy || h.as == Own) && slices.Contains(r.within(r.holdings[r.step]), h)
}

// granted lets r go on, which has all that it waited for.
func (m *model) granted(r *mRequest) {
	r.state = isFilling
	if r.err == nil && r.step == len(r.holdings) {
		m.open(r)
	} else {
		m.tasks = append(m.tasks, func() bool { return m.resume(r) })
	}
}

// resume goes on after a wait, unless the context ended in the meantime.
func (m *model) resume(r *mRequest) (more bool) {
	if r.err == nil {
		m.tasks = append(m.tasks, func() bool { return m.fill(r) })
		return false
	}
	r.step--
	h := r.holdings[r.step]
	if !r.entry {
		m.undo(h.b, r.permit)
		m.refuse(r, h.b, Cancelled, 0)
		return false
	}
	for _, p := range h.care() {
		if len(p.owners) == 1 {
			h.b.held = slices.DeleteFunc(h.b.held, func(q *mPermit) bool { return q == p })
		}
	}
	m.serve(h.b)
	m.refuse(r, h.b, Cancelled, r.loan)
	return false
}

// undo takes back the permit of a call that is not made.
func (m *model) undo(b *mBulkhead, p *mPermit) {
	h := p.owner()
	if p.busy = false; h != nil && !h.entry.closed {
		m.serve(b)
	} else if pooled := m.dismiss(b, p, false); pooled && h != nil {
		b.unused++
	}
}

// leave takes a request out of the queue whose time is over.
func (m *model) leave(r *mRequest) (more bool) {
	if r.state != isWaiting {
		return false
	}
	b := r.holdings[r.step].b
	available := b.availableTo(r)
	b.leave(r)
	m.serve(b)
	kind := Full
	if r.err != nil {
		kind = Cancelled
	}
	return m.refuse(r, b, kind, available)
}

// fail ends contexts, and those inside them.
func (m *model) fail(err error, which func(*mRequest) bool) {
	for _, r := range m.requests {
		if r.err == nil && (which(r) || r.in != nil && r.in.err != nil) {
			r.err = err
			if r.in != nil && r.in.err != nil {
				r.err = r.in.err
			}
		}
		if r.err != nil && r.state == isWaiting {
			m.tasks = append(m.tasks, func() bool { return m.leave(r) })
		}
	}
}

// pass lets time go by, and everybody go on at each moment at which something
// ends.
func (m *model) pass(until time.Duration) {
	for m.now < until {
		next := until
		for _, r := range m.requests {
			for _, t := range []time.Duration{r.deadline, r.until} {
				if t > m.now {
					next = min(next, t)
				}
			}
		}
		m.now = next
		m.fail(context.DeadlineExceeded, func(r *mRequest) bool { return r.deadline <= m.now })
		for _, r := range m.requests {
			if r.state == isWaiting && r.err == nil && r.until <= m.now {
				m.tasks = append(m.tasks, func() bool { return m.leave(r) })
			}
		}
		m.settle()
	}
}

// end ends a call or an entry.
func (m *model) end(r *mRequest) {
	r.state = isEnded
	if r.entry {
		m.close(r, true)
		return
	}
	b, p := r.holdings[0].b, r.permit
	h := p.owner()
	switch {
	case h == nil:
		m.dismiss(b, p, true)
	case h.as == Lease && !h.entry.closed:
		p.busy = false
		m.serve(b)
	default:
		m.dismiss(b, p, h.as != Lease)
	}
}

func (m *model) resize(b *mBulkhead, s Settings) {
	b.set(s)
	for _, r := range slices.Clone(b.queue) {
		if r.need > b.size || r.outer == nil || !r.entry {
			m.refuseMisfit(r, b)
		} else {
			m.tasks = append(m.tasks, func() bool { return m.askAgain(r, b) })
		}
	}
	m.serve(b)
}

// askAgain looks at what the entries around r hold now.
func (m *model) askAgain(r *mRequest, b *mBulkhead) (more bool) {
	if slices.Contains(b.queue, r) {
		m.want(r, r.holdings[r.step])
		m.refuseMisfit(r, b)
		m.serve(b)
	}
	return false
}

func (m *model) refuseMisfit(r *mRequest, b *mBulkhead) {
	if r.need+r.held > b.size {
		b.leave(r)
		m.refuse(r, b, TooLarge, max(0, b.size-r.held)+r.loan)
	}
}

func (b *mBulkhead) set(s Settings) {
	b.size, b.wait, b.capacity = s.MaxConcurrentCalls, s.MaxWaitDuration, 1<<62
	if s.QueueCapacity != nil {
		b.capacity = *s.QueueCapacity
		if b.capacity == 0 {
			b.wait = 0
		}
	}
}

// circle returns a bulkhead in whose queue somebody waits for nobody's progress,
// or without a limit; nil if there is none. It sees the waits as a graph: who
// waits for a bulkhead waits for those who hold it.
func (m *model) circle() *mBulkhead {
	for _, b := range m.bulkheads {
		unlimited := slices.ContainsFunc(b.queue, func(r *mRequest) bool { return r.until <= m.now })
		if len(b.queue) > 0 && (unlimited || !m.progress(b, nil)) {
			return b
		}
	}
	return nil
}

// progress reports whether a permit of b will come free. It is asked on the way
// along the waits for other bulkheads, and is false where that comes round.
func (m *model) progress(b *mBulkhead, way []*mBulkhead) bool {
	if slices.Contains(way, b) {
		return false
	}
	way = append(slices.Clone(way), b)
	return slices.ContainsFunc(b.held, func(p *mPermit) bool {
		h := p.owner()
		return h == nil || p.busy && h.as != Own || m.getsOn(h.entry, way)
	})
}

// getsOn reports whether all that waits inside an entry will be served.
func (m *model) getsOn(e *mRequest, way []*mBulkhead) bool {
	for _, b := range m.bulkheads {
		for _, r := range b.queue {
			if r.isInside(e) && !m.progress(b, way) {
				return false
			}
		}
	}
	return true
}

func (r *mRequest) isInside(e *mRequest) bool {
	around := r.in
	if r.entry {
		around = r // it fills its own
	}
	for around != nil && around != e {
		around = around.outer
	}
	return around != nil
}

// String is all that can be seen from outside.
func (m *model) String() string {
	var s strings.Builder
	for _, b := range m.bulkheads {
		busy := 0
		for _, p := range b.held {
			if p.busy {
				busy++
			}
		}
		var queue []int
		for _, r := range b.queue {
			queue = append(queue, r.need)
		}
		fmt.Fprintln(&s, b.size, busy, len(b.held)-busy, max(0, b.free()), queue,
			b.full, b.tooLarge, b.cancelled, b.reserved, b.used, b.overflow, b.unused)
	}
	for _, r := range m.requests {
		fmt.Fprintln(&s, describe(r.state == isWaiting, r.entry && r.waited, r.state == isRefused, r.refusal))
	}
	return s.String()
}

// describe says what became of a request.
func describe(waits, waited, refused bool, r Refusal) string {
	switch {
	case waits:
		return "waits"
	case refused:
		return fmt.Sprint("refused ", r.Kind, r.Wanted, r.Available, r.Cause, r.Circle)
	}
	return fmt.Sprint("granted, waited: ", waited)
}
