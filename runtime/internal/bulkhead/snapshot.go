package bulkhead

import "sync/atomic"

// counters count since the bulkhead was made.
type counters struct {
	refused  [Done + 1]atomic.Uint64 // by Kind
	gate     atomic.Uint64
	reserved atomic.Uint64
	used     atomic.Uint64
	overflow atomic.Uint64
	unused   atomic.Uint64
}

// Snapshot is a consistent look at a bulkhead. InUse + ReservedIdle + Available
// is MaxConcurrentCalls at every moment, except while a shrink is being paid
// back, when InUse + ReservedIdle is more and Available is 0. The counters only
// grow.
type Snapshot struct {
	Name               string
	MaxConcurrentCalls int
	InUse              int // permits that calls run on
	ReservedIdle       int // permits that reservations keep for calls to come
	Available          int // permits in the pool
	Waiting            int // requests in the queue, of any number of permits

	Reserved            uint64 // permits taken from the pool for calls inside entries
	Refused             Refused
	UsedFromReservation uint64 // calls that ran on a reserved permit
	Overflow            uint64 // calls whose open reservation had no permit left for them
	ReturnedUnused      uint64 // reserved permits on which no call ran
}

// Refused counts refused requests, each once, whatever number of permits it
// wanted.
type Refused struct {
	Full      uint64
	TooLarge  uint64
	Cancelled uint64 // the context was done, or ended the wait
	Gate      uint64 // a gate refused before the bulkhead was asked
}

// Snapshot returns the figures and counters of this moment.
func (b *Bulkhead) Snapshot() Snapshot {
	b.mu.Lock()
	t, waiting := b.now(), b.queue.length
	b.mu.Unlock()
	c := &b.counters
	return Snapshot{
		Name:               b.name,
		MaxConcurrentCalls: t.size(),
		InUse:              t.busy(),
		ReservedIdle:       t.idle(),
		Available:          max(0, t.free()),
		Waiting:            waiting,
		Reserved:           c.reserved.Load(),
		Refused: Refused{
			Full:      c.refused[Full].Load(),
			TooLarge:  c.refused[TooLarge].Load(),
			Cancelled: c.refused[Cancelled].Load() + c.refused[Done].Load(),
			Gate:      c.gate.Load(),
		},
		UsedFromReservation: c.used.Load(),
		Overflow:            c.overflow.Load(),
		ReturnedUnused:      c.unused.Load(),
	}
}

// CountGate counts a request that a gate refused before the bulkhead was asked.
func (b *Bulkhead) CountGate() { b.counters.gate.Add(1) }
