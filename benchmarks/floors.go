package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Floors do one thing that guards are made of, and call nobody.

type addition struct{ n atomic.Uint64 }

func (a *addition) Do(_ context.Context, n int) (int, error) {
	a.n.Add(1)
	return n, nil
}

// swaps takes a permit and gives it back, and nothing else.
type swaps struct{ n atomic.Int64 }

func (s *swaps) Do(_ context.Context, n int) (int, error) {
	s.move(1)
	s.move(-1)
	return n, nil
}

func (s *swaps) move(by int64) {
	for {
		if n := s.n.Load(); s.n.CompareAndSwap(n, n+by) {
			return
		}
	}
}

type mutex struct {
	mu sync.Mutex
	n  int
}

func (m *mutex) Do(_ context.Context, n int) (int, error) {
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
	return n, nil
}

var epoch = time.Now()

type monotonic struct{}

func (monotonic) Do(_ context.Context, n int) (int, error) {
	return n + int(time.Since(epoch)&1), nil
}

// twice reads the clock as a call does whose duration matters. What it costs
// more than monotonic is a read and nothing else.
type twice struct{}

func (twice) Do(_ context.Context, n int) (int, error) {
	began := time.Since(epoch)
	return n + int((time.Since(epoch)-began)&1), nil
}

type wall struct{}

func (wall) Do(_ context.Context, n int) (int, error) {
	return n + time.Now().Nanosecond()&1, nil
}

type deadline struct{}

func (deadline) Do(ctx context.Context, n int) (int, error) {
	_, cancel := context.WithTimeout(ctx, never)
	cancel()
	return n, nil
}

// allocation allocates as much as a reservation of two bulkheads. The compiler
// can't know that use does not keep it.
type allocation struct{ use func(*[24]*int) }

func (a allocation) Do(_ context.Context, n int) (int, error) {
	a.use(new([24]*int))
	return n, nil
}
