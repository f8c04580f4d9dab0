package bulkhead

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/resgen-go/resgen/runtime/internal/carry"
)

// A Reservation holds the permits of an entry method while its body runs. It is
// the context for the body: calls find it there, through any contexts derived
// from it, and on any goroutine.
//
// It ends with [Reservation.Close]; calls that started before may outlive it,
// calls that start later don't find it. Its methods are safe for concurrent
// use.
type Reservation struct {
	context.Context

	outer  *Reservation // the nearest enclosing one that was open at the start
	mu     sync.Mutex   // that of the root guards the holdings of all reservations inside it
	demand *Demand      // that it fills
	cutOff atomic.Bool  // a call inside was refused
	opened bool         // the body runs, or ran
	closed bool
	waits  atomic.Int32 // requests of holders that wait inside it; grows under mu only

	holdings []holding
}

// contextKey finds the innermost reservation of a context.
type contextKey struct{}

const name = "WithReservation"

// Value makes the reservation known to derived contexts.
func (r *Reservation) Value(key any) any {
	if key == (contextKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// String names the reservation after its parent, as other contexts do.
func (r *Reservation) String() string { return carry.Name(r.Context) + "." + name }

// Attach returns ctx with the reservation, for code whose context is not
// derived from the entry's, like a worker that lives longer than a request. Of
// a nil Reservation it returns ctx itself.
func (r *Reservation) Attach(ctx context.Context) context.Context {
	if r == nil {
		return ctx
	}
	return carry.Attach(ctx, contextKey{}, r, name)
}

// From returns the innermost open reservation that ctx carries, or nil.
func From(ctx context.Context) *Reservation {
	r := carried(ctx)
	if r == nil {
		return nil
	}
	mu := &r.root().mu
	mu.Lock()
	defer mu.Unlock()
	for r != nil && r.closed {
		r = r.outer
	}
	return r
}

// carried returns the innermost reservation that ctx carries, open or closed,
// or nil.
func carried(ctx context.Context) *Reservation {
	if r, ok := ctx.(*Reservation); ok {
		return r
	}
	r, _ := ctx.Value(contextKey{}).(*Reservation)
	return r
}

// newReservation returns an empty reservation inside outer, if that is not nil.
// With up to four bulkheads it is a single allocation.
func newReservation(ctx context.Context, outer *Reservation, d *Demand) *Reservation {
	r := withRoom(len(d.wants))
	r.Context, r.outer, r.demand = ctx, outer, d
	for i, w := range d.wants {
		h := &r.holdings[i]
		h.reservation, h.bulkhead, h.as, h.n = r, w.Bulkhead, w.As, int32(w.N)
	}
	return r
}

func withRoom(n int) *Reservation {
	switch {
	case n <= 2:
		room := new(struct {
			Reservation
			held [2]holding
		})
		room.Reservation.holdings = room.held[:n]
		return &room.Reservation
	case n <= 4:
		room := new(struct {
			Reservation
			held [4]holding
		})
		room.Reservation.holdings = room.held[:n]
		return &room.Reservation
	}
	return &Reservation{holdings: make([]holding, n)}
}

// Owner is whose demand it fills, see [Demand.Own].
func (r *Reservation) Owner() any { return r.demand.owner }

// CutOff notes that a call inside was refused. It reports whether that is the first.
func (r *Reservation) CutOff() (first bool) { return !r.cutOff.Swap(true) }

// root is the outermost of the reservations around r: r itself where there is
// none.
func (r *Reservation) root() *Reservation {
	for r.outer != nil {
		r = r.outer
	}
	return r
}

// find returns the innermost holding of b, in r or around it.
func (r *Reservation) find(b *Bulkhead) *holding {
	for ; r != nil; r = r.outer {
		for i := range r.holdings {
			if r.holdings[i].bulkhead == b {
				return &r.holdings[i]
			}
		}
	}
	return nil
}

// holdsAfter reports whether an entry in or around r holds a bulkhead that
// comes after b in the global order. The lock must be held.
func (r *Reservation) holdsAfter(b *Bulkhead) bool {
	for ; r != nil; r = r.outer {
		for i := range r.holdings {
			if h := &r.holdings[i]; !r.closed && h.keeps() && order(h.bulkhead, b) > 0 {
				return true
			}
		}
	}
	return false
}

// use lets a call of b run on a permit of r or of a reservation around it. It returns
// the holding that gives the permit, nil if the permit has to come from the pool, and
// the innermost holding that was asked.
func (r *Reservation) use(b *Bulkhead) (from, within *holding) {
	if r == nil {
		return nil, nil
	}
	mu := &r.root().mu
	mu.Lock()
	defer mu.Unlock()
	within = r.find(b)
	return within.beginCall(), within
}

// borrow takes from the enclosing reservations the permits that they can spare. It
// refuses if the pool could never add the rest.
func (r *Reservation) borrow() *Refusal {
	mu := &r.root().mu
	mu.Lock()
	for i := range r.holdings {
		r.holdings[i].borrow()
	}
	mu.Unlock()
	for i := range r.holdings {
		h := &r.holdings[i]
		if c, t := h.claim(), h.bulkhead.now(); c.n > 0 && !h.bulkhead.dry.Load() && !c.fits(h.bulkhead.largest(t)) {
			return h.bulkhead.refuseClaim(&c, t)
		}
	}
	return nil
}

// missOwn counts the entry's own call where its bulkhead refused it.
func (r *Reservation) missOwn(refused *Refusal) {
	for i := range r.holdings {
		h := &r.holdings[i]
		if h.as == Own && refused != nil && refused.Bulkhead == h.bulkhead && refused.Kind != Gated {
			h.missOwn()
		}
	}
}

// Open lets calls find the reservation, if there is one. Call it just before the
// body runs.
func (r *Reservation) Open() {
	if r == nil {
		return
	}
	r.opened = true
	for i := range r.holdings {
		r.holdings[i].open()
	}
}

// Close ends the reservation. Permits without a call go back in one step, to
// the enclosing reservation as far as they were borrowed, else to the pool; the
// others follow when their calls end. It returns
// how many of the permits served no call, and how many calls found none left. A
// second Close does nothing.
func (r *Reservation) Close() (unused, overflow int) {
	mu := &r.root().mu
	mu.Lock()
	defer mu.Unlock()
	if r.closed {
		return 0, 0
	}
	r.closed = true
	for i := range r.holdings {
		h := &r.holdings[i]
		h.close(r.opened)
		if !r.opened || h.as == Own {
			continue
		}
		h.bulkhead.open.Add(-1)
		h.bulkhead.counters.unused.Add(uint64(h.unused))
		unused, overflow = unused+int(h.unused), overflow+int(h.overflow)
	}
	return unused, overflow
}

// Usage says how well a reservation of one bulkhead fitted the calls inside.
type Usage struct {
	Bulkhead *Bulkhead
	Reserved int // permits held from the start
	Used     int // calls that ran on them
	Unused   int // permits on which no call ran, known after Close
	Overflow int // calls that found none left
}

// Usage returns the usage of each bulkhead that calls inside can use.
func (r *Reservation) Usage() []Usage {
	mu := &r.root().mu
	mu.Lock()
	defer mu.Unlock()
	var all []Usage
	for i := range r.holdings {
		if h := &r.holdings[i]; h.as != Own {
			all = append(all, Usage{h.bulkhead, int(h.n), int(h.used.Load()), int(h.unused), int(h.overflow)})
		}
	}
	return all
}
