package bulkhead

import "sync/atomic"

// counters grow from when the bulkhead is made.
type counters struct {
	refused  [Done + 1]atomic.Uint64 // by Kind
	gate     atomic.Uint64
	dry      atomic.Uint64 // would have been refused
	shadow   atomic.Uint64 // would have been refused at the size that is tried
	reserved atomic.Uint64
	used     atomic.Uint64
	overflow atomic.Uint64
	unused   atomic.Uint64
}

// Snapshot is a bulkhead at one moment. InUse + ReservedIdle + Available
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
	UsedFromReservation uint64 // calls that began on a reserved permit
	Overflow            uint64 // calls whose open reservation had no permit left for them: that began on one of the pool, or were refused
	ReturnedUnused      uint64 // reserved permits on which no call ran
	WouldRefuse         uint64 // requests that it would have refused if it were enforced
	Dry                 bool   // it is not enforced
	Shadow              int    // a size that is tried beside; 0: none is
	ShadowWouldRefuse   uint64 // requests that it would have refused, of those that got permits

	Adaptive *AdaptiveSnapshot // nil: the size stays
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
	defer b.mu.Unlock()
	before := b.counters.read()
	for range maxReads {
		t := b.now()
		after := b.counters.read()
		if after == before { // none grew meanwhile, so all are those of when the tally was read
			return b.snapshot(t, after)
		}
		before = after
	}
	return b.snapshot(b.now(), before)
}

// AtRest reports whether nobody holds a permit, and nobody waits for one.
func (b *Bulkhead) AtRest() bool { return b.now().atRest() }

// maxReads is how often Snapshot tries to read while others count. Even the last try
// shows nothing impossible, because of the order of reading.
const maxReads = 100

// counted are the counters as read.
type counted struct {
	refused                                [Done + 1]uint64
	gate, used, overflow, unused, reserved uint64
}

// read reads the outcomes of reserved permits before their number, so that it never
// finds more outcomes than permits.
func (c *counters) read() counted {
	read := counted{gate: c.gate.Load(), used: c.used.Load(), overflow: c.overflow.Load(), unused: c.unused.Load()}
	for kind := range c.refused {
		read.refused[kind] = c.refused[kind].Load()
	}
	read.reserved = c.reserved.Load()
	return read
}

func (b *Bulkhead) snapshot(t tally, c counted) Snapshot {
	return Snapshot{
		Name:               b.name,
		MaxConcurrentCalls: t.size(),
		InUse:              t.busy(),
		ReservedIdle:       t.idle(),
		Available:          max(0, t.free()),
		Waiting:            b.queue.length,
		Reserved:           c.reserved,
		Refused: Refused{
			Full:      c.refused[Full],
			TooLarge:  c.refused[TooLarge],
			Cancelled: c.refused[Cancelled] + c.refused[Done],
			Gate:      c.gate,
		},
		UsedFromReservation: c.used,
		Overflow:            c.overflow,
		ReturnedUnused:      c.unused,
		WouldRefuse:         b.counters.dry.Load(),
		Dry:                 b.dry.Load(),
		Shadow:              int(b.shadow.Load()),
		ShadowWouldRefuse:   b.counters.shadow.Load(),
		Adaptive:            b.adaptiveSnapshot(),
	}
}

// CountGate counts a request that a gate refused before the bulkhead was asked.
func (b *Bulkhead) CountGate() { b.counters.gate.Add(1) }
