package bulkhead

import "math"

// Resize puts new settings in force. It never blocks. After a shrink, permits that
// are held stay held, and none is granted until enough have come back; a queued
// request that the new size can never hold is refused at once. A growth serves the
// queue at once. A request that waits already keeps the longest wait that it began
// with. Resize panics if no bulkhead can have the size.
func (b *Bulkhead) Resize(s Settings) {
	s.mustFit(b.name)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tune(s)
	b.setSize(s.MaxConcurrentCalls)
	b.refuseMisfits()
	b.serve()
}

// DryRun makes the bulkhead count as it would and refuse nobody, or ends that. A
// request that finds no permit gets one all the same, as if the bulkhead had just
// shrunk; nobody waits.
func (b *Bulkhead) DryRun(dry bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dry.Store(dry)
	b.serve()
}

// setSize grants what a growth makes room for. The lock must be held.
func (b *Bulkhead) setSize(size int) {
	growth := size - b.size
	b.size = size
	b.tally.Add(int64(tally(growth) * oneFree))
	b.serve()
}

// tune puts the settings of waiting in force.
func (b *Bulkhead) tune(s Settings) {
	b.wait.Store(int64(s.longestWait()))
	b.try(s.Shadow)
	b.capacity = math.MaxInt
	if s.QueueCapacity != nil {
		b.capacity = *s.QueueCapacity
	}
}

// try makes size the one that is tried; 0: none is.
func (b *Bulkhead) try(size int) {
	switch before := b.shadow.Swap(int64(size)); {
	case before == 0 && size > 0:
		b.open.Add(1)
	case before > 0 && size == 0:
		b.open.Add(-1)
	}
}

// judgeShadow counts a request that has got its permits, if there would not be so many
// at the size that is tried.
func (b *Bulkhead) judgeShadow() {
	size := b.shadow.Load()
	if size == 0 {
		return
	}
	if t := b.now(); t.busy()+t.idle() > int(size) {
		b.counters.shadow.Add(1)
	}
}

// refuseMisfits refuses the queued requests that the size can never hold. A nested
// request asks first what the entries around it hold now.
func (b *Bulkhead) refuseMisfits() {
	for w := b.queue.first; w != nil; {
		next := w.next
		if w.fills == nil || w.n > b.largest(b.now()) {
			b.refuseMisfit(w)
		} else {
			select {
			case w.shrunk <- struct{}{}:
			default: // it has not asked since the last shrink
			}
		}
		w = next
	}
}

func (b *Bulkhead) refuseMisfit(w *waiter) {
	if b.dry.Load() {
		return
	}
	if t := b.now(); w.queued && !w.fits(b.largest(t)) {
		b.remove(w)
		w.verdict <- b.refuseClaim(&w.claim, t)
	}
}
