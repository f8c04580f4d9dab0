package bulkhead

import (
	"sync"
	"sync/atomic"
	"time"
)

// Refusing says that a bulkhead has begun to refuse requests or, once it has refused
// none for a while, that this is over.
type Refusing struct {
	At       time.Time
	Bulkhead string
	Size     int
	Kind     Kind          // of the first refusal
	Over     bool          // what follows is known then
	Refused  uint64        // requests
	Lasted   time.Duration // as far as it was seen
}

// calm is the time without a refusal after which refusing is over. It grows where
// refusing begins again soon, so that a bulkhead at its limit is not told of at each
// turn.
const (
	calm     = 10 * time.Second
	calmest  = 10 * time.Minute
	calmGrow = 2
)

// refusing watches whether a bulkhead refuses. There is a timer only while it
// does.
type refusing struct {
	tell func(Refusing)
	now  atomic.Bool // it does

	mu     sync.Mutex
	closed bool
	kind   Kind
	calm   time.Duration
	before uint64 // refusals when it began
	seen   uint64
	began  time.Time
	grew   time.Time // when more refusals were seen
	ended  time.Time
}

// Watch makes tell hear of refusing, before the first call. It must neither block
// nor call the bulkhead.
func (b *Bulkhead) Watch(tell func(Refusing)) { b.refusing = &refusing{tell: tell} }

// EndWatch ends Watch. If the bulkhead is refusing, it tells that this is over.
func (b *Bulkhead) EndWatch() {
	w := b.refusing
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.Load() && !w.closed {
		b.endRefusing(time.Now())
	}
	w.closed = true
}

// noteRefusal notes that refusing has begun. While it goes on, a refusal only reads.
func (b *Bulkhead) noteRefusal(kind Kind) {
	if kind != Done {
		b.fill()
	}
	if w := b.refusing; w != nil && kind != Done && !w.now.Load() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.now.Load() {
			b.beginRefusing(kind)
		}
	}
}

func (b *Bulkhead) beginRefusing(kind Kind) {
	w := b.refusing
	if w.closed {
		return
	}
	now := time.Now()
	if !w.ended.IsZero() && now.Sub(w.ended) < calmest {
		w.calm = min(w.calm*calmGrow, calmest)
	} else {
		w.calm = calm
	}
	w.kind, w.began, w.grew = kind, now, now
	w.before, w.seen = w.seen, b.refusals()
	w.now.Store(true)
	time.AfterFunc(w.calm, b.lookAtRefusing)
	w.tell(Refusing{At: now, Bulkhead: b.name, Size: b.now().size(), Kind: kind})
}

// lookAtRefusing ends refusing if there was none since the last look.
func (b *Bulkhead) lookAtRefusing() {
	w := b.refusing
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	now := time.Now()
	if n := b.refusals(); n != w.seen {
		w.seen, w.grew = n, now
		time.AfterFunc(w.calm, b.lookAtRefusing)
		return
	}
	b.endRefusing(now)
	if b.refusals() != w.seen { // it did not see the end, and we did not see it
		b.beginRefusing(w.kind)
	}
}

func (b *Bulkhead) endRefusing(now time.Time) {
	w := b.refusing
	refused := b.refusals()
	w.now.Store(false)
	w.ended, w.seen = now, refused
	w.tell(Refusing{
		At: now, Bulkhead: b.name, Size: b.now().size(), Kind: w.kind,
		Over: true, Refused: refused - w.before, Lasted: w.grew.Sub(w.began),
	})
}

// refusals counts the requests that got no permit although their callers were still
// there.
func (b *Bulkhead) refusals() uint64 {
	c := &b.counters
	return c.refused[Full].Load() + c.refused[TooLarge].Load() + c.refused[Cancelled].Load()
}
