package ratelimit

import (
	"context"
	"sync/atomic"

	"github.com/resgen-go/resgen/runtime/internal/carry"
)

// A Want is a number of tokens that an entry takes before its body runs.
type Want struct {
	Limiter *Limiter
	N       int
}

// A Reservation holds the tokens of an entry while its body runs. It is the context
// of the body: calls find it there, through any contexts derived from it.
type Reservation struct {
	context.Context
	held   []tokens
	closed atomic.Bool
}

// tokens are those that a reservation has of one limiter, or stand for its bucket.
type tokens struct {
	limiter *Limiter
	of      *Reservation // nil: the bucket
	left    atomic.Int64
	lender  *tokens // of an entry around it, from which it has some
	lent    int64
}

// contextKey finds the innermost reservation of a context.
type contextKey struct{}

const name = "WithTokens"

// Value makes the reservation known to derived contexts.
func (r *Reservation) Value(key any) any {
	if key == (contextKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// String names the reservation after its parent, as other contexts do.
func (r *Reservation) String() string { return carry.Name(r.Context) + "." + name }

// Attach returns ctx with the reservation. Of a nil Reservation it returns ctx.
func (r *Reservation) Attach(ctx context.Context) context.Context {
	if r == nil {
		return ctx
	}
	return carry.Attach(ctx, contextKey{}, r, name)
}

// From returns the innermost open reservation that ctx carries, or nil.
func From(ctx context.Context) *Reservation {
	r := carried(ctx)
	for r != nil && r.closed.Load() {
		r = carried(r.Context)
	}
	return r
}

func carried(ctx context.Context) *Reservation {
	r, _ := ctx.Value(contextKey{}).(*Reservation)
	return r
}

// Reserve takes all tokens that are wanted, or none: those that entries around it
// have left, and the rest from the buckets. It waits as [Limiter.Take] does, for
// one limiter after the other, and says at which it was refused, or would have been
// in a dry run.
func Reserve(ctx context.Context, wants []Want, gates Gates) (r *Reservation, waited bool, at *Want, refused *Refusal) {
	filling := &Reservation{Context: ctx, held: make([]tokens, len(wants))}
	defer func() {
		if r == nil { // refused, or a method of the context panicked
			filling.Close()
		}
	}()
	for i := range wants {
		t, want := &filling.held[i], &wants[i]
		t.limiter, t.of = want.Limiter, filling
		want.Limiter.open.Add(1)
		t.borrow(carried(ctx), int64(want.N))
		missing := want.N - int(t.lent)
		if missing == 0 {
			continue
		}
		taken, waits, refusal := want.Limiter.obtain(ctx, missing, gates)
		waited = waited || waits
		switch {
		case taken:
			t.left.Add(int64(missing))
		case refusal.Dry:
			at, refused = want, refusal
		default:
			return nil, waited, want, refusal
		}
	}
	return filling, waited, at, refused
}

// borrow takes up to n tokens of the innermost entry that has any.
func (t *tokens) borrow(from *Reservation, n int64) {
	if t.lender, t.lent = from.take(t.limiter, n); t.lent > 0 {
		t.left.Store(t.lent)
	}
}

// take takes up to n tokens of l from r or a reservation around it.
func (r *Reservation) take(l *Limiter, n int64) (from *tokens, got int64) {
	for ; r != nil; r = carried(r.Context) {
		for i := range r.held {
			if t := &r.held[i]; t.limiter == l {
				if got = t.take(n); got > 0 {
					return t, got
				}
			}
		}
	}
	return nil, 0
}

func (t *tokens) take(n int64) int64 {
	for {
		left := t.left.Load()
		n := min(n, left)
		if n == 0 || t.left.CompareAndSwap(left, left-n) {
			return n
		}
	}
}

// put gives back n tokens, to the bucket where the reservation is closed.
func (t *tokens) put(n int) {
	if t.of == nil {
		t.limiter.put(n)
		return
	}
	t.left.Add(int64(n))
	if t.of.closed.Load() {
		t.empty()
	}
}

// empty gives back the tokens that are left: what was lent to the lender.
func (t *tokens) empty() {
	left := t.left.Swap(0)
	if back := min(left, t.lent); back > 0 {
		t.lender.put(int(back))
		left -= back
	}
	if left > 0 {
		t.limiter.put(int(left))
	}
}

// Close gives the tokens back with which no call began. A second Close does
// nothing.
func (r *Reservation) Close() {
	if r.closed.Swap(true) {
		return
	}
	for i := range r.held {
		if t := &r.held[i]; t.limiter != nil {
			t.limiter.open.Add(-1)
			t.empty()
		}
	}
}
