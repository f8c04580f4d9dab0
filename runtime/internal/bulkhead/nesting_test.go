package bulkhead

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestHolderTakesWhatIsFreePastThoseWhoHoldNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(3, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 2, Ticket})
		stranger := tryReserve(t.Context(), demand(t, Want{b, 3, Ticket}))
		figures{0, 2, 1, 1}.check(t, b)
		inner := tryReserve(outer, demand(t, Want{b, 3, Ticket}))
		if !inner.granted() || !stranger.waits() {
			t.Fatalf("inner: %v, the stranger waits: %t", inner.refused, stranger.waits())
		}
		figures{0, 3, 0, 1}.check(t, b)
		inner.release()
		outer.Close()
		if !stranger.granted() {
			t.Errorf("stranger: %v", stranger.refused)
		}
	})
}

func TestHolderThatMayNotWaitTakesWhatIsFreePastAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, z := named("a", 3, time.Hour), named("z", 1, 0)
		outer := reserve(t, t.Context(), Want{a, 1, Ticket}, Want{z, 1, Ticket}) // z: nothing is waited for
		large := tryReserve(t.Context(), demand(t, Want{a, 3, Ticket}))
		inner := tryReserve(outer, demand(t, Want{a, 3, Ticket}))
		if !inner.granted() {
			t.Fatalf("inner: %v", inner.refused)
		}
		refuseEntry(t, outer, Refusal{a, Full, 1, 0, nil, false, false}, Want{a, 1, Ticket})
		inner.release()
		outer.Close()
		if !large.granted() {
			t.Errorf("large: %v", large.refused)
		}
	})
}

func TestHoldersAreServedFirstComeFirstServedAndBeforeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		one, two := reserve(t, t.Context(), Want{b, 1, Lease}), reserve(t, t.Context(), Want{b, 1, Lease})
		calls := acquireN(t, t.Context(), b, 2)
		stranger := tryAcquire(t.Context(), b)
		large := tryReserve(one, demand(t, Want{b, 3, Ticket})) // one to borrow, two of the pool
		small := tryReserve(two, demand(t, Want{b, 2, Ticket}))
		calls[0].Release()
		if synctest.Wait(); !large.waits() || !small.waits() || !stranger.waits() {
			t.Fatalf("large waits: %t, small: %t, stranger: %t", large.waits(), small.waits(), stranger.waits())
		}
		calls[1].Release()
		if !large.granted() || !small.waits() || !stranger.waits() {
			t.Fatalf("large: %v, small waits: %t, stranger: %t", large.refused, small.waits(), stranger.waits())
		}
		large.release()
		if !small.granted() || !stranger.granted() {
			t.Fatalf("small: %v, stranger waits: %t", small.refused, stranger.waits())
		}
	})
}

func TestLeaseServesItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(3, time.Hour)
		acquire(t, t.Context(), b)
		entry := reserve(t, t.Context(), Want{b, 2, Lease})
		calls := acquireN(t, entry, b, 2)
		stranger := tryAcquire(t.Context(), b)
		third, fourth := tryAcquire(entry, b), tryAcquire(entry, b)
		if !third.waits() || !fourth.waits() {
			t.Fatal("they run")
		}
		calls[0].Release()
		if !third.granted() || !fourth.waits() || !stranger.waits() {
			t.Fatalf("third: %v", third.refused)
		}
		figures{3, 0, 0, 2}.check(t, b)
		third.release()
		if !fourth.granted() {
			t.Fatalf("fourth: %v", fourth.refused)
		}
		fourth.release()
		calls[1].Release()
		figures{1, 2, 0, 1}.check(t, b)
		if s := b.Snapshot(); s.UsedFromReservation != 4 || s.Overflow != 0 {
			t.Errorf("counters: %+v", s)
		}
		entry.Close()
		if !stranger.granted() {
			t.Error("the stranger waits")
		}
	})
}

