// Package ratelimit limits how many calls begin in a time, exactly.
//
// A [Limiter] is a token bucket, kept by the generic cell rate algorithm (GCRA):
// its whole state is the instant at which the bucket is full again. A call moves it
// by the time of one token, with one compare-and-swap; no goroutine fills anything,
// there is no period at whose border two bursts meet, and the instant at which the
// next call may begin is known. In any period at most limit + burst − 1 tokens are
// taken for good. Tokens that are held meanwhile, by an entry or by a call that waits
// for something else, serve calls later than that, whoever uses them in the end.
//
// Who may wait queues, strictly first come, first served, and holds nothing: the
// first of the queue sleeps until its instant, and one that leaves takes nothing
// with it.
//
// An entry takes the tokens for the calls under it before its body runs: a
// [Reservation] carries them.
package ratelimit

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/shedding"
)

// Limiter limits how many calls begin. All its methods are safe for concurrent use.
type Limiter struct {
	name string
	rule atomic.Pointer[rule]
	pool tokens       // stands for the bucket in turns that come from there
	open atomic.Int64 // reservations of it that are open; while there is none, no call looks into its context

	counters struct{ spent, tooLarge, cancelled, gate, dry atomic.Uint64 }
	refusing *shedding.Watch // nil: nobody wants to hear of it

	mu    sync.Mutex // guards the queue and changes of the rule
	queue list.List  // of *waiter
	ahead int        // tokens that the queue waits for

	_    [64]byte // what every call writes keeps a cache line of its own
	word atomic.Int64
	_    [56]byte
}

// New returns a limiter whose bucket is full.
func New(name string, s Settings) *Limiter {
	l := &Limiter{name: name}
	l.pool.limiter = l
	l.rule.Store(newRule(s, false, breaker.Now()))
	return l
}

// Name returns the name that settings and errors use.
func (l *Limiter) Name() string { return l.name }

// Kind says why there was no token.
type Kind uint8

// The kinds of refusals.
const (
	Spent     Kind = iota + 1 // there is no token, and none would be there in time
	TooLarge                  // more tokens were wanted than the bucket can hold
	Cancelled                 // the context ended the wait
	Gated                     // the gates ended the wait
)

// Refusal says why a caller got no tokens.
type Refusal struct {
	Kind  Kind
	Cause error // the context's, for Cancelled
	Dry   bool  // the settings are not enforced, so the call goes on without a token
}

var (
	spent, tooLarge, gated    = &Refusal{Kind: Spent}, &Refusal{Kind: TooLarge}, &Refusal{Kind: Gated}
	spentInDry, tooLargeInDry = &Refusal{Kind: Spent, Dry: true}, &Refusal{Kind: TooLarge, Dry: true}
)

// A Turn is the token of one call. The zero Turn is none.
type Turn struct{ from *tokens }

// Return gives back the token of a call that was not made, and leaves t empty.
func (t *Turn) Return() {
	if from := t.from; from != nil {
		t.from = nil
		from.put(1)
	}
}

// Taken reports whether t has a token.
func (t *Turn) Taken() bool { return t.from != nil }

// Gates end a wait for tokens once they refuse.
type Gates interface {
	// Watch sends to news, without waiting, whenever the answer may be another.
	Watch(news chan<- struct{})
	Unwatch(news chan<- struct{})
	Refuse() bool
}

// Take takes the token of one call: from the reservation that ctx carries if that
// has one left, else from the bucket, and waits for it if it is there in time. It
// reports whether it waited. A call that it refuses in a dry run goes on.
func (l *Limiter) Take(ctx context.Context, gates Gates) (t Turn, waited bool, refused *Refusal) {
	if l.open.Load() > 0 {
		if from, _ := carried(ctx).take(l, 1); from != nil {
			return Turn{from}, false, nil
		}
	}
	if l.glance(1) {
		return Turn{&l.pool}, false, nil
	}
	taken, waited, refused := l.miss(ctx, 1, gates)
	if taken {
		t.from = &l.pool
	}
	return t, waited, refused
}

// obtain takes n tokens of the bucket.
func (l *Limiter) obtain(ctx context.Context, n int, gates Gates) (taken, waited bool, refused *Refusal) {
	if l.glance(n) {
		return true, false, nil
	}
	return l.miss(ctx, n, gates)
}

// miss is obtain where the tokens are not there. If the settings are not enforced
// it neither waits nor refuses.
func (l *Limiter) miss(ctx context.Context, n int, gates Gates) (taken, waited bool, refused *Refusal) {
	r := l.rule.Load()
	switch large := n > r.Burst && r.token > 0; {
	case large && r.Dry():
		l.counters.dry.Add(1)
		return false, false, tooLargeInDry
	case r.Dry():
		l.counters.dry.Add(1)
		return false, false, spentInDry
	case large:
		refused = tooLarge
	case r.MaxWaitDuration == 0:
		refused = spent
	default:
		waited, refused = l.wait(ctx, n, gates)
	}
	l.count(refused)
	return refused == nil, waited, refused
}

