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

func TestScenario01FourCallsOnFourTicketsLeaveAllPermitsFree(t *testing.T) {
	b := sized(10, 0)
	entry := reserve(t, t.Context(), Want{b, 4, Ticket})
	figures{0, 4, 6, 0}.check(t, b)
	calls := acquireN(t, entry, b, 4)
	figures{4, 0, 6, 0}.check(t, b)
	for i, call := range calls {
		call.Release()
		figures{3 - i, 0, 7 + i, 0}.check(t, b)
	}
	entry.Close()
	figures{0, 0, 10, 0}.check(t, b)
}

func TestScenario02UnusedTicketsGoBackInOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Second)
		entry := reserve(t, t.Context(), Want{b, 4, Ticket})
		call := acquire(t, entry, b)
		call.Release()
		// One request for four and none for fewer: it is served only if all
		// come back.
		whole := tryReserve(t.Context(), demand(t, Want{b, 4, Ticket}))
		figures{0, 3, 1, 1}.check(t, b)
		entry.Close()
		synctest.Wait()
		if !whole.granted() {
			t.Error("the three unused permits did not come back")
		}
		if got := b.Snapshot().ReturnedUnused; got != 3 {
			t.Errorf("returned unused: %d, want 3", got)
		}
		whole.release()
		figures{0, 0, 4, 0}.check(t, b)
	})
}

func TestScenario03CallsBeyondTheTicketsTakeFromThePool(t *testing.T) {
	b := sized(3, 0)
	entry := reserve(t, t.Context(), Want{b, 2, Ticket})
	calls := acquireN(t, entry, b, 3)
	figures{3, 0, 0, 0}.check(t, b)
	refuse(t, entry, b, Full) // of the fourth only
	for _, call := range calls {
		call.Release()
	}
	entry.Close()
	figures{0, 0, 3, 0}.check(t, b)
	s := b.Snapshot()
	if s.Reserved != 2 || s.UsedFromReservation != 2 || s.Overflow != 2 || s.ReturnedUnused != 0 || s.Refused.Full != 1 {
		t.Errorf("counters: %+v", s)
	}
}

func TestScenario04ReservationOfThreeWithTwoFreeIsRefusedAtOnce(t *testing.T) {
	b := sized(5, 0)
	acquireN(t, t.Context(), b, 3)
	refuseEntry(t, t.Context(), Refusal{Bulkhead: b, Kind: Full, Wanted: 3, Available: 2, Circle: false}, Want{b, 3, Ticket})
	figures{3, 0, 2, 0}.check(t, b)
	if s := b.Snapshot(); s.Refused.Full != 1 || s.Reserved != 0 {
		t.Errorf("counters: %+v", s)
	}
}

func TestScenario05WhatWasTakenGoesBackWhenTheNextBulkheadRefuses(t *testing.T) {
	a, b := named("a", 5, 0), named("b", 5, 0)
	acquireN(t, t.Context(), b, 4)
	refuseEntry(t, t.Context(), Refusal{Bulkhead: b, Kind: Full, Wanted: 2, Available: 1, Circle: false}, Want{b, 2, Ticket}, Want{a, 2, Lease})
	figures{0, 0, 5, 0}.check(t, a)
	figures{4, 0, 1, 0}.check(t, b)
	if s := a.Snapshot(); s.Reserved != 0 || s.ReturnedUnused != 0 || s.Refused != (Refused{}) {
		t.Errorf("counters of a: %+v", s)
	}
}

func TestScenario06MoreThanTheSizeIsTooLargeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		acquire(t, t.Context(), b)
		begin := time.Now()
		refuseEntry(t, context.Background(), Refusal{b, TooLarge, 5, 4, nil, false, false}, Want{b, 5, Ticket})
		if took := time.Since(begin); took != 0 {
			t.Errorf("took %v", took)
		}
		if s := b.Snapshot(); s.Refused.TooLarge != 1 || s.Refused.Full != 0 {
			t.Errorf("counters: %+v", s.Refused)
		}
	})
}

func TestScenario06TooLargeAnywhereInTheSetIsSaidBeforeAnyWait(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			a, b := named("a", 4, wait), named("b", 4, wait)
			acquireN(t, t.Context(), a, 4)
			begin := time.Now()
			refuseEntry(t, t.Context(), Refusal{b, TooLarge, 5, 4, nil, false, false}, Want{a, 1, Ticket}, Want{b, 5, Ticket})
			if took := time.Since(begin); took != 0 || a.Snapshot().Refused != (Refused{}) {
				t.Errorf("took %v, and bulkhead a refused %+v", took, a.Snapshot().Refused)
			}
		})
	}
}