func TestPermitThatComesBackServesWhoWaitsInside(t *testing.T) {
	for name, back := range map[string]func(t *testing.T, outer *Reservation, b *Bulkhead) func(){
		"of a call on a lease": func(t *testing.T, outer *Reservation, b *Bulkhead) func() {
			return acquireN(t, outer, b, 2)[0].Release
		},
		"of a call that was not made": func(t *testing.T, outer *Reservation, b *Bulkhead) func() {
			take(t, outer, b)
			return take(t, outer, b).Return
		},
		"of another entry inside": func(t *testing.T, outer *Reservation, b *Bulkhead) func() {
			inner := reserve(t, outer, Want{b, 2, Ticket})
			return func() { inner.Close() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := sized(9, time.Hour)
				outer := reserve(t, t.Context(), Want{b, 2, Lease})
				acquireN(t, t.Context(), b, 7)
				end := back(t, outer, b)
				inner, call := tryReserve(outer, demand(t, Want{b, 1, Own})), tryAcquire(outer, b)
				if !inner.waits() || !call.waits() {
					t.Fatalf("inner waits: %t, call: %t", inner.waits(), call.waits())
				}
				end()
				if !inner.granted() {
					t.Fatal("the inner entry waits")
				}
				inner.release()
				if !call.granted() {
					t.Fatal("the call waits")
				}
				call.release()
			})
		})
	}
}

func TestEntryThatWaitsCollectsWhatComesBackToTheEntriesAroundIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(9, time.Hour)
		far := reserve(t, t.Context(), Want{b, 1, Lease})
		near := reserve(t, far, Want{b, 2, Lease}) // one of far
		acquireN(t, t.Context(), b, 7)
		calls := acquireN(t, near, b, 2)
		inner := tryReserve(near, demand(t, Want{b, 2, Ticket}))
		for _, call := range calls {
			if !inner.waits() {
				t.Fatal("it has begun with one permit")
			}
			call.Release()
		}
		if !inner.granted() {
			t.Fatal("it waits although both are back")
		}
		figures{7, 2, 0, 0}.check(t, b)
		inner.release()
		near.Close()
		figures{7, 1, 1, 0}.check(t, b)
		far.Close()
		figures{7, 0, 2, 0}.check(t, b)
	})
}

func TestNewestOfThoseWhoWouldWaitForEachOtherIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		older, newer := reserve(t, t.Context(), Want{b, 2, Ticket}), reserve(t, t.Context(), Want{b, 2, Ticket})
		first := tryReserve(older, demand(t, Want{b, 3, Ticket}))
		if !first.waits() {
			t.Fatalf("first: %v", first.refused)
		}
		begin := time.Now()
		refuseEntry(t, newer, Refusal{Bulkhead: b, Kind: Full, Wanted: 3, Available: 2, Circle: true}, Want{b, 3, Ticket})
		if time.Since(begin) != 0 {
			t.Error("not at once")
		}
		figures{0, 4, 0, 1}.check(t, b)
		if newer.Close(); !first.granted() {
			t.Error("what it gave back serves nobody")
		}
		figures{0, 3, 1, 0}.check(t, b)
	})
}

func TestCircleIsSeenWhenItCloses(t *testing.T) {
	for name, c := range map[string]struct {
		around []Want // of each entry; only the first is asked for
		holder func(t *testing.T, b *Bulkhead) func()
	}{
		"by the end of a call": {nil, func(t *testing.T, b *Bulkhead) func() {
			return acquire(t, t.Context(), b).Release
		}},
		"by the end of an entry": {nil, func(t *testing.T, b *Bulkhead) func() {
			entry := reserve(t, t.Context(), Want{b, 1, Ticket})
			return func() { entry.Close() }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := sized(5, time.Hour)
				end := c.holder(t, b)
				older, newer := reserve(t, t.Context(), Want{b, 2, Lease}), reserve(t, t.Context(), Want{b, 2, Lease})
				first, second := tryReserve(older, demand(t, Want{b, 4, Ticket})), tryReserve(newer, demand(t, Want{b, 4, Ticket}))
				if !first.waits() || !second.waits() {
					t.Fatalf("first: %v, second: %v", first.refused, second.refused)
				}
				end()
				if !first.waits() || !second.refusedAs(Full) || *second.refused != (Refusal{Bulkhead: b, Kind: Full, Wanted: 4, Available: 2, Circle: true}) {
					t.Fatalf("first waits: %t, second: %v", first.waits(), second.refused)
				}
				if newer.Close(); !first.granted() {
					t.Error("the first waits")
				}
			})
		})
	}
}

