package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// warmUp is how long entries come before they count: the pool begins empty, and
// the connections have to be made.
const warmUp = 250 * time.Millisecond

// row is what was measured at one rate.
type row struct {
	rate           float64 // entries per second offered, on average
	plain, preload tally
}

// measure offers entries at a rate to both sides, at the same moments, so that
// neither has the better luck.
func measure(ctx context.Context, rate float64, over time.Duration) (row, error) {
	one, err := startSide(plain)
	if err != nil {
		return row{}, err
	}
	defer one.stop()
	other, err := startSide(preloaded)
	if err != nil {
		return row{}, err
	}
	defer other.stop()

	first := offer(ctx, rate, over, one, other)
	r := row{rate: rate}
	if r.plain, err = one.tally(first); err != nil {
		return row{}, err
	}
	r.preload, err = other.tally(first)
	return r, err
}

// offer lets entries come to the sides, first to warm up and then to be
// measured. When the last has ended it returns the number of the first that
// counts.
func offer(ctx context.Context, rate float64, over time.Duration, sides ...*side) (first int) {
	var inside sync.WaitGroup
	defer inside.Wait()
	entry := 0
	arrive := func() {
		number, came := entry, time.Now()
		for _, s := range sides {
			inside.Go(func() { s.enter(ctx, number, came) })
		}
		entry++
	}
	poisson(ctx, rate, warmUp, arrive)
	first = entry
	poisson(ctx, rate, over, arrive)
	return first
}

// poisson calls arrive at random moments, rate times per second on average, as
// independent users come. The moments depend on nothing that happens (an open
// model): when arrive or the machine is late, the next ones catch up.
func poisson(ctx context.Context, rate float64, over time.Duration, arrive func()) {
	began := time.Now()
	var at time.Duration
	for {
		at += time.Duration(rand.ExpFloat64() / rate * float64(time.Second))
		last := at >= over
		pause, end := context.WithDeadline(ctx, began.Add(min(at, over)))
		<-pause.Done()
		end()
		if last || ctx.Err() != nil {
			return
		}
		arrive()
	}
}