func TestScenario09CallsRunOnTheirTicketsThoughOthersExhaustedThePool(t *testing.T) {
	b := sized(5, 0)
	entry := reserve(t, t.Context(), Want{b, 2, Ticket})
	acquireN(t, t.Context(), b, 3)
	refuse(t, t.Context(), b, Full)
	acquireN(t, entry, b, 2)
	figures{5, 0, 0, 0}.check(t, b)
}

func TestScenario10SecondCallOnOneTicketTakesFromThePool(t *testing.T) {
	b := sized(1, 0)
	entry := reserve(t, t.Context(), Want{b, 1, Ticket})
	acquire(t, entry, b).Release()
	stranger := acquire(t, t.Context(), b) // has the freed permit
	refuse(t, entry, b, Full)
	stranger.Release()
	acquire(t, entry, b).Release()
	entry.Close()
	figures{0, 0, 1, 0}.check(t, b)
}

func TestScenario11SequentialCallsShareOneLease(t *testing.T) {
	b := sized(1, 0)
	entry := reserve(t, t.Context(), Want{b, 1, Lease})
	for range 3 {
		call := acquire(t, entry, b)
		figures{1, 0, 0, 0}.check(t, b)
		call.Release()
		figures{0, 1, 0, 0}.check(t, b)
		refuse(t, t.Context(), b, Full)
	}
	entry.Close()
	figures{0, 0, 1, 0}.check(t, b)
	if s := b.Snapshot(); s.UsedFromReservation != 3 || s.ReturnedUnused != 0 {
		t.Errorf("counters: %+v", s)
	}
}

func TestScenario14SecondReleaseDoesNothing(t *testing.T) {
	b := sized(4, 0)
	entry := reserve(t, t.Context(), Want{b, 1, Ticket})
	onTicket, onPool, other := acquire(t, entry, b), acquire(t, entry, b), acquire(t, t.Context(), b)
	for range 2 {
		onTicket.Release()
		onPool.Release()
		entry.Close()
		figures{1, 0, 3, 0}.check(t, b)
	}
	other.Release()
	var none Permit
	none.Release()
	figures{0, 0, 4, 0}.check(t, b)
}

func TestScenario15DerivedContextsFindTheReservationUntilTheEntryReturns(t *testing.T) {
	type key struct{}
	derivations := map[string]func(context.Context) context.Context{
		"with a value":   func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) },
		"with a timeout": func(ctx context.Context) context.Context { return first(context.WithTimeout(ctx, time.Hour)) },
		"without cancel": context.WithoutCancel,
		"with all": func(ctx context.Context) context.Context {
			return context.WithValue(first(context.WithCancel(context.WithoutCancel(ctx))), key{}, 1)
		},
	}
	for name, derive := range derivations {
		t.Run(name, func(t *testing.T) {
			b := sized(1, 0)
			entry := reserve(t, t.Context(), Want{b, 1, Lease})
			ctx := derive(entry)
			acquire(t, ctx, b).Release()
			if From(ctx) != entry {
				t.Error("the explicit handle is another")
			}
			entry.Close()
			if From(ctx) != nil {
				t.Error("found after the entry returned")
			}
		})
	}
}

func first(ctx context.Context, _ context.CancelFunc) context.Context { return ctx }

func TestScenario16CallThatOutlivesItsEntryKeepsItsPermitUntilItEnds(t *testing.T) {
	for _, as := range []Use{Ticket, Lease} {
		b := sized(3, 0)
		entry := reserve(t, t.Context(), Want{b, 3, as})
		call := acquire(t, entry, b)
		entry.Close()
		figures{1, 0, 2, 0}.check(t, b)
		acquireN(t, t.Context(), b, 2)
		refuse(t, t.Context(), b, Full)
		call.Release()
		figures{2, 0, 1, 0}.check(t, b)
	}
}

func TestScenario17CallAfterTheReturnTakesFromThePool(t *testing.T) {
	b := sized(2, 0)
	entry := reserve(t, t.Context(), Want{b, 2, Lease})
	entry.Close()
	call := acquire(t, entry, b)
	figures{1, 0, 1, 0}.check(t, b)
	call.Release()
	figures{0, 0, 2, 0}.check(t, b)
	if s := b.Snapshot(); s.UsedFromReservation != 0 || s.Overflow != 0 {
		t.Errorf("counters: %+v", s)
	}
}