func TestWhoGetsOnIsNoCircle(t *testing.T) {
	for name, getsOn := range map[string]func(t *testing.T, b *Bulkhead, other *Reservation) (end func()){
		"a call on the reservation": func(t *testing.T, b *Bulkhead, other *Reservation) func() {
			return acquire(t, other, b).Release
		},
		"an entry in which nobody waits": func(t *testing.T, b *Bulkhead, other *Reservation) func() {
			return func() { other.Close() }
		},
		"another entry inside": func(t *testing.T, b *Bulkhead, other *Reservation) func() {
			inner := reserve(t, other, Want{b, 2, Ticket})
			waits := tryReserve(other, demand(t, Want{b, 1, Ticket}))
			if !waits.waits() {
				t.Errorf("the other inner: %v", waits.refused)
			}
			return func() {
				if inner.Close(); !waits.granted() {
					t.Error("the other inner one waits")
				}
				waits.release()
				other.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := sized(4, time.Hour)
				one, other := reserve(t, t.Context(), Want{b, 2, Ticket}), reserve(t, t.Context(), Want{b, 2, Ticket})
				end := getsOn(t, b, other)
				waiter := tryReserve(one, demand(t, Want{b, 3, Ticket}))
				if !waiter.waits() {
					t.Fatalf("refused: %v", waiter.refused)
				}
				end()
				if !waiter.granted() {
					t.Error("it waits")
				}
			})
		})
	}
}

func TestOwnPermitsOfEntriesAreStuckToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(2, time.Hour)
		one, two := reserve(t, t.Context(), Want{b, 1, Own}), reserve(t, t.Context(), Want{b, 1, Own})
		call := tryAcquire(one, b)
		if !call.waits() {
			t.Fatalf("call: %v", call.refused)
		}
		if refused := refuse(t, two, b, Full); !refused.Circle {
			t.Errorf("got %v", refused)
		}
		if two.Close(); !call.granted() {
			t.Error("the call waits")
		}
	})
}

func TestEntryThatEndsBeforeItsRequestHoldsNothingUp(t *testing.T) {
	for _, as := range []Use{Own, Ticket} {
		synctest.Test(t, func(t *testing.T) {
			b := sized(2, time.Hour)
			other := acquire(t, t.Context(), b)
			outer := reserve(t, t.Context(), Want{b, 1, as})
			inner := tryReserve(outer, demand(t, Want{b, 2 - int(Own/as), Ticket}))
			if !inner.waits() {
				t.Fatalf("inner: %v", inner.refused)
			}
			outer.Close()
			if as == Own && !inner.granted() {
				t.Error("the inner waits")
			}
			if other.Release(); !inner.granted() {
				t.Errorf("inner: %v", inner.refused)
			}
		})
	}
}

func TestCallsOfAnEntryWaitForOtherBulkheadsInTheOrderOfNames(t *testing.T) {
	for _, as := range []Use{Own, Ticket, Lease} {
		synctest.Test(t, func(t *testing.T) {
			z, a := named("z", 1, time.Hour), named("a", 2, time.Hour) // not in the order of age
			entry := reserve(t, t.Context(), Want{a, 1, Ticket}, Want{z, 1, as})
			acquireN(t, entry, a, 1)
			stranger := acquire(t, t.Context(), a)
			if refused := refuse(t, entry, a, Full); refused.Circle || refused.Available != 0 {
				t.Errorf("got %v", refused)
			}
			if as == Ticket { // it is spent, and holds nothing up
				acquire(t, entry, z)
				if call := tryAcquire(entry, a); !call.waits() {
					t.Errorf("did not wait: %v", call.refused)
				} else {
					if stranger.Release(); !call.granted() {
						t.Error("waits")
					}
					call.release()
				}
			}
			entry.Close()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		z, a := named("z", 2, time.Hour), named("a", 1, time.Hour)
		entry := reserve(t, t.Context(), Want{a, 1, Ticket}, Want{z, 1, Ticket})
		acquire(t, entry, z)
		stranger := acquire(t, t.Context(), z)
		call := tryAcquire(entry, z)
		if !call.waits() {
			t.Fatalf("did not wait in the order: %v", call.refused)
		}
		stranger.Release()
		if !call.granted() {
			t.Error("waits")
		}
	})
}

func TestCallsWaitForABulkheadOfWhichNoEntryHoldsPermits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, z := named("a", 1, time.Hour), named("z", 1, time.Hour)
		entry := reserve(t, t.Context(), Want{z, 1, Lease})
		stranger := acquire(t, t.Context(), a)
		call := tryAcquire(entry, a)
		if !call.waits() {
			t.Fatalf("did not wait: %v", call.refused)
		}
		if stranger.Release(); !call.granted() {
			t.Error("waits")
		}
		call.release()
		acquire(t, t.Context(), a)
		demand(t, Want{a, 1, Own}) // from now on some entry may
		refuse(t, entry, a, Full)
	})
}

