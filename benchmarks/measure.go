package main

import (
	"context"
	"sync/atomic"
	"testing"
)

// cores is how many Go may use, on whatever machine.
const cores = 2

// goroutines are how many make calls at the same time, on one path's one guard.
var goroutines = []int{1, 2, 64}

// measure times calls of c.
func (s section) measure(b *testing.B, c client, goroutines int) {
	b.ReportAllocs()
	s.check(b, c)
	defer s.check(b, c)
	if goroutines == 1 {
		ctx := context.Background()
		for n := 0; b.Loop(); n++ {
			c.Do(ctx, n)
		}
		return
	}
	var started atomic.Int64 // so that not all are at a call that fails
	b.SetParallelism(goroutines / cores)
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for n := int(started.Add(1)); pb.Next(); n++ {
			c.Do(ctx, n)
		}
	})
}

// check fails where calls do not end as the section says, so that nothing is
// measured by mistake.
func (s section) check(t testing.TB, c client) {
	if _, err := c.Do(context.Background(), 1); !s.ends(err) {
		t.Fatalf("%s: a call returned error %v", s.name, err)
	}
}