// asked is a context that counts how often it is looked into.
type asked struct {
	context.Context
	values int
}

func (a *asked) Value(key any) any {
	a.values++
	return a.Context.Value(key)
}

func TestCallsLookIntoTheirContextsOnlyWhileSomethingIsReserved(t *testing.T) {
	b := sized(3, 0)
	ctx := &asked{Context: t.Context()}
	acquire(t, ctx, b).Release()
	if ctx.values != 0 {
		t.Errorf("looked %d times although nothing is reserved", ctx.values)
	}
	entry := reserve(t, t.Context(), Want{b, 1, Ticket})
	acquire(t, ctx, b).Release()
	if ctx.values == 0 {
		t.Error("did not look although a permit is reserved")
	}
	ctx.values = 0
	entry.Close()
	if acquire(t, ctx, b).Release(); ctx.values != 0 {
		t.Errorf("looked %d times after the entry", ctx.values)
	}
}

func TestScenario18CallWithAnUnrelatedContextTakesFromThePool(t *testing.T) {
	b := sized(2, 0)
	entry := reserve(t, t.Context(), Want{b, 1, Lease})
	call := acquire(t, t.Context(), b)
	figures{1, 1, 0, 0}.check(t, b)
	call.Release()
	if s := b.Snapshot(); s.Overflow != 0 {
		t.Error("an ordinary call was counted as overflow")
	}

	attached := acquire(t, entry.Attach(t.Context()), b)
	figures{1, 0, 1, 0}.check(t, b)
	attached.Release()
	if s := b.Snapshot(); s.UsedFromReservation != 1 {
		t.Error("the explicit handle did not reach the reservation")
	}
	var none *Reservation
	if ctx := t.Context(); none.Attach(ctx) != ctx {
		t.Error("attaching no reservation changed the context")
	}
}

func TestScenario19OneOfTwoGoroutinesGetsTheLastTicket(t *testing.T) {
	for range 200 {
		b := sized(2, 0)
		entry := reserve(t, t.Context(), Want{b, 1, Ticket})
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if permit, _, refused := b.Acquire(entry, nil); refused != nil {
					t.Errorf("refused: %v", refused)
				} else {
					permit.Begin(entry)
					defer permit.Release()
				}
				runtime.Gosched()
			})
		}
		both.Wait()
		entry.Close()
		figures{0, 0, 2, 0}.check(t, b)
		if s := b.Snapshot(); s.UsedFromReservation != 1 || s.Overflow != 1 {
			t.Fatalf("%d on the ticket and %d on the pool", s.UsedFromReservation, s.Overflow)
		}
	}
}

func TestScenario20ContextKeptForALaterRequestTakesFromThePool(t *testing.T) {
	b := sized(2, 0)
	kept := context.WithoutCancel(reserve(t, t.Context(), Want{b, 1, Ticket}))
	From(kept).Close()
	later := reserve(t, t.Context(), Want{b, 1, Ticket})
	call := acquire(t, kept, b)
	figures{1, 1, 0, 0}.check(t, b)
	call.Release()
	later.Close()
	figures{0, 0, 2, 0}.check(t, b)
}

func TestScenario21BulkheadOfTheSameNameElsewhereDoesNotMatch(t *testing.T) {
	here, elsewhere := sized(1, 0), sized(1, 0)
	entry := reserve(t, t.Context(), Want{here, 1, Lease})
	stranger := reserve(t, t.Context(), Want{elsewhere, 1, Lease})
	refuse(t, entry, elsewhere, Full)
	refuse(t, stranger, here, Full)
	if s := here.Snapshot(); s.Overflow != 0 || s.UsedFromReservation != 0 {
		t.Errorf("counters: %+v", s)
	}
}

func TestScenario22CancelledWaiterLetsTheNextThatFitsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := named("a", 4, time.Hour), named("b", 4, time.Hour)
		held := acquireN(t, t.Context(), b, 2)
		ctx, cancel := context.WithCancel(t.Context())
		large := tryReserve(ctx, demand(t, Want{a, 1, Ticket}, Want{b, 3, Ticket}))
		small := tryAcquire(t.Context(), b)
		figures{0, 1, 3, 0}.check(t, a)
		figures{2, 0, 2, 2}.check(t, b)
		cancel()
		synctest.Wait()
		if large.waits() || *large.refused != (Refusal{b, Cancelled, 3, 2, context.Canceled, false, false}) {
			t.Errorf("the cancelled one: %v", large.refused)
		}
		if !small.granted() {
			t.Error("the next one still waits")
		}
		figures{0, 0, 4, 0}.check(t, a)
		figures{3, 0, 1, 0}.check(t, b)
		small.release()
		held[0].Release()
		held[1].Release()
		figures{0, 0, 4, 0}.check(t, b)
	})
}