func TestOrderOfBulkheadsIsThatOfTheirNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z, a := named("z", 1, time.Hour), named("a", 1, time.Hour)
		d := demand(t, Want{z, 1, Ticket}, Want{a, 1, Ticket})
		stranger := acquire(t, t.Context(), a)
		entry := tryReserve(t.Context(), d)
		figures{0, 0, 1, 0}.check(t, z) // not taken before a
		figures{1, 0, 0, 1}.check(t, a)
		if stranger.Release(); !entry.granted() {
			t.Error("waits")
		}
		entry.release()

		outer := reserve(t, t.Context(), Want{z, 1, Ticket})
		acquire(t, t.Context(), a)
		refuseEntry(t, outer, Refusal{a, Full, 1, 0, nil, false, false}, Want{a, 1, Ticket})
	})
}

func TestFieldF22WaiterWhoseTimeEndsAsPermitsComeFreeGetsThem(t *testing.T) {
	for _, n := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			b := sized(4, time.Second)
			acquireN(t, t.Context(), b, 4)
			waiter := tryReserve(t.Context(), demand(t, Want{b, n, Ticket}))
			time.Sleep(time.Second - 1)
			b.shift(int32(n), busyToFree) // as release does, before it serves the queue
			if time.Sleep(time.Nanosecond); !waiter.granted() || waiter.took != time.Second {
				t.Errorf("after %v: %v", waiter.took, waiter.refused)
			}
		})
	}
}

func TestFieldF22FigureIsThatOfTheMomentAWaiterLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Second)
		calls := acquireN(t, t.Context(), b, 4)
		late := tryReserve(t.Context(), demand(t, Want{b, 4, Ticket}))
		calls[0].Release()
		time.Sleep(time.Second)
		if late.waits() || *late.refused != (Refusal{Bulkhead: b, Kind: Full, Wanted: 4, Available: 1, Circle: false}) {
			t.Errorf("late: %v", late.refused)
		}
		// A grant that comes together with the cancellation is handed back.
		ctx, cancel := context.WithCancel(t.Context())
		acquire(t, t.Context(), b)
		lost := tryReserve(ctx, demand(t, Want{b, 3, Ticket}))
		cancel()
		calls[1].Release()
		calls[2].Release()
		calls[3].Release()
		if lost.waits() || *lost.refused != (Refusal{b, Cancelled, 3, 0, context.Canceled, false, false}) {
			t.Errorf("lost: %v", lost.refused)
		}
		figures{1, 0, 3, 0}.check(t, b)
	})
}

// TestServiceAtFullRateEndsWithinItsDeadlines lets mixed entries, nested ones,
// leases and calls beyond them, press on three bulkheads. Every wait ends, by
// somebody's progress or by its own limit.
func TestServiceAtFullRateEndsWithinItsDeadlines(t *testing.T) {
	for _, wait := range []time.Duration{0, 20 * time.Millisecond, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{t: t, wait: wait}
			for i, name := range []string{"a", "b", "c"} {
				s.bulkheads = append(s.bulkheads, named(name, 5+i, wait))
			}
			begin := time.Now()
			var users sync.WaitGroup
			for range 40 {
				users.Go(func() { s.use(begin.Add(time.Second)) })
			}
			users.Wait()
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("with a wait of %v it took %v", wait, took)
			}
			if s.done.Load() < 500 {
				t.Errorf("with a wait of %v only %d pages are done", wait, s.done.Load())
			}
			for i, b := range s.bulkheads {
				figures{0, 0, 5 + i, 0}.check(t, b)
				if len(b.stuck.inside) > 0 || b.stuck.permits != 0 {
					t.Errorf("left at the end: %+v", b.stuck)
				}
			}
		})
	}
}

