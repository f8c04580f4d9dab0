package bulkhead

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Use says what an entry takes permits for.
type Use uint8

const (
	// Own is the permit of the entry's own call. It is in use from the start,
	// and not for the calls inside.
	Own Use = iota + 1
	// Ticket permits serve one call each. When the call ends, its permit goes
	// back to the pool.
	Ticket
	// Lease permits go back to the reservation when a call ends, so that they
	// bound the calls at the same time and not their number.
	Lease
)

// A Want is one line of a demand: n permits of a bulkhead.
type Want struct {
	Bulkhead *Bulkhead
	N        int
	As       Use
}

// A Demand is what an entry method takes before its body runs. Once it is
// used it does not change.
type Demand struct {
	wants   []Want      // in the global order
	numbers map[int]int // by want: which of the numbers of each call is its N
	owner   any
}

// NewDemand returns the demand for all wants. It refuses a number below one and
// a bulkhead that is wanted twice; numbers above the size are known only when
// they are asked for.
func NewDemand(wants ...Want) (*Demand, error) {
	if len(wants) == 0 {
		return nil, errors.New("a reservation of nothing")
	}
	d := new(Demand)
	for _, w := range wants {
		if w.N < 1 || w.N > maxSize {
			return nil, fmt.Errorf("bulkhead %s: %d permits wanted, allowed is [1, %d]", w.Bulkhead.name, w.N, maxSize)
		}
		i, twice := slices.BinarySearchFunc(d.wants, w.Bulkhead, Want.order)
		if twice {
			return nil, fmt.Errorf("bulkhead %s is wanted twice by one entry", w.Bulkhead.name)
		}
		d.wants = slices.Insert(d.wants, i, w)
	}
	for _, w := range d.wants {
		w.Bulkhead.demanded.Store(true)
	}
	return d, nil
}

// order is the order in which all entries take bulkheads, so that no two wait for
// each other.
func order(a, b *Bulkhead) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.number, b.number))
}

// order is that of the wanted bulkhead.
func (w Want) order(b *Bulkhead) int { return order(w.Bulkhead, b) }

// First is the bulkhead that is asked first.
func (d *Demand) First() *Bulkhead { return d.wants[0].Bulkhead }

// Number says that the n-th of the numbers of each call, from 1, is how many permits of
// b are wanted, see [Demand.Given].
func (d *Demand) Number(b *Bulkhead, n int) {
	if d.numbers == nil {
		d.numbers = map[int]int{}
	}
	i, _ := slices.BinarySearchFunc(d.wants, b, Want.order)
	d.numbers[i] = n
}

// Given is the demand with the numbers of one call. A number of zero or less is for
// nothing. It is nil if nothing is wanted.
func (d *Demand) Given(numbers []int) *Demand {
	if d == nil {
		return nil
	}
	given := &Demand{owner: d.owner, wants: make([]Want, 0, len(d.wants))}
	for i, w := range d.wants {
		if n := d.numbers[i]; n > 0 {
			w.N = min(numbers[n-1], maxSize)
		}
		if w.N > 0 {
			given.wants = append(given.wants, w)
		}
	}
	if len(given.wants) == 0 {
		return nil
	}
	return given
}

// Own says whose demand d is, before it is used.
func (d *Demand) Own(owner any) {
	if d != nil {
		d.owner = owner
	}
}

// Wants are those whose numbers are known.
func (d *Demand) Wants() (wants []Want) {
	if d != nil {
		for i, w := range d.wants {
			if d.numbers[i] == 0 {
				wants = append(wants, w)
			}
		}
	}
	return wants
}

// Bulkheads are the names of those that are wanted.
func (d *Demand) Bulkheads() (names []string) {
	if d != nil {
		for _, w := range d.wants {
			names = append(names, w.Bulkhead.name)
		}
	}
	return names
}

// Short is the first bulkhead that has not as many free permits as are wanted; nil:
// all have.
func (d *Demand) Short() *Bulkhead {
	if d != nil {
		for _, w := range d.wants {
			if w.Bulkhead.now().available() < w.N {
				return w.Bulkhead
			}
		}
	}
	return nil
}

// CountGate counts at each bulkhead of the demand that a gate refused.
func (d *Demand) CountGate() {
	for _, w := range d.wants {
		w.Bulkhead.CountGate()
	}
}

// Reserve takes all permits of the demand or none. It waits for them no longer
// than ctx lives and no longer than the largest maxWaitDuration, for all of
// them together, and only while the gates, if any, don't refuse; waited says
// whether it had to.
//
// Where ctx carries a reservation already, idle permits are borrowed from it
// first, and only what is missing comes from the pool.
//
// In a dry run there is a reservation also where there is a refusal, which then says
// so.
//
// The reservation serves calls from [Reservation.Open] on. If it is closed before
// that, every permit goes back to where it came from.
func (d *Demand) Reserve(ctx context.Context, gates Gates) (r *Reservation, waited bool, refused *Refusal) {
	if err := ctx.Err(); err != nil {
		return nil, false, d.wants[0].Bulkhead.refuseDone(d.wants[0].N, WithCause(ctx, err))
	}
	p := waitBudget{longest: d.longestWait(), gates: gates}
	outer := From(ctx)
	if outer == nil {
		if refused := d.glance(p.longest > 0); refused != nil {
			return nil, false, refused
		}
	}
	filling := newReservation(ctx, outer, d)
	defer func() {
		if r == nil { // refused, or a method of the context panicked
			filling.missOwn(refused)
			filling.Close()
		}
	}()
	if outer != nil {
		if refused := filling.borrow(); refused != nil {
			return nil, false, refused
		}
	}
	for i := range filling.holdings {
		waits, refusal := filling.holdings[i].fill(ctx, &p)
		waited = waited || waits
		if refusal != nil {
			if refused = refusal; !refused.Dry {
				return nil, waited, refused
			}
		}
	}
	return filling, waited, refused
}

// glance refuses demands without a chance before anything is taken or allocated: one
// of them is too large for its bulkhead, or nothing may wait and permits are missing.
func (d *Demand) glance(mayWait bool) *Refusal {
	var full *Want
	var seen tally
	for i := range d.wants {
		w := &d.wants[i]
		switch t := w.Bulkhead.now(); {
		case t.available() >= w.N, w.Bulkhead.dry.Load():
		case w.N > w.Bulkhead.largest(t):
			return w.Bulkhead.refuseClaim(&claim{n: w.N}, t)
		case full == nil:
			full, seen = w, t
		}
	}
	if mayWait || full == nil {
		return nil
	}
	return full.Bulkhead.refuseClaim(&claim{n: full.N}, seen)
}

// longestWait is the longest wait that one of the bulkheads allows.
func (d *Demand) longestWait() time.Duration {
	var longest int64
	for _, w := range d.wants {
		longest = max(longest, w.Bulkhead.wait.Load())
	}
	return time.Duration(longest)
}