func TestScenario23GrantThatRacesWithACancelGoesBack(t *testing.T) {
	for range 500 {
		b := sized(1, time.Hour)
		holder := acquire(t, t.Context(), b)
		ctx, cancel := context.WithCancel(t.Context())
		var racers sync.WaitGroup
		racers.Go(func() {
			permit, _, refused := b.Acquire(ctx, nil)
			if refused != nil && refused.Kind != Cancelled && refused.Kind != Done {
				t.Errorf("refused: %v", refused)
			}
			permit.Release()
		})
		for b.Snapshot().Waiting == 0 {
			runtime.Gosched()
		}
		racers.Go(cancel)
		racers.Go(holder.Release)
		racers.Wait()
		figures{0, 0, 1, 0}.check(t, b)
	}
}

func TestScenario23GrantInTheSameMomentAsTheCancelWakesTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		holder := acquire(t, t.Context(), b)
		ctx, cancel := context.WithCancel(t.Context())
		cancelled, next := tryAcquire(ctx, b), tryAcquire(t.Context(), b)
		cancel()
		holder.Release() // whoever is first in line here
		synctest.Wait()
		if !cancelled.refusedAs(Cancelled) || !next.granted() {
			t.Errorf("cancelled: %v, next granted: %t", cancelled.refused, next.granted())
		}
	})
}

func TestScenario24ContextThatIsDoneFailsBeforeTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(2, time.Hour)
		acquire(t, t.Context(), b)
		done, cancel := context.WithCancel(t.Context())
		cancel()
		for _, free := range []int{1, 0} {
			want := Refusal{b, Done, 1, free, context.Canceled, false, false}
			if got := refuse(t, done, b, Done); *got != want {
				t.Errorf("got %v, want %v", got, &want)
			}
			refuseEntry(t, done, Refusal{b, Done, 2, free, context.Canceled, false, false}, Want{b, 2, Ticket})
			figures{2 - free, 0, free, 0}.check(t, b)
			if free == 1 {
				acquire(t, t.Context(), b)
			}
		}
		if got := b.Snapshot().Refused; got != (Refused{Cancelled: 4}) {
			t.Errorf("refused: %+v", got)
		}
	})
}

func TestScenario25FirstComeFirstServedHoldsForRequestsOfAnySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		held := acquireN(t, t.Context(), b, 4)
		sizes := []int{1, 3, 1, 4, 1}
		line := make([]*attempt, len(sizes))
		for i, n := range sizes {
			line[i] = tryReserve(t.Context(), demand(t, Want{b, n, Ticket}))
		}
		served := func(want ...bool) {
			t.Helper()
			synctest.Wait()
			for i, a := range line {
				if a.granted() != want[i] {
					t.Errorf("request %d of %v: granted is %t", i, sizes, a.granted())
				}
			}
		}
		held[0].Release()
		served(true, false, false, false, false)
		held[1].Release()
		held[2].Release()
		served(true, false, false, false, false) // two are free, but three are wanted first
		figures{1, 1, 2, 4}.check(t, b)
		held[3].Release()
		served(true, true, false, false, false)
		line[0].release()
		served(true, true, true, false, false)
		line[1].release()
		served(true, true, true, false, false) // the last one would fit, and waits behind four
		line[2].release()
		served(true, true, true, true, false)
		line[3].release()
		served(true, true, true, true, true)
		line[4].release()
		figures{0, 0, 4, 0}.check(t, b)
	})
}

func TestScenario26NoSettingLetsSmallRequestsOvertake(t *testing.T) {
	var names []string
	for field := range reflect.TypeFor[Settings]().Fields() {
		names = append(names, field.Name)
	}
	if want := []string{"MaxConcurrentCalls", "MaxWaitDuration", "QueueCapacity", "Enforcement", "Instances", "Shadow"}; !reflect.DeepEqual(names, want) {
		t.Errorf("settings are %v; a new one must not change the order of the queue", names)
	}
}

