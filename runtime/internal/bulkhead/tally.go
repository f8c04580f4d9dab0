package bulkhead

// A tally says in one word where every permit of a bulkhead is, so that permits
// move by one atomic step and in use + reserved idle + available = size holds
// at every moment, for every reader.
//
//	bits 41–63  free    permits anyone may take; below zero while a shrink is being paid back
//	bits 21–40  busy    permits that calls run on
//	bits  1–20  idle    permits that reservations keep for calls to come
//	bit   0     queued  somebody waits, so only the holder of the lock takes free permits
//
// A bulkhead's size is the sum of the first three. Fields don't borrow from
// each other: free is the topmost and signed, and busy and idle are not taken
// below zero, but see Bulkhead.release.
type tally int64

const (
	queued  tally = 1
	oneIdle tally = 1 << 1
	oneBusy tally = 1 << 21
	oneFree tally = 1 << 41

	fieldMask = 1<<20 - 1
)

// Moves of one permit: add n × move to move n permits.
const (
	freeToBusy = oneBusy - oneFree
	freeToIdle = oneIdle - oneFree
	idleToBusy = oneBusy - oneIdle
	busyToIdle = oneIdle - oneBusy
	busyToFree = oneFree - oneBusy
)

func (t tally) free() int    { return int(t >> 41) }
func (t tally) busy() int    { return int(t>>21) & fieldMask }
func (t tally) idle() int    { return int(t>>1) & fieldMask }
func (t tally) size() int    { return t.free() + t.busy() + t.idle() }
func (t tally) queued() bool { return t&queued != 0 }

// atRest reports whether nobody holds a permit, and nobody waits for one.
func (t tally) atRest() bool { return t.busy() == 0 && t.idle() == 0 && !t.queued() }

// available is how many permits a newcomer could have.
func (t tally) available() int {
	if t.queued() {
		return 0
	}
	return max(0, t.free())
}