type service struct {
	t         *testing.T
	wait      time.Duration
	bulkheads []*Bulkhead
	done      atomic.Int64
}

func (s *service) use(until time.Time) {
	for time.Now().Before(until) {
		if s.page(s.t.Context(), 2) {
			s.done.Add(1)
		}
	}
}

// page is an entry with calls at once and then an entry inside. It is done if
// nothing in it was refused. No request may last longer than the wait.
func (s *service) page(ctx context.Context, depth int) (done bool) {
	var wants []Want
	for _, b := range s.bulkheads {
		if as := Use(rand.IntN(6)); as >= Ticket && as <= Lease {
			wants = append(wants, Want{b, 1 + rand.IntN(3), as})
		}
	}
	d, err := NewDemand(wants...)
	if err != nil {
		return s.call(ctx)
	}
	begin := time.Now()
	entry, _, refused := d.Reserve(ctx, nil)
	if s.check(begin); refused != nil {
		time.Sleep(time.Millisecond)
		return false
	}
	entry.Open()
	defer entry.Close()
	var calls sync.WaitGroup
	var failed atomic.Bool
	for range 1 + rand.IntN(4) {
		calls.Go(func() {
			if !s.call(entry) {
				failed.Store(true)
			}
		})
	}
	calls.Wait()
	return !failed.Load() && (depth == 0 || s.page(entry, depth-1))
}

func (s *service) call(ctx context.Context) bool {
	begin := time.Now()
	permit, _, refused := s.bulkheads[rand.IntN(len(s.bulkheads))].Acquire(ctx, nil)
	s.check(begin)
	if time.Sleep(time.Millisecond); refused != nil {
		return false
	}
	permit.Begin(ctx)
	permit.Release()
	return true
}

func (s *service) check(begin time.Time) {
	if took := time.Since(begin); took > s.wait {
		s.t.Errorf("a request took %v", took)
	}
}

func TestSecondCloseCountsNothing(t *testing.T) {
	b, c := named("b", 9, 0), named("c", 9, 0)
	outer := reserve(t, t.Context(), Want{b, 2, Ticket})
	inner := reserve(t, outer, Want{b, 3, Ticket}, Want{c, 2, Lease})
	late := acquire(t, inner, b)
	inner.Close()
	before := [2]Snapshot{b.Snapshot(), c.Snapshot()}
	open := b.open.Load()
	if unused, overflow := inner.Close(); unused+overflow > 0 {
		t.Error("the second one tells")
	}
	if after := [2]Snapshot{b.Snapshot(), c.Snapshot()}; after != before || b.open.Load() != open {
		t.Errorf("%+v with %d open, before it %+v with %d", after, b.open.Load(), before, open)
	}
	late.Release()
	outer.Close()
	outer.Close()
	figures{0, 0, 9, 0}.check(t, b)
	if s := b.Snapshot(); b.open.Load() != 0 || s.Reserved != 3 || s.UsedFromReservation != 1 || s.ReturnedUnused != 2 {
		t.Errorf("%d open, counters: %+v", b.open.Load(), s)
	}
}

// gatesThat refuse from some moment on, which they tell as soon as they are watched.
type gatesThat struct{ watched, refuse bool }

func (g *gatesThat) Watch(news chan<- struct{}) {
	g.watched, g.refuse = true, true
	select {
	case news <- struct{}{}:
	default:
	}
}

func (g *gatesThat) Unwatch(chan<- struct{}) { g.watched = false }
func (g *gatesThat) Refuse() bool            { return g.refuse }