func (l *Limiter) count(refused *Refusal) {
	if refused == nil || refused.Kind == Gated {
		return
	}
	switch refused.Kind {
	case Spent:
		l.counters.spent.Add(1)
	case TooLarge:
		l.counters.tooLarge.Add(1)
	case Cancelled:
		l.counters.cancelled.Add(1)
	}
	l.refusing.Note(uint8(refused.Kind))
}

// CountGate counts a call that a gate refused before the limiter was asked.
func (l *Limiter) CountGate() { l.counters.gate.Add(1) }

// glance takes n tokens if they are there and nobody waits.
func (l *Limiter) glance(n int) bool {
	if r := l.rule.Load(); r.token == 0 {
		return true
	}
	now := breaker.Now()
	for {
		w := word(l.word.Load())
		r := l.rule.Load()
		if !w.belongs(r) || now.Sub(r.epoch) > r.life {
			l.renew(r, now)
			continue
		}
		if w.queued() {
			return false
		}
		at := r.at(now)
		tat := max(w.tat(), at)
		if r.begins(tat, n) > at {
			return false
		}
		if l.word.CompareAndSwap(int64(w), int64(w.later(tat-w.tat()+int64(n)*r.token))) {
			return true
		}
	}
}

// renew waits until a change of the rule is done. A rule whose life is over begins
// anew.
func (l *Limiter) renew(r *rule, now breaker.Instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rule.Load() == r && now.Sub(r.epoch) > r.life {
		l.change(r.Settings)
	}
}

// Retune puts new settings into force. The tokens that are used up stay used up:
// the time until the bucket is full changes with the time of a token.
func (l *Limiter) Retune(s Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(s)
	l.wakeFirst()
}

func (l *Limiter) change(s Settings) {
	now := breaker.Now()
	old := l.rule.Load()
	r := newRule(s, !old.odd, now)
	l.rule.Store(r) // from now on nobody changes the word by the old rule, except who has read both before
	for {
		w := word(l.word.Load())
		tat := int64(0)
		if left := w.tat() - old.at(now); left > 0 && old.token > 0 {
			tat = scale(left, r.token, old.token)
		}
		if l.word.CompareAndSwap(int64(w), int64(newWord(tat, r)|w&queued)) {
			return
		}
	}
}

// put gives n tokens back. It can't make more than a burst of them, because time
// that has passed counts for nothing once the bucket is full.
func (l *Limiter) put(n int) {
	for {
		w := word(l.word.Load())
		r := l.rule.Load()
		if !w.belongs(r) {
			l.renew(r, breaker.Now())
			continue
		}
		if !l.word.CompareAndSwap(int64(w), int64(w.later(-int64(n)*r.token))) {
			continue
		}
		if w.queued() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.wakeFirst()
		}
		return
	}
}

// RetryAt is the first instant at which n tokens are there for a caller that comes
// now and does not wait; false where they never are.
func (l *Limiter) RetryAt(n int) (at breaker.Instant, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, now := l.rule.Load(), breaker.Now()
	if r.token == 0 {
		return now, true
	}
	return l.turnOf(r, now, l.ahead+n), n <= r.Burst
}

// RetryAfter is the time until RetryAt.
func (l *Limiter) RetryAfter(n int) (wait time.Duration, known bool) {
	at, known := l.RetryAt(n)
	if !known {
		return 0, false
	}
	return max(0, at.Sub(breaker.Now())), true
}

// turnOf is the instant at which the n-th token from now on is there. The lock must
// be held.
func (l *Limiter) turnOf(r *rule, now breaker.Instant, n int) breaker.Instant {
	return max(now, r.instant(r.begins(max(word(l.word.Load()).tat(), r.at(now)), n)))
}

// Snapshot is a limiter at one moment.
type Snapshot struct {
	Name      string
	Limit     int // 0: nothing is limited
	Period    time.Duration
	Burst     int
	Available int // calls that may begin now
	Waiting   int

	// Since the limiter was made:
	Spent, TooLarge, Cancelled, Gate, WouldRefuse uint64

	Dry bool // the settings are not enforced
}

// Snapshot returns the present figures.
func (l *Limiter) Snapshot() Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, c := l.rule.Load(), &l.counters
	s := Snapshot{
		Name: l.name, Period: r.Period, Burst: r.Burst, Waiting: l.queue.Len(),
		Spent: c.spent.Load(), TooLarge: c.tooLarge.Load(), Cancelled: c.cancelled.Load(), Gate: c.gate.Load(), WouldRefuse: c.dry.Load(), Dry: r.Dry(),
	}
	if r.token == 0 {
		return s
	}
	s.Limit = *r.Limit
	at := r.at(breaker.Now())
	if missing := max(0, word(l.word.Load()).tat()-at); missing <= r.slack && s.Waiting == 0 {
		s.Available = int((r.slack-missing)/r.token) + 1
	}
	return s
}
