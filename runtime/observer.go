package resilience

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// Observer is told what happens in a registry: in order, one event at a time,
// from a goroutine that calls do not wait for. So it can neither delay nor
// break a call, and may use the registry. If it is slow, at most 1024 events
// wait and what comes on top is dropped and counted; frequent kinds (Refused,
// CallEnded, Mismatch) leave the last quarter of the queue to the rare ones. A
// panic in it is recovered and counted. See [EventFigures]. Events begin to come
// when New has returned.
type Observer interface {
	Observe(Event)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// EventFigures counts what became of a registry's events.
type EventFigures struct {
	Delivered uint64 `json:"delivered"`
	Dropped   uint64 `json:"dropped"` // the queue was full
	Panics    uint64 `json:"panics"`  // of observers, recovered
}

const (
	queueLimit    = 1024
	frequentLimit = queueLimit * 3 / 4
)

var errUndelivered = errors.New("resilience: an observer did not take its last events in time")

// events is the queue before the observers. Its goroutine lives only while
// events wait.
type events struct {
	observers []Observer
	observed  bool // somebody wants more than transitions
	calls     bool // somebody wants CallEnded

	mu         sync.Mutex
	started    bool
	delivering bool
	waiting    []Event
	figures    EventFigures

	// Of the goroutine that delivers:
	current Event
	told    int // observers that have been told of it
}

// flush is what Close puts behind the events that wait: it is closed when they
// have been delivered.
type flush chan struct{}

func (flush) event() {}

func (q *events) emit(e Event) { q.add(e, queueLimit) }

func (q *events) emitFrequent(e Event) { q.add(e, frequentLimit) }

func (q *events) add(e Event, limit int) {
	if len(q.observers) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= limit {
		q.figures.Dropped++
		return
	}
	q.waiting = append(q.waiting, e)
	q.deliver()
}

// start lets the events go that have come so far.
func (q *events) start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.started = true
	q.deliver()
}

// deliver sees to it that a goroutine delivers what waits. The lock is held.
func (q *events) deliver() {
	if q.started && !q.delivering && len(q.waiting) > 0 {
		q.delivering = true
		go q.work()
	}
}

// work delivers until nothing waits. An observer that ends this goroutine has
// panicked as far as others are concerned.
func (q *events) work() {
	done := false
	defer func() {
		if !done {
			q.countPanic()
			go q.work()
		}
	}()
	for more := true; more; more = q.next() {
		for q.current != nil && q.told < len(q.observers) {
			q.told++
			q.observe(q.observers[q.told-1], q.current)
		}
	}
	done = true
}

// next makes the next event the current one. Where none waits, the goroutine has
// nothing of its own any more, for another may begin.
func (q *events) next() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.current, q.told = nil, 0
	if len(q.waiting) == 0 {
		q.waiting, q.delivering = nil, false
		return false
	}
	q.current, q.waiting[0] = q.waiting[0], nil
	q.waiting = q.waiting[1:]
	if f, ok := q.current.(flush); ok {
		close(f)
		q.told = len(q.observers)
	} else {
		q.figures.Delivered++
	}
	return true
}

func (q *events) countPanic() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.figures.Panics++
}

func (q *events) observe(observer Observer, e Event) {
	defer func() {
		if recover() != nil {
			q.countPanic()
		}
	}()
	observer.Observe(e)
}

func (q *events) snapshot() EventFigures {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.figures
}

// drain waits for the delivery of what waits now, for a time.
func (q *events) drain() error {
	delivered := make(flush)
	q.mu.Lock()
	if !q.delivering {
		q.mu.Unlock()
		return nil
	}
	q.waiting = append(q.waiting, delivered)
	q.mu.Unlock()
	return within(patience, delivered, errUndelivered)
}

// transitionLog is the observer that every registry has.
type transitionLog struct{ logger *slog.Logger }

func (l transitionLog) Observe(e Event) {
	t, ok := e.(Transition)
	if !ok {
		return
	}
	level := slog.LevelInfo
	if t.To == Open || t.To == ForcedOpen {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("breaker", t.Breaker),
		slog.String("from", t.From.String()),
		slog.String("to", t.To.String()),
		slog.String("reason", t.Reason),
	}
	if t.By != "" {
		attrs = append(attrs, slog.String("by", t.By))
	}
	l.logger.LogAttrs(context.Background(), level, "breaker changed state", attrs...)
}
