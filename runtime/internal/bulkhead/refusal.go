package bulkhead

import (
	"context"
	"fmt"

	"github.com/resgen-go/resgen/runtime/internal/text"
)

// Kind says why a request got no permit.
type Kind uint8

const (
	// Full: no permit was free and waiting was not allowed, or lasted too long.
	Full Kind = iota + 1
	// TooLarge: the request could never be granted at the bulkhead's size.
	TooLarge
	// Cancelled: no permit was free, and the context ended the wait or left no
	// time for one.
	Cancelled
	// Done: the context was done before the bulkhead was asked.
	Done
	// Gated: the gates before the bulkhead ended the wait. It is not counted:
	// gates have their own errors and counters.
	Gated
)

var kinds = [...]string{Full: "full", TooLarge: "too large", Cancelled: "cancelled", Done: "done", Gated: "gated"}

func (k Kind) String() string {
	if int(k) < len(kinds) && kinds[k] != "" {
		return kinds[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// A Refusal says what was asked of which bulkhead, and why it was not given. It
// is immutable: requests may share one.
type Refusal struct {
	Bulkhead *Bulkhead
	Kind     Kind
	Wanted   int // permits asked for
	// Available is how many of them it could have had at that moment, which is
	// none behind a queue. For TooLarge it is how many it could ever have.
	Available int
	Cause     error // the context's error for Cancelled and Done, else nil
	Circle    bool  // Full, because it would have waited for itself
	Dry       bool  // the settings are not enforced, so it has its permits all the same
}

func (r *Refusal) String() string {
	s := fmt.Sprintf("bulkhead %s: %s: wanted %d, available %d", r.Bulkhead.name, r.Kind, r.Wanted, r.Available)
	if r.Circle {
		s += ", and it would wait for itself"
	}
	if r.Cause != nil {
		s += ": " + text.Of(r.Cause)
	}
	return s
}

// refuse counts the refusal and returns it. Overload brings the same refusal
// again and again, so that of a call with no room is made in advance, and the
// last of the others is kept.
func (b *Bulkhead) refuse(r Refusal) *Refusal {
	b.counters.refused[r.Kind].Add(1)
	b.noteRefusal(r.Kind)
	r.Bulkhead = b
	if r == *b.full {
		return b.full
	}
	if r.Cause != nil && r.Cause != context.Canceled && r.Cause != context.DeadlineExceeded {
		return keep(r) // as in WithCause
	}
	last := b.last.Load()
	if last == nil || *last != r {
		last = keep(r)
		b.last.Store(last)
	}
	return last
}

// refuseCall is refuse for a call that finds no permit and may not wait, which is
// what an overload brings.
func (b *Bulkhead) refuseCall() (Permit, bool, *Refusal) {
	if refused, through := b.letThrough(&claim{n: 1, to: freeToBusy}); through {
		return Permit{&b.pool}, false, refused
	}
	b.counters.refused[Full].Add(1)
	b.noteRefusal(Full)
	return Permit{}, false, b.full
}

func keep(r Refusal) *Refusal { return &r }

// letThrough gives permits that are not there, as if the bulkhead had just shrunk, to
// a request that a dry run would refuse. It reports false where it must refuse.
func (b *Bulkhead) letThrough(c *claim) (refused *Refusal, through bool) {
	t := b.now()
	if !b.dry.Load() || t.busy()+t.idle()+c.n > maxSize {
		return nil, false
	}
	b.shift(int32(c.n), c.to)
	b.counters.dry.Add(1)
	b.fill()
	if c.wanted() == 1 {
		return b.fullInDry, true
	}
	refused = &Refusal{Bulkhead: b, Kind: Full, Wanted: c.wanted(), Available: t.available() + c.loan, Dry: true}
	if largest := b.largest(t); !c.fits(largest) {
		refused.Kind, refused.Available = TooLarge, max(0, largest-c.held)+c.loan
	}
	return refused, true
}

// refuseClaim refuses for want of permits, in view of t.
func (b *Bulkhead) refuseClaim(c *claim, t tally) *Refusal {
	largest := b.largest(t)
	if c.fits(largest) {
		return b.refuse(Refusal{Kind: Full, Wanted: c.wanted(), Available: t.available() + c.loan})
	}
	return b.refuse(Refusal{Kind: TooLarge, Wanted: c.wanted(), Available: max(0, largest-c.held) + c.loan})
}

// refuseDone refuses n permits to a context that is done.
func (b *Bulkhead) refuseDone(n int, cause error) *Refusal {
	return b.refuse(Refusal{Kind: Done, Wanted: n, Available: min(n, b.now().available()), Cause: cause})
}

// WithCause is err, the error of ctx, together with why ctx was cancelled, where
// that says more.
func WithCause(ctx context.Context, err error) error {
	if err != context.Canceled && err != context.DeadlineExceeded {
		return err // errors of unknown types may not even be comparable
	}
	cause := context.Cause(ctx)
	if cause == nil || cause == err {
		return err
	}
	return &caused{err, cause}
}

// caused is the error of a context that was cancelled with a cause. It is both.
type caused struct{ err, cause error }

func (c *caused) Error() string   { return c.err.Error() + ": " + text.Of(c.cause) }
func (c *caused) Unwrap() []error { return []error{c.err, c.cause} }
