package bulkhead

import (
	"context"
	"testing"
)

func BenchmarkPermit(b *testing.B) {
	derived, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": context.Background(), "cancellable": derived} {
		b.Run(name, func(b *testing.B) {
			bulk := New("a", Settings{MaxConcurrentCalls: 25})
			b.ReportAllocs()
			for b.Loop() {
				permit, _, refused := bulk.Acquire(ctx, nil)
				if refused != nil {
					b.Fatal(refused)
				}
				permit.Release()
			}
		})
	}
}

func BenchmarkPermitContended(b *testing.B) {
	bulk := New("a", Settings{MaxConcurrentCalls: 25})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for pb.Next() {
			permit, _, refused := bulk.Acquire(ctx, nil)
			if refused != nil {
				b.Error(refused)
			}
			permit.Release()
		}
	})
}

func BenchmarkRefusal(b *testing.B) {
	bulk := New("a", Settings{MaxConcurrentCalls: 1})
	bulk.Acquire(b.Context(), nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, refused := bulk.Acquire(context.Background(), nil); refused == nil {
			b.Fatal("granted")
		}
	}
}

func BenchmarkReserve(b *testing.B) {
	one, two := New("a", Settings{MaxConcurrentCalls: 25}), New("b", Settings{MaxConcurrentCalls: 25})
	demand, err := NewDemand(Want{one, 4, Ticket}, Want{two, 4, Ticket})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("entry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, _, refused := demand.Reserve(context.Background(), nil)
			if refused != nil {
				b.Fatal(refused)
			}
			r.Open()
			r.Close()
		}
	})
	b.Run("entry with a call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, _, refused := demand.Reserve(context.Background(), nil)
			if refused != nil {
				b.Fatal(refused)
			}
			r.Open()
			permit, _, refused := one.Acquire(r, nil)
			if refused != nil {
				b.Fatal(refused)
			}
			permit.Release()
			r.Close()
		}
	})
}

func TestAllocations(t *testing.T) {
	var wants []Want
	for _, name := range []string{"a", "b", "c", "d"} {
		wants = append(wants, Want{named(name, 5, 0), 2, Ticket})
	}
	entry := func(wants ...Want) func() {
		d := demand(t, wants...)
		return func() {
			r, _, refused := d.Reserve(t.Context(), nil)
			if refused != nil {
				t.Fatal(refused)
			}
			r.Open()
			permit, _, _ := wants[0].Bulkhead.Acquire(r, nil)
			permit.Release()
			r.Close()
		}
	}
	for _, c := range []struct {
		name string
		want float64
		do   func()
	}{
		{"call on the pool", 0, func() {
			permit, _, _ := wants[0].Bulkhead.Acquire(t.Context(), nil)
			permit.Release()
		}},
		{"entry with one bulkhead, and a call", 1, entry(wants[:1]...)},
		{"entry with two bulkheads, and a call", 1, entry(wants[:2]...)},
		{"entry with four bulkheads, and a call", 1, entry(wants...)},
	} {
		if got := testing.AllocsPerRun(100, c.do); got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
}
