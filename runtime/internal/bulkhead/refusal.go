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
)

var kinds = [...]string{Full: "full", TooLarge: "too large", Cancelled: "cancelled", Done: "done"}

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
}

func (r *Refusal) String() string {
	s := fmt.Sprintf("bulkhead %s: %s: wanted %d, available %d", r.Bulkhead.name, r.Kind, r.Wanted, r.Available)
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
	r.Bulkhead = b
	if r == *b.full {
		return b.full
	}
	if r.Cause != nil && r.Cause != context.Canceled && r.Cause != context.DeadlineExceeded {
		return keep(r) // errors of unknown types may not even be comparable
	}
	last := b.last.Load()
	if last == nil || *last != r {
		last = keep(r)
		b.last.Store(last)
	}
	return last
}

func keep(r Refusal) *Refusal { return &r }

// refuseClaim refuses for want of permits, in view of t.
func (b *Bulkhead) refuseClaim(c claim, t tally) *Refusal {
	if c.fits(t.size()) {
		return b.refuse(Refusal{Kind: Full, Wanted: c.n + c.loan, Available: t.available() + c.loan})
	}
	return b.refuse(Refusal{Kind: TooLarge, Wanted: c.n + c.loan, Available: max(0, t.size()-c.held) + c.loan})
}

// refuseDone refuses n permits to a context that is done.
func (b *Bulkhead) refuseDone(n int, cause error) *Refusal {
	return b.refuse(Refusal{Kind: Done, Wanted: n, Available: min(n, b.now().available()), Cause: cause})
}
