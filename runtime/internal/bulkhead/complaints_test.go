package bulkhead

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What users of other libraries reported, each with its right answer. T and the
// number are how the reports are numbered among us.

func TestT31WaiterThatTimedOutIsNotHandedAPermitLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, 10*time.Millisecond)
		for range 1000 {
			holder := acquire(t, t.Context(), b)
			var waiters [8]*attempt
			for i := range waiters {
				waiters[i] = tryAcquire(t.Context(), b)
			}
			time.Sleep(10 * time.Millisecond)
			for _, w := range waiters {
				if !w.refusedAs(Full) {
					t.Fatal("did not time out")
				}
			}
			holder.Release()
			acquire(t, t.Context(), b).Release()
			figures{0, 0, 1, 0}.check(t, b)
		}
	})
}

func TestT32ReleaseOfACopyAddsNoPermit(t *testing.T) {
	b := sized(3, 0)
	permit := acquire(t, t.Context(), b)
	var together sync.WaitGroup
	for range 4 {
		twin := *permit
		together.Go(twin.Release)
	}
	together.Wait()
	figures{0, 0, 3, 0}.check(t, b)
}

func TestT32SecondReleaseChangesNoCapacity(t *testing.T) {
	const size = 3
	b := sized(size, time.Minute)
	var running atomic.Int64
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 500 {
				permit, _, refused := b.Acquire(t.Context(), nil)
				if refused != nil {
					t.Errorf("refused: %v", refused)
					return
				}
				if n := running.Add(1); n > size {
					t.Errorf("%d calls run", n)
				}
				runtime.Gosched()
				running.Add(-1)
				permit.Release()
				permit.Release()
			}
		})
	}
	calls.Wait()
	figures{0, 0, size, 0}.check(t, b)
}

func TestT32CopyOfAPermitNeverRaisesTheCapacity(t *testing.T) {
	b := sized(2, 0)
	permit := acquire(t, t.Context(), b)
	copied := *permit
	permit.Release()
	copied.Release()
	figures{0, 0, 2, 0}.check(t, b)

	entry := reserve(t, t.Context(), Want{b, 2, Lease})
	permit = acquire(t, entry, b)
	copied = *permit
	permit.Release()
	copied.Release()
	figures{0, 2, 0, 0}.check(t, b)
}

func TestT34CancelledContextNeverAcquires(t *testing.T) {
	b := sized(1, time.Hour)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 {
		if got := refuse(t, cancelled, b, Done); got.Cause != context.Canceled {
			t.Fatalf("cause: %v", got.Cause)
		}
	}
	figures{0, 0, 1, 0}.check(t, b)
}

func TestT36NewcomerDoesNotOvertakeAWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		holder := acquire(t, t.Context(), b)
		waiter := tryAcquire(t.Context(), b)
		holder.Release() // the waiter did not run since
		newcomer := tryAcquire(t.Context(), b)
		if !waiter.granted() || !newcomer.waits() {
			t.Error("the newcomer was first")
		}
		waiter.release()
		newcomer.release()
	})
}

func TestT37ResizeReturnsAtOnceAndCountsFromThenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(10, time.Hour)
		running := acquireN(t, t.Context(), b, 8)
		b.Resize(Settings{MaxConcurrentCalls: 4, MaxWaitDuration: time.Hour})
		var waiters []*attempt
		for range 14 {
			waiters = append(waiters, tryAcquire(t.Context(), b))
		}
		for _, call := range running[:4] {
			call.Release()
			synctest.Wait()
			if waiters[0].granted() {
				t.Fatal("granted above the size")
			}
		}
		figures{4, 0, 0, 14}.check(t, b)
		running[4].Release()
		running[5].Release()
		figures{4, 0, 0, 12}.check(t, b)
		b.Resize(Settings{MaxConcurrentCalls: 20, MaxWaitDuration: time.Hour})
		figures{16, 0, 4, 0}.check(t, b)
		for i, w := range waiters {
			if !w.granted() {
				t.Errorf("waiter %d still waits", i)
			}
		}
	})
}

func TestT38ZeroIsNoSizeAndAnAbsentOneIs25(t *testing.T) {
	field, _ := reflect.TypeFor[Settings]().FieldByName("MaxConcurrentCalls")
	if got := field.Tag.Get("default"); got != "25" {
		t.Errorf("absent means %s", got)
	}
	defer func() {
		want := "bulkhead payments: maxConcurrentCalls is 0, allowed is [1, 1000000]"
		if got := recover(); got != want {
			t.Errorf("panic: %v, want %s", got, want)
		}
	}()
	New("payments", Settings{})
}

