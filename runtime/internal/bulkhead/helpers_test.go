package bulkhead

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// sized returns a bulkhead whose calls wait at most so long, in a queue of any
// length.
func sized(size int, wait time.Duration) *Bulkhead { return named("a", size, wait) }

func named(name string, size int, wait time.Duration) *Bulkhead {
	return New(name, Settings{MaxConcurrentCalls: size, MaxWaitDuration: wait})
}

// figures are what a test says about a bulkhead.
type figures struct{ inUse, idle, available, waiting int }

func (want figures) check(t *testing.T, b *Bulkhead) {
	t.Helper()
	s := b.Snapshot()
	if got := (figures{s.InUse, s.ReservedIdle, s.Available, s.Waiting}); got != want {
		t.Errorf("bulkhead %s: figures are %+v, want %+v", b.Name(), got, want)
	}
}

// acquire takes a permit that must be there, for a call that is made.
func acquire(t *testing.T, ctx context.Context, b *Bulkhead) *Permit {
	t.Helper()
	permit := take(t, ctx, b)
	permit.Begin(ctx)
	return permit
}

// take takes a permit that must be there.
func take(t *testing.T, ctx context.Context, b *Bulkhead) *Permit {
	t.Helper()
	permit, _, refused := b.Acquire(ctx, nil)
	if refused != nil {
		t.Fatalf("refused: %v", refused)
	}
	return &permit
}

// acquireN takes n of them.
func acquireN(t *testing.T, ctx context.Context, b *Bulkhead, n int) []*Permit {
	t.Helper()
	permits := make([]*Permit, n)
	for i := range permits {
		permits[i] = acquire(t, ctx, b)
	}
	return permits
}

// refuse asks for a permit that must not be given.
func refuse(t *testing.T, ctx context.Context, b *Bulkhead, kind Kind) *Refusal {
	t.Helper()
	_, _, refused := b.Acquire(ctx, nil)
	if refused == nil || refused.Kind != kind {
		t.Fatalf("got %v, want a refusal: %s", refused, kind)
	}
	return refused
}

func demand(t *testing.T, wants ...Want) *Demand {
	t.Helper()
	d, err := NewDemand(wants...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// reserve begins an entry whose permits must be there.
func reserve(t *testing.T, ctx context.Context, wants ...Want) *Reservation {
	t.Helper()
	r, _, refused := demand(t, wants...).Reserve(ctx, nil)
	if refused != nil {
		t.Fatalf("refused: %v", refused)
	}
	r.Open()
	return r
}

// refuseEntry begins an entry that must be refused.
func refuseEntry(t *testing.T, ctx context.Context, want Refusal, wants ...Want) {
	t.Helper()
	r, _, refused := demand(t, wants...).Reserve(ctx, nil)
	if refused == nil {
		r.Close()
		t.Fatalf("got a reservation, want %v", &want)
	}
	if *refused != want {
		t.Errorf("got %v, want %v", refused, &want)
	}
}

// An attempt runs on a goroutine of its own.
type attempt struct {
	ended   atomic.Bool // says that the rest may be read
	permit  Permit
	entry   *Reservation
	waited  bool
	refused *Refusal
	took    time.Duration
}

// try starts an attempt and returns when it ended or waits. It must run in a
// bubble.
func try(do func(a *attempt)) *attempt {
	a := new(attempt)
	begin := time.Now()
	go func() {
		do(a)
		a.took = time.Since(begin)
		a.ended.Store(true)
	}()
	synctest.Wait()
	return a
}

func tryAcquire(ctx context.Context, b *Bulkhead) *attempt {
	return try(func(a *attempt) {
		a.permit, _, a.refused = b.Acquire(ctx, nil)
		a.permit.Begin(ctx)
	})
}

func tryReserve(ctx context.Context, d *Demand) *attempt {
	return try(func(a *attempt) {
		if a.entry, a.waited, a.refused = d.Reserve(ctx, nil); a.entry != nil {
			a.entry.Open()
		}
	})
}

func (a *attempt) waits() bool {
	synctest.Wait()
	return !a.ended.Load()
}

func (a *attempt) granted() bool { return !a.waits() && a.refused == nil }

func (a *attempt) refusedAs(k Kind) bool {
	return !a.waits() && a.refused != nil && a.refused.Kind == k
}

// release gives back what the attempt got.
func (a *attempt) release() {
	a.permit.Release()
	if a.entry != nil {
		a.entry.Close()
	}
	synctest.Wait()
}