func TestScenario27OneDeadlineHoldsForTheWholeSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := named("a", 1, 100*time.Millisecond), named("b", 1, 0)
		holderOfA, holderOfB := acquire(t, t.Context(), a), acquire(t, t.Context(), b)
		entry := tryReserve(t.Context(), demand(t, Want{a, 1, Ticket}, Want{b, 1, Ticket}))
		time.Sleep(60 * time.Millisecond)
		holderOfA.Release()
		time.Sleep(39 * time.Millisecond)
		if !entry.waits() {
			t.Fatal("gave up early: the largest maxWaitDuration is for all of them")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if !entry.refusedAs(Full) || entry.refused.Bulkhead != b || entry.took != 100*time.Millisecond || !entry.waited {
			t.Errorf("after %v: %v", entry.took, entry.refused)
		}
		figures{0, 0, 1, 0}.check(t, a)
		holderOfB.Release()

		acquire(t, t.Context(), a)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		entry = tryReserve(ctx, demand(t, Want{a, 1, Ticket}, Want{b, 1, Ticket}))
		time.Sleep(30 * time.Millisecond)
		synctest.Wait()
		if !entry.refusedAs(Cancelled) || entry.refused.Cause != context.DeadlineExceeded || entry.took != 30*time.Millisecond {
			t.Errorf("after %v: %v", entry.took, entry.refused)
		}
	})
}

// expired is a context whose deadline passed, but whose timer did not fire yet.
type expired struct{ context.Context }

func (expired) Deadline() (time.Time, bool) { return time.Now(), true }

func TestScenario28HopelessWaitIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		acquire(t, expired{t.Context()}, b) // what needs no wait is not hopeless
		if got := refuse(t, expired{t.Context()}, b, Cancelled); got.Cause != context.DeadlineExceeded {
			t.Errorf("cause: %v", got.Cause)
		}
		figures{1, 0, 0, 0}.check(t, b)

		b.Resize(Settings{MaxConcurrentCalls: 1})
		refuse(t, t.Context(), b, Full) // nothing to wait with
		figures{1, 0, 0, 0}.check(t, b)
	})
}

func TestScenario28WaitEndsWithADeadlineThatNoTimerReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		acquire(t, t.Context(), b)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		silent := struct{ context.Context }{deadlineOnly{ctx}}
		waiter := tryAcquire(silent, b)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !waiter.refusedAs(Cancelled) || waiter.took != time.Minute {
			t.Errorf("after %v: %v", waiter.took, waiter.refused)
		}
	})
}

type deadlineOnly struct{ context.Context }

func (deadlineOnly) Done() <-chan struct{} { return nil }
func (deadlineOnly) Err() error            { return nil }

func TestScenario29EntriesThatDeclareTheirBulkheadsInOppositeOrdersAllSucceed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := named("a", 4, 100*time.Millisecond), named("b", 4, 100*time.Millisecond)
		orders := []*Demand{
			demand(t, Want{a, 3, Ticket}, Want{b, 3, Ticket}),
			demand(t, Want{b, 3, Ticket}, Want{a, 3, Ticket}),
		}
		var entries sync.WaitGroup
		var succeeded atomic.Int64
		for i := range 40 {
			entries.Go(func() {
				for range 20 {
					r, _, refused := orders[i%2].Reserve(t.Context(), nil)
					if refused != nil {
						t.Errorf("refused: %v", refused)
						continue
					}
					r.Open()
					time.Sleep(time.Millisecond)
					r.Close()
					succeeded.Add(1)
				}
			})
		}
		entries.Wait()
		if got := succeeded.Load(); got != 800 {
			t.Errorf("%d of 800 succeeded", got)
		}
		figures{0, 0, 4, 0}.check(t, a)
		figures{0, 0, 4, 0}.check(t, b)
	})
}

func TestScenario30OverflowOfEveryOwnerIsBoundedByTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, 50*time.Millisecond)
		entries := []*Reservation{reserve(t, t.Context(), Want{b, 2, Lease}), reserve(t, t.Context(), Want{b, 2, Lease})}
		var calls []*attempt
		for _, entry := range entries {
			acquireN(t, entry, b, 2)
			calls = append(calls, tryAcquire(entry, b))
		}
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		for _, call := range calls {
			if !call.refusedAs(Full) || call.took != 50*time.Millisecond {
				t.Errorf("after %v: %v", call.took, call.refused)
			}
		}
		if s := b.Snapshot(); s.Overflow != 2 || s.Refused.Full != 2 {
			t.Errorf("counters: %+v", s)
		}
	})
}

