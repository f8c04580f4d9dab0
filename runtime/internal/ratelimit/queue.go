package ratelimit

import (
	"container/list"
	"context"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// A waiter is a request for n tokens in the queue.
type waiter struct {
	n      int
	place  *list.Element   // nil: not in the queue
	served bool            // it has its tokens
	until  breaker.Instant // by when the tokens must be there
	look   chan struct{}   // its turn may have come, or may come at another time
}

// wait queues for n tokens. It refuses at once if they would not be there in time.
func (l *Limiter) wait(ctx context.Context, n int, gates Gates) (waited bool, refused *Refusal) {
	deadline, bounded := ctx.Deadline()
	done := ctx.Done() // before there is a place in the queue that a panic could lose
	w := l.enqueue(n, deadline, bounded)
	if w == nil {
		return false, spent
	}
	granted := false
	defer func() {
		if l.leave(w); !granted && w.served {
			l.put(w.n)
		}
	}()
	refused = l.await(ctx, done, w, gates)
	granted = refused == nil
	return true, refused
}

// await returns when w has its tokens, or is not to wait any longer.
func (l *Limiter) await(ctx context.Context, done <-chan struct{}, w *waiter, gates Gates) *Refusal {
	var news chan struct{}
	if gates != nil {
		news = make(chan struct{}, 1)
		news <- struct{}{} // they may have changed before
		gates.Watch(news)
		defer gates.Unwatch(news)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-w.look:
		case <-news:
			if gates.Refuse() {
				return gated
			}
		case <-done:
			return cancelled(ctx)
		}
		sleep, served := l.serve(w)
		switch {
		case served && ctx.Err() != nil:
			return cancelled(ctx)
		case served:
			return nil
		case sleep <= 0:
			return spent
		}
		timer.Reset(sleep)
	}
}

func cancelled(ctx context.Context) *Refusal {
	return &Refusal{Kind: Cancelled, Cause: bulkhead.WithCause(ctx, ctx.Err())}
}

// enqueue gives a request a place in the queue, or nil if its tokens would come too
// late or the queue is full.
func (l *Limiter) enqueue(n int, deadline time.Time, bounded bool) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, r := breaker.Now(), l.rule.Load()
	longest := r.MaxWaitDuration
	if bounded {
		longest = min(longest, time.Until(deadline))
	}
	w := &waiter{n: n, until: now.Add(longest), look: make(chan struct{}, 1)}
	full := r.QueueCapacity != nil && l.queue.Len() >= *r.QueueCapacity
	if full || r.token > 0 && l.turnOf(r, now, l.ahead+n) > w.until {
		return nil
	}
	l.word.Or(int64(queued))
	w.place = l.queue.PushBack(w)
	l.ahead += n
	return w
}

// serve serves the queue, because its first may be late, and reports whether w has
// its tokens. Else it returns how long w may sleep, which is not above 0 once it
// has waited too long.
func (l *Limiter) serve(w *waiter) (sleep time.Duration, served bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := breaker.Now()
	wake := w.until
	for first := l.first(); first != nil; first = l.first() {
		if turn := l.take(first.n, now); turn > now {
			if first == w {
				wake = min(wake, turn)
			}
			break
		}
		first.served = true
		l.remove(first)
		first.wake()
	}
	if w.served {
		return 0, true
	}
	if now >= w.until {
		return 0, false
	}
	return wake.Sub(now), false
}

// take takes n tokens for the first of the queue if they are there, else it returns
// when they are. The lock must be held.
func (l *Limiter) take(n int, now breaker.Instant) (turn breaker.Instant) {
	r := l.rule.Load()
	if r.token == 0 {
		return now
	}
	for {
		w, at := word(l.word.Load()), r.at(now)
		tat := max(w.tat(), at)
		if begins := r.begins(tat, n); begins > at {
			return r.instant(begins)
		}
		if l.word.CompareAndSwap(int64(w), int64(w.later(tat-w.tat()+int64(n)*r.token))) {
			return now
		}
	}
}

// leave takes w out of the queue if it is still there.
func (l *Limiter) leave(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.place != nil {
		l.remove(w)
	}
}

// remove takes w out of the queue. Who is first then must look for its turn.
func (l *Limiter) remove(w *waiter) {
	l.queue.Remove(w.place)
	w.place = nil
	l.ahead -= w.n
	if l.queue.Len() == 0 {
		l.word.And(^int64(queued))
	}
	l.wakeFirst()
}

func (l *Limiter) first() *waiter {
	if first := l.queue.Front(); first != nil {
		return first.Value.(*waiter)
	}
	return nil
}

// wakeFirst makes the first of the queue look for its turn.
func (l *Limiter) wakeFirst() {
	if first := l.first(); first != nil {
		first.wake()
	}
}

func (w *waiter) wake() {
	select {
	case w.look <- struct{}{}:
	default: // it has not looked since
	}
}