func TestT39NeverMoreRunThanTheLimit(t *testing.T) {
	b := sized(1, 0)
	var running, peak atomic.Int64
	var calls sync.WaitGroup
	for range 32 {
		calls.Go(func() {
			for range 1000 {
				permit, _, refused := b.Acquire(t.Context(), nil)
				if refused != nil {
					continue
				}
				n := running.Add(1)
				for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
				}
				runtime.Gosched()
				running.Add(-1)
				permit.Release()
			}
		})
	}
	calls.Wait()
	if got := peak.Load(); got != 1 {
		t.Errorf("%d calls ran at the same time", got)
	}
	figures{0, 0, 1, 0}.check(t, b)
}

func TestT40FiguresAreExactWhileAllAreRefused(t *testing.T) {
	b := sized(3, 0)
	for i := range 3 {
		acquire(t, t.Context(), b)
		figures{i + 1, 0, 2 - i, 0}.check(t, b)
	}
	for i := range 10 {
		refuse(t, t.Context(), b, Full)
		figures{3, 0, 0, 0}.check(t, b)
		if got := b.Snapshot().Refused; got != (Refused{Full: uint64(i + 1)}) {
			t.Errorf("refused: %+v after %d refusals", got, i+1)
		}
	}
	d := demand(t, Want{b, 3, Ticket})
	d.CountGate()
	d.Reserve(t.Context(), nil)
	if got := b.Snapshot().Refused; got != (Refused{Full: 11, Gate: 1}) {
		t.Errorf("refused: %+v, a refusal of three counts once", got)
	}
}

func TestT41NestedUseTransfersTheReservationExactlyOnce(t *testing.T) {
	b := sized(3, 0)
	parent := reserve(t, t.Context(), Want{b, 3, Ticket})
	children := acquireN(t, parent, b, 3)
	refuse(t, parent, b, Full) // the fourth goes by the normal rule
	figures{3, 0, 0, 0}.check(t, b)
	for _, child := range children {
		child.Release()
	}
	parent.Close()
	figures{0, 0, 3, 0}.check(t, b)
}

func TestT42ReservationIsAllOrNothing(t *testing.T) {
	b := sized(5, 0)
	used := acquireN(t, t.Context(), b, 3)
	refuseEntry(t, t.Context(), Refusal{Bulkhead: b, Kind: Full, Wanted: 3, Available: 2}, Want{b, 3, Ticket})
	figures{3, 0, 2, 0}.check(t, b)
	for _, permit := range used {
		permit.Release()
	}
	for range 200 {
		var won atomic.Int64
		var both sync.WaitGroup
		d, entries := demand(t, Want{b, 3, Ticket}), make(chan *Reservation, 2)
		for range 2 {
			both.Go(func() {
				if r, _, refused := d.Reserve(t.Context(), nil); refused == nil {
					r.Open()
					won.Add(1)
					entries <- r
				}
			})
		}
		both.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d of two won", won.Load())
		}
		(<-entries).Close()
		figures{0, 0, 5, 0}.check(t, b)
	}
}

func TestT43ReservationDoesNotOutliveItsOwner(t *testing.T) {
	b := sized(4, 0)
	parent := reserve(t, t.Context(), Want{b, 3, Ticket})
	child := acquire(t, parent, b)
	parent.Close()
	figures{1, 0, 3, 0}.check(t, b)
	late := acquire(t, parent, b)
	figures{2, 0, 2, 0}.check(t, b)
	child.Release()
	late.Release()
	figures{0, 0, 4, 0}.check(t, b)
	if got := b.Snapshot().UsedFromReservation; got != 1 {
		t.Errorf("used from a reservation: %d", got)
	}
}

func TestT44ReloadBelowTheReservedNumberHonoursWhatIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(5, time.Hour)
		entry := reserve(t, t.Context(), Want{b, 4, Ticket})
		b.Resize(Settings{MaxConcurrentCalls: 2, MaxWaitDuration: time.Hour})
		children := acquireN(t, entry, b, 4)
		newcomer := tryAcquire(t.Context(), b)
		for i, child := range children {
			if newcomer.granted() != (i > 2) {
				t.Errorf("newcomer with %d in use: granted is %t", 4-i, i <= 2)
			}
			child.Release()
		}
		entry.Close()
		newcomer.release()
		figures{0, 0, 2, 0}.check(t, b)
	})
}