func TestScenario31NestedSetThatCanNeverFitFailsBeforeAnyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := named("a", 2, time.Hour), named("b", 4, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 2, Ticket})
		acquireN(t, t.Context(), a, 2)
		acquireN(t, outer, b, 2)
		begin := time.Now()
		refuseEntry(t, outer, Refusal{b, TooLarge, 3, 2, nil, false, false}, Want{a, 1, Ticket}, Want{b, 3, Ticket})
		if took := time.Since(begin); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestScenario31ReservationThatNeverOpenedSpentNothing(t *testing.T) {
	b := sized(4, 0)
	outer := reserve(t, t.Context(), Want{b, 2, Ticket})
	inner, _, refused := demand(t, Want{b, 3, Ticket}).Reserve(outer, nil)
	if refused != nil {
		t.Fatal(refused)
	}
	inner.Close()
	figures{0, 2, 2, 0}.check(t, b)
	before := b.Snapshot()
	if before.Reserved != 2 || before.ReturnedUnused != 0 {
		t.Errorf("counters: %+v", before)
	}
}

func TestTicketOfACallThatWasNotMadeServesAnother(t *testing.T) {
	for _, as := range []Use{Ticket, Lease} {
		b := sized(2, 0)
		entry := reserve(t, t.Context(), Want{b, 1, as})
		take(t, entry, b).Return()
		figures{0, 1, 1, 0}.check(t, b)
		if used := b.Snapshot().UsedFromReservation; used != 0 {
			t.Errorf("%d calls used it", used)
		}
		late := take(t, entry, b)
		entry.Close()
		late.Return()
		late.Return()
		figures{0, 0, 2, 0}.check(t, b)
		acquire(t, t.Context(), b).Return()
		figures{0, 0, 2, 0}.check(t, b)
	}
}

func TestScenario31NestedEntryBorrowsFromTheOuterFirst(t *testing.T) {
	b := sized(10, 0)
	outer := reserve(t, t.Context(), Want{b, 4, Ticket})
	acquire(t, outer, b) // leaves three to borrow
	inner := reserve(t, outer, Want{b, 5, Ticket})
	figures{1, 5, 4, 0}.check(t, b)
	if got := b.Snapshot().Reserved; got != 6 {
		t.Errorf("reserved %d, want 4 and a shortage of 2", got)
	}

	acquireN(t, inner, b, 2)
	inner.Close()
	figures{3, 3, 4, 0}.check(t, b) // what is left are the borrowed ones
	if got := b.Snapshot().ReturnedUnused; got != 0 {
		t.Errorf("returned unused: %d, but they went to the outer entry", got)
	}
	acquireN(t, outer, b, 3)
	if got := b.Snapshot().Overflow; got != 0 {
		t.Errorf("overflow: %d, but the outer entry had its permits back", got)
	}
}

func TestScenario31NestedEntryBorrowsFromAllEntriesAroundIt(t *testing.T) {
	b := sized(6, 0)
	outer := reserve(t, t.Context(), Want{b, 3, Ticket})
	middle := reserve(t, reserve(t, outer, Want{named("b", 1, 0), 1, Ticket}), Want{b, 1, Lease})
	inner := reserve(t, middle, Want{b, 4, Ticket})
	figures{0, 4, 2, 0}.check(t, b)
	inner.Close()
	figures{0, 3, 3, 0}.check(t, b)
	middle.Close()
	acquireN(t, outer, b, 3)
	figures{3, 0, 3, 0}.check(t, b)
}

func TestScenario31NestedTicketOnAnOuterLeaseReturnsToTheLease(t *testing.T) {
	b := sized(2, 0)
	outer := reserve(t, t.Context(), Want{b, 2, Lease})
	inner := reserve(t, outer, Want{b, 2, Ticket})
	acquire(t, inner, b).Release()
	figures{0, 2, 0, 0}.check(t, b)
	inner.Close()
	figures{0, 2, 0, 0}.check(t, b)
	outer.Close()
	figures{0, 0, 2, 0}.check(t, b)
}

func TestScenario31NestedEntryThatCanNeverFitFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 3, Lease})
		call := acquire(t, outer, b)
		begin := time.Now()
		refuseEntry(t, outer, Refusal{b, TooLarge, 4, 3, nil, false, false}, Want{b, 4, Ticket}) // two to borrow, one in the pool
		if took := time.Since(begin); took != 0 {
			t.Errorf("took %v", took)
		}
		figures{1, 2, 1, 0}.check(t, b)
		call.Release()
		acquireN(t, outer, b, 3)
	})
}

