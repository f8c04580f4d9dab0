package resilience

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Observer is told what happens in a registry: in order, one event at a time,
// from a goroutine that calls do not wait for. So it can neither delay nor
// break a call, and may use the registry. If it is slow, at most 1024 events
// wait and what comes on top is dropped and counted; frequent kinds (Refused,
// CallEnded) leave the last quarter of the queue to the rare ones. A panic in
// it is recovered and counted. See [EventFigures].
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
	drainLimit    = 5 * time.Second
)

var errUndelivered = errors.New("resilience: an observer did not take its last events in time")

// events is the queue before the observers. Its goroutine lives only while
// events wait.
type events struct {
	observers []Observer
	observed  bool // somebody wants more than transitions
	calls     bool // somebody wants CallEnded

	mu      sync.Mutex
	waiting []Event
	idle    chan struct{} // closed when the goroutine ends; nil: none runs
	figures EventFigures
}

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
	if q.idle == nil {
		q.idle = make(chan struct{})
		go q.deliver(q.idle)
	}
}

func (q *events) deliver(idle chan struct{}) {
	defer close(idle)
	for {
		e, ok := q.take()
		if !ok {
			return
		}
		for _, observer := range q.observers {
			q.observe(observer, e)
		}
	}
}

func (q *events) take() (Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.waiting, q.idle = nil, nil
		return nil, false
	}
	e := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	q.figures.Delivered++
	return e, true
}

func (q *events) observe(observer Observer, e Event) {
	defer func() {
		if recover() != nil {
			q.mu.Lock()
			q.figures.Panics++
			q.mu.Unlock()
		}
	}()
	observer.Observe(e)
}

func (q *events) snapshot() EventFigures {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.figures
}

// drain waits until nothing waits any more, at most drainLimit.
func (q *events) drain() error {
	q.mu.Lock()
	idle := q.idle
	q.mu.Unlock()
	if idle == nil {
		return nil
	}
	timer := time.NewTimer(drainLimit)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
		return errUndelivered
	}
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