func TestRefusalsSayWhatWasWanted(t *testing.T) {
	b := named("payments", 4, 0)
	for want, r := range map[string]Refusal{
		"bulkhead payments: full: wanted 1, available 0":                                 *b.full,
		"bulkhead payments: too large: wanted 9, available 4":                            {Bulkhead: b, Kind: TooLarge, Wanted: 9, Available: 4},
		"bulkhead payments: cancelled: wanted 2, available 1: context deadline exceeded": {Bulkhead: b, Kind: Cancelled, Wanted: 2, Available: 1, Cause: context.DeadlineExceeded},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := fmt.Sprint(Done, Kind(9)); got != "done Kind(9)" {
		t.Errorf("kinds: %s", got)
	}
}

func TestRefusalsOfOneKindAllocateNothing(t *testing.T) {
	b, c := named("b", 4, 0), named("c", 4, 0)
	acquireN(t, t.Context(), c, 3)
	d := demand(t, Want{b, 2, Ticket}, Want{c, 2, Lease})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ask := range map[string]func() *Refusal{
		"call with a context that is done": func() *Refusal {
			_, _, refused := b.Acquire(cancelled, nil)
			return refused
		},
		"entry with no room": func() *Refusal {
			_, _, refused := d.Reserve(t.Context(), nil)
			return refused
		},
	} {
		if n := testing.AllocsPerRun(100, func() {
			if ask() == nil {
				t.Error("granted")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	one, other := refuse(t, uncomparable{t.Context()}, b, Done), refuse(t, uncomparable{t.Context()}, b, Done)
	if one == other {
		t.Error("two refusals of unlike causes are one")
	}
}

// uncomparable is done with an error that panics when it is compared.
type uncomparable struct{ context.Context }

func (uncomparable) Err() error { return uncomparableError{"done"} }

type uncomparableError []string

func (e uncomparableError) Error() string { return e[0] }

func TestDemandSaysWhatIsWrongWithIt(t *testing.T) {
	b, c := named("b", 4, 0), named("c", 4, 0)
	for want, wants := range map[string][]Want{
		"a reservation of nothing":                               nil,
		"bulkhead c: 0 permits wanted, allowed is [1, 1000000]":  {{b, 1, Ticket}, {c, 0, Lease}},
		"bulkhead c: -1 permits wanted, allowed is [1, 1000000]": {{c, -1, Lease}},
		"bulkhead b is wanted twice by one entry":                {{b, 1, Ticket}, {c, 1, Ticket}, {b, 1, Own}},
	} {
		if _, err := NewDemand(wants...); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestEntryThatLeavesPermitsUnusedWhileOthersAreMissingIsMismatched(t *testing.T) {
	b, c := named("b", 9, 0), named("c", 9, 0)
	entry := reserve(t, t.Context(), Want{b, 3, Ticket}, Want{c, 1, Lease})
	for _, call := range append(acquireN(t, entry, b, 1), acquireN(t, entry, c, 3)...) {
		call.Release()
	}
	if unused, overflow := entry.Close(); unused != 2 || overflow != 2 {
		t.Errorf("%d unused and %d overflow, want 2 and 2", unused, overflow)
	}
	want := []Usage{{b, 3, 1, 2, 0}, {c, 1, 1, 0, 2}}
	if got := entry.Usage(); !reflect.DeepEqual(got, want) {
		t.Errorf("usage: %+v, want %+v", got, want)
	}
	if unused, overflow := entry.Close(); unused+overflow > 0 {
		t.Error("told twice")
	}
	for _, calls := range []int{1, 3} {
		entry := reserve(t, t.Context(), Want{b, 2, Ticket})
		acquireN(t, entry, b, calls)
		if unused, overflow := entry.Close(); unused > 0 && overflow > 0 {
			t.Errorf("told for %d calls on two tickets", calls)
		}
	}
}

// panicking is a context whose Err panics from some call on.
type panicking struct {
	context.Context
	after int
}

func (p *panicking) Err() error {
	if p.after--; p.after < 0 {
		panic("context")
	}
	return p.Context.Err()
}

func TestPanicOfAContextAfterTheGrantLosesNoPermit(t *testing.T) {
	for _, wants := range []*Demand{nil, {}} {
		synctest.Test(t, func(t *testing.T) {
			b := sized(1, time.Hour)
			holder := acquire(t, t.Context(), b)
			ctx := &panicking{t.Context(), 2}
			waiter := try(func(*attempt) {
				defer func() { recover() }()
				if wants == nil {
					b.Acquire(ctx, nil)
				} else {
					demand(t, Want{b, 1, Ticket}).Reserve(ctx, nil)
				}
				t.Error("the context did not panic")
			})
			figures{1, 0, 0, 1}.check(t, b)
			holder.Release()
			if waiter.waits() {
				t.Error("still waits")
			}
			figures{0, 0, 1, 0}.check(t, b)
		})
	}
}

// curious is a context whose Err looks at a bulkhead.
type curious struct {
	context.Context
	b *Bulkhead
}

func (c curious) Err() error {
	c.b.Snapshot()
	return c.Context.Err()
}

func TestContextMayLookAtTheBulkheadThatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Second)
		acquire(t, t.Context(), b)
		refuse(t, curious{t.Context(), b}, b, Full)
	})
}