func TestFieldF07GatesThatChangeWhileAWaitBeginsEndIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		acquire(t, t.Context(), b)
		gates := new(gatesThat)
		waiter := try(func(a *attempt) { a.permit, _, a.refused = b.Acquire(t.Context(), gates) })
		if !waiter.refusedAs(Gated) || waiter.took != 0 || gates.watched {
			t.Errorf("got %v after %v, watched: %t", waiter.refused, waiter.took, gates.watched)
		}
		figures{1, 0, 0, 0}.check(t, b)
		if s := b.Snapshot(); s.Refused != (Refused{}) {
			t.Errorf("counted: %+v", s.Refused)
		}
	})
}

func TestCircleIsSeenWhenCallsComeBackToWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(6, time.Hour)
		one, two := reserve(t, t.Context(), Want{b, 2, Lease}), reserve(t, t.Context(), Want{b, 3, Lease})
		calls := acquireN(t, one, b, 2)
		first, second := tryReserve(one, demand(t, Want{b, 4, Ticket})), tryReserve(two, demand(t, Want{b, 5, Ticket}))
		calls[0].Release()
		if !first.waits() || !second.waits() {
			t.Fatalf("first: %v, second: %v, but a call is in flight", first.refused, second.refused)
		}
		calls[1].Release()
		if !first.waits() || !second.refusedAs(Full) || !second.refused.Circle {
			t.Fatalf("first: %v, second: %v", first.refused, second.refused)
		}
		if two.Close(); !first.granted() {
			t.Error("the first waits")
		}
		if n := one.waits.Load() + two.waits.Load(); n != 0 {
			t.Errorf("%d waits are remembered", n)
		}
	})
}

func TestWhoHoldsNothingUpIsNotRefusedForACircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		one, two := reserve(t, t.Context(), Want{b, 2, Lease}), reserve(t, t.Context(), Want{b, 1, Lease})
		stranger := acquire(t, t.Context(), b)
		first, second := tryReserve(one, demand(t, Want{b, 4, Ticket})), tryReserve(two, demand(t, Want{b, 3, Ticket}))
		call := tryAcquire(one, b) // all permits around it are lent to the first
		stranger.Release()
		if !first.waits() || !call.waits() || !second.refusedAs(Full) || !second.refused.Circle {
			t.Fatalf("first: %v, second: %v, call: %v", first.refused, second.refused, call.refused)
		}
	})
}

func TestTicketThatServesACancelledWaiterIsNotSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		entry := reserve(t, t.Context(), Want{b, 1, Ticket})
		other := take(t, entry, b)
		ctx, cancel := context.WithCancel(entry)
		call := tryAcquire(ctx, b)
		cancel()
		other.Return()
		if !call.refusedAs(Cancelled) || call.refused.Wanted != 1 || call.refused.Available != 0 {
			t.Errorf("got %v", call.refused)
		}
		figures{0, 1, 0, 0}.check(t, b)
	})
}

func TestFieldF07GatesThatRefuseBeforeTheyAreWatchedEndTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(1, time.Hour)
		entry := reserve(t, t.Context(), Want{b, 1, Lease})
		acquire(t, entry, b)
		waiter := try(func(a *attempt) { a.permit, _, a.refused = b.Acquire(entry, closedGates{}) })
		inner := try(func(a *attempt) {
			a.entry, _, a.refused = demand(t, Want{b, 1, Own}).Reserve(t.Context(), closedGates{})
		})
		if !waiter.refusedAs(Gated) || !inner.refusedAs(Gated) {
			t.Errorf("got %v and %v", waiter.refused, inner.refused)
		}
		if s := b.Snapshot(); s.Overflow != 0 || s.Refused != (Refused{}) {
			t.Errorf("counted: %+v", s)
		}
	})
}

// closedGates refuse, and tell nobody.
type closedGates struct{}

func (closedGates) Watch(chan<- struct{})   {}
func (closedGates) Unwatch(chan<- struct{}) {}
func (closedGates) Refuse() bool            { return true }

// during is a context that acts just before its owner queues.
type during struct {
	context.Context
	act func()
}

func (c *during) Done() <-chan struct{} {
	c.act()
	return c.Context.Done()
}