func TestScenario31OwnPermitOfANestedEntryComesFromTheOuterToo(t *testing.T) {
	b, c := named("b", 1, time.Hour), named("c", 1, 0)
	outer := reserve(t, t.Context(), Want{b, 1, Ticket})
	inner := reserve(t, outer, Want{b, 1, Own}, Want{c, 1, Ticket})
	figures{1, 0, 0, 0}.check(t, b)
	refuseEntry(t, outer, Refusal{b, TooLarge, 1, 0, nil, false, false}, Want{b, 1, Own}) // it would wait for itself
	inner.Close()
	figures{0, 0, 1, 0}.check(t, b)
	if s := b.Snapshot(); s.UsedFromReservation != 1 || s.ReturnedUnused != 0 || s.Overflow != 1 {
		t.Errorf("counters: %+v", s)
	}
}

func TestScenario31TicketOfARefusedNestedEntryIsNotSpent(t *testing.T) {
	b, c := named("b", 1, 0), named("c", 1, 0)
	outer := reserve(t, t.Context(), Want{b, 1, Ticket})
	acquire(t, t.Context(), c)
	refuseEntry(t, outer, Refusal{c, Full, 1, 0, nil, false, false}, Want{b, 1, Own}, Want{c, 1, Ticket})
	figures{0, 1, 0, 0}.check(t, b)
	if got := b.Snapshot().UsedFromReservation; got != 0 {
		t.Errorf("used from a reservation: %d, but the body did not run", got)
	}
}

func TestScenario32NestedEntryAgainstTheGlobalOrderDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := named("a", 1, time.Hour), named("b", 1, time.Hour), named("c", 1, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 1, Ticket})
		inner := reserve(t, outer, Want{a, 1, Ticket}) // it is free
		inner.Close()

		acquire(t, t.Context(), a)
		refuseEntry(t, outer, Refusal{a, Full, 1, 0, nil, false, false}, Want{a, 1, Ticket})

		holder := acquire(t, t.Context(), c)
		along := tryReserve(outer, demand(t, Want{c, 1, Ticket}))
		if !along.waits() {
			t.Error("did not wait along the order")
		}
		holder.Release()
		synctest.Wait()
		along.release()

		acquire(t, outer, b).Release() // the outer entry holds nothing any more, so anything may be waited for
		free := tryReserve(outer, demand(t, Want{a, 1, Ticket}))
		if !free.waits() {
			t.Error("did not wait although the outer entry holds nothing")
		}
		time.Sleep(time.Hour)
		synctest.Wait()
	})
}

func TestScenario33InnerAndOuterMayEndInEitherOrder(t *testing.T) {
	for _, outerAs := range []Use{Ticket, Lease} {
		for _, innerAs := range []Use{Ticket, Lease} {
			for _, innerFirst := range []bool{true, false} {
				for _, callEnds := range []int{0, 1, 2} {
					name := fmt.Sprintf("outer %d inner %d inner first %t call ends %d", outerAs, innerAs, innerFirst, callEnds)
					t.Run(name, func(t *testing.T) {
						b := sized(5, 0)
						outer := reserve(t, t.Context(), Want{b, 2, outerAs})
						inner := reserve(t, outer, Want{b, 3, innerAs})
						calls := acquireN(t, inner, b, 2)
						ends := []func(){func() { outer.Close() }, func() { inner.Close() }}
						if innerFirst {
							ends[0], ends[1] = ends[1], ends[0]
						}
						ends = append(ends[:callEnds:callEnds], append([]func(){calls[0].Release, calls[1].Release}, ends[callEnds:]...)...)
						for _, end := range ends {
							end()
							if s := b.Snapshot(); s.InUse+s.ReservedIdle+s.Available != 5 {
								t.Errorf("not exact: %+v", s)
							}
						}
						figures{0, 0, 5, 0}.check(t, b)
					})
				}
			}
		}
	}
}

func TestScenario34ShrinkUnderReservationsIsPaidBackFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(6, time.Hour)
		entry := reserve(t, t.Context(), Want{b, 4, Ticket})
		stranger := acquire(t, t.Context(), b)
		b.Resize(Settings{MaxConcurrentCalls: 2, MaxWaitDuration: time.Hour})
		figures{1, 4, 0, 0}.check(t, b)
		newcomer := tryAcquire(t.Context(), b)
		stranger.Release()
		calls := acquireN(t, entry, b, 4) // the promise holds
		for i, call := range calls {
			if newcomer.granted() {
				t.Errorf("granted while %d are held", 4-i)
			}
			figures{4 - i, 0, 0, 1}.check(t, b)
			call.Release()
			synctest.Wait()
			if i == 2 {
				break
			}
		}
		if !newcomer.granted() {
			t.Error("not granted though the shrink is paid back")
		}
		figures{2, 0, 0, 0}.check(t, b)
		calls[3].Release()
		newcomer.release()
		entry.Close()
		figures{0, 0, 2, 0}.check(t, b)
	})
}

