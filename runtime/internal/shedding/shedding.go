// Package shedding tells when a guard begins to refuse and when that is over, however
// many refusals there are between.
package shedding

import (
	"sync"
	"sync/atomic"
	"time"
)

// Bout says that a guard has begun to refuse requests or, once it has refused none
// for a while, that this is over.
type Bout struct {
	At      time.Time
	Kind    uint8         // of the first refusal, by the guard's own count
	Over    bool          // what follows is known then
	Refused uint64        // requests
	Lasted  time.Duration // as far as it was seen
}

// calm is the time without a refusal after which a bout is over. It grows where
// another one begins soon, so that a guard at its limit is not told of at each turn.
const (
	calm     = 10 * time.Second
	calmest  = 10 * time.Minute
	calmGrow = 2
)

// Watch watches one guard. There is a timer only while that refuses. A nil Watch
// watches nothing. All methods are safe for concurrent use.
type Watch struct {
	refusals func() uint64
	tell     func(Bout)
	now      atomic.Bool // a bout is on

	mu     sync.Mutex
	closed bool
	kind   uint8
	calm   time.Duration
	before uint64 // refusals when the bout began
	seen   uint64
	began  time.Time
	grew   time.Time // when more refusals were seen
	ended  time.Time
}

// New returns a watch of a guard, which counts its refusals. Tell must neither block
// nor call the guard.
func New(refusals func() uint64, tell func(Bout)) *Watch {
	return &Watch{refusals: refusals, tell: tell}
}

// Note notes a refusal, which is counted already. During a bout it only reads.
func (w *Watch) Note(kind uint8) {
	if w == nil || w.now.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.now.Load() {
		w.begin(kind)
	}
}

// End ends the watch. If there is a bout, it tells that this is over.
func (w *Watch) End() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.Load() && !w.closed {
		w.end(time.Now())
	}
	w.closed = true
}

func (w *Watch) begin(kind uint8) {
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
	w.before, w.seen = w.seen, w.refusals()
	w.now.Store(true)
	time.AfterFunc(w.calm, w.look)
	w.tell(Bout{At: now, Kind: kind})
}

// look ends the bout if there was no refusal since the last look.
func (w *Watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	now := time.Now()
	if n := w.refusals(); n != w.seen {
		w.seen, w.grew = n, now
		time.AfterFunc(w.calm, w.look)
		return
	}
	w.end(now)
	if w.refusals() != w.seen { // it did not see the end, and we did not see it
		w.begin(w.kind)
	}
}

func (w *Watch) end(now time.Time) {
	refused := w.refusals()
	w.now.Store(false)
	w.ended, w.seen = now, refused
	w.tell(Bout{At: now, Kind: w.kind, Over: true, Refused: refused - w.before, Lasted: w.grew.Sub(w.began)})
}