func TestPermitThatComesBackJustBeforeAnEntryQueuesIsStuckOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 1, Lease})
		call, strangers := acquire(t, outer, b), acquireN(t, t.Context(), b, 2)
		inner := tryReserve(&during{outer, sync.OnceFunc(call.Release)}, demand(t, Want{b, 3, Ticket}))
		b.Resize(Settings{MaxConcurrentCalls: 3, MaxWaitDuration: time.Hour})
		strangers[0].Release()
		if !inner.waits() {
			t.Fatalf("inner: %v, but a call is in flight", inner.refused)
		}
		if strangers[1].Release(); !inner.granted() {
			t.Errorf("inner: %v", inner.refused)
		}
		figures{0, 3, 0, 0}.check(t, b)
	})
}

func TestEntryThatEndsWhileARequestInsideItWaitsHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		ends, other := reserve(t, t.Context(), Want{b, 1, Own}), reserve(t, t.Context(), Want{b, 1, Lease})
		call := acquire(t, t.Context(), b)
		first, second := tryReserve(ends, demand(t, Want{b, 3, Ticket})), tryReserve(other, demand(t, Want{b, 3, Ticket}))
		ends.Close()
		if !first.waits() || !second.waits() {
			t.Fatalf("first: %v, second: %v, but a call is in flight", first.refused, second.refused)
		}
		if call.Release(); !first.granted() {
			t.Errorf("first: %v", first.refused)
		}
	})
}

func TestAllRequestsOfAnEntryThatIsInACircleAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(3, time.Hour)
		older, newer := reserve(t, t.Context(), Want{b, 1, Own}), reserve(t, t.Context(), Want{b, 1, Own})
		call, two := acquire(t, t.Context(), b), demand(t, Want{b, 2, Ticket})
		first, second, third := tryReserve(older, two), tryReserve(newer, two), tryReserve(newer, two)
		call.Release()
		if !first.waits() || !second.refusedAs(Full) || !third.refusedAs(Full) || !second.refused.Circle || !third.refused.Circle {
			t.Fatalf("first: %v, second: %v, third: %v", first.refused, second.refused, third.refused)
		}
		if newer.Close(); !first.granted() {
			t.Errorf("first: %v", first.refused)
		}
	})
}

func TestLoanOfTheEntryFurthestOutIsPaidBackFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(9, time.Hour)
		far := reserve(t, t.Context(), Want{b, 1, Lease})
		farCall := acquire(t, far, b)
		near := reserve(t, far, Want{b, 1, Ticket})
		nearCall := take(t, near, b)
		acquireN(t, t.Context(), b, 7)
		farCall.Release()
		inner := tryReserve(near, demand(t, Want{b, 2, Ticket})) // has the permit of far
		nearCall.Return()
		if !inner.granted() {
			t.Fatalf("inner: %v", inner.refused)
		}
		acquire(t, inner.entry, b).Release()
		figures{7, 2, 0, 0}.check(t, b) // far leases, so its permit stays; that of near would be spent
		inner.release()
		near.Close()
		figures{7, 1, 1, 0}.check(t, b)
	})
}

func TestGatesThatEndTheWaitOfAnEntryAreNoOverflowOfThoseAroundIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(2, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 1, Lease})
		acquire(t, outer, b)
		acquire(t, t.Context(), b)
		inner := try(func(a *attempt) { a.entry, _, a.refused = demand(t, Want{b, 1, Own}).Reserve(outer, closedGates{}) })
		if !inner.refusedAs(Gated) {
			t.Fatalf("got %v", inner.refused)
		}
		if s := b.Snapshot(); s.Overflow != 0 || outer.Usage()[0].Overflow != 0 {
			t.Errorf("counted: %+v", s)
		}
	})
}

func TestPermitsThatComeBackTogetherServeWhoWaitsInsideBeforeThePoolDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := sized(4, time.Hour)
		outer := reserve(t, t.Context(), Want{b, 2, Ticket})
		inner := reserve(t, outer, Want{b, 2, Ticket})
		call := acquire(t, t.Context(), b)
		waiting := tryReserve(outer, demand(t, Want{b, 2, Ticket}))
		if !waiting.waits() {
			t.Fatal("it has 2 of 1")
		}
		inner.Close()
		if !waiting.granted() {
			t.Fatal(waiting.refused)
		}
		figures{1, 2, 1, 0}.check(t, b)
		waiting.release()
		outer.Close()
		call.Release()
		figures{0, 0, 4, 0}.check(t, b)
	})
}