func TestScenario35ShrinkBelowAQueuedRequestFailsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		acquireN(t, t.Context(), b, 2)
		large, small := tryReserve(t.Context(), demand(t, Want{b, 4, Ticket})), tryAcquire(t.Context(), b)
		b.Resize(Settings{MaxConcurrentCalls: 3, MaxWaitDuration: time.Hour})
		synctest.Wait()
		if large.waits() || *large.refused != (Refusal{b, TooLarge, 4, 3, nil, false, false}) {
			t.Errorf("large: %v", large.refused)
		}
		if !small.granted() {
			t.Error("the one behind it still waits")
		}
	})
}

func TestScenario35ShrinkCountsWhatTheEntriesAroundHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 2, Lease})
		acquireN(t, t.Context(), b, 2)
		nested := tryReserve(outer, demand(t, Want{b, 4, Ticket})) // borrows two, waits for two
		if !nested.waits() {
			t.Fatalf("did not wait: %v", nested.refused)
		}
		b.Resize(Settings{MaxConcurrentCalls: 3, MaxWaitDuration: time.Hour})
		synctest.Wait()
		if !nested.refusedAs(TooLarge) {
			t.Errorf("nested: %v", nested.refused)
		}
		acquireN(t, outer, b, 2)
	})
}

func TestScenario35ShrinkAsksWhatTheEntriesAroundHoldByThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		stranger := acquire(t, t.Context(), b)
		outer := reserve(t, t.Context(), Want{b, 3, Ticket})
		calls := acquireN(t, outer, b, 3)
		nested := tryReserve(outer, demand(t, Want{b, 1, Ticket}))
		for _, call := range calls[:2] {
			call.Release()
		}
		others := []*attempt{tryAcquire(t.Context(), b), tryAcquire(t.Context(), b)}
		nested.release()
		nested = tryReserve(outer, demand(t, Want{b, 1, Ticket}))
		calls[2].Release()
		outer.Close() // the nested one outlives it
		b.Resize(Settings{MaxConcurrentCalls: 1, MaxWaitDuration: time.Hour})
		stranger.Release()
		for _, other := range others {
			other.release()
		}
		if !nested.granted() {
			t.Errorf("nested: %v", nested.refused)
		}
	})
}

func TestScenario36GrowthMovesTheQueueAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		acquire(t, t.Context(), b)
		line := []*attempt{tryAcquire(t.Context(), b), tryAcquire(t.Context(), b), tryAcquire(t.Context(), b)}
		b.Resize(Settings{MaxConcurrentCalls: 3, MaxWaitDuration: time.Hour})
		synctest.Wait()
		if !line[0].granted() || !line[1].granted() || !line[2].waits() {
			t.Error("not exactly two moved up")
		}
		figures{3, 0, 0, 1}.check(t, b)
		line[0].release()
		figures{3, 0, 0, 0}.check(t, b)
	})
}

func TestScenario37SizeZeroIsNoSetting(t *testing.T) {
	field, _ := reflect.TypeFor[Settings]().FieldByName("MaxConcurrentCalls")
	if got := field.Tag.Get("range"); got != fmt.Sprintf("[1,%d]", maxSize) {
		t.Errorf("allowed is %s", got)
	}
	b := sized(1, 0)
	for _, size := range []int{0, -1, maxSize + 1} {
		for name, set := range map[string]func(Settings){
			"New":    func(s Settings) { New("a", s) },
			"Resize": b.Resize,
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s takes size %d", name, size)
					}
				}()
				set(Settings{MaxConcurrentCalls: size})
			}()
		}
	}
	figures{0, 0, 1, 0}.check(t, b)
}

func TestScenario14SecondReleaseTakesNoPermitFromAnotherCall(t *testing.T) {
	for name, back := range map[string]func(*Permit){"Release": (*Permit).Release, "Return": (*Permit).Return} {
		t.Run(name, func(t *testing.T) {
			b := sized(4, 0)
			entry := reserve(t, t.Context(), Want{b, 2, Lease})
			onLease, onPool := take(t, entry, b), take(t, t.Context(), b)
			acquire(t, entry, b)
			acquire(t, t.Context(), b)
			for range 2 {
				back(onLease)
				back(onPool)
				figures{2, 1, 1, 0}.check(t, b)
			}
		})
	}
}
