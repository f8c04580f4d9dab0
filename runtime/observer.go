package resilience

import (
	"errors"
	"sync"
)

// Observer is told what happens in a registry: in order, one event at a time,
// from a goroutine that calls do not wait for. So it can neither delay nor
// break a call, and may use the registry. If it is slow, at most 1024 events
// wait and what comes on top is dropped and counted; frequent kinds (Refused,
// CallEnded, Mismatch) leave the last quarter of the queue to the rare ones. A
// panic in it is recovered and counted. See [EventFigures]. Events may come
// before New has returned: an observer must not take for granted that the
// variable for its registry is set.
type Observer interface {
	Observe(Event)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// EventFigures counts what became of a registry's events. The log has a queue of
// its own.
type EventFigures struct {
	Delivered uint64 `json:"delivered"` // to the observers
	Dropped   uint64 `json:"dropped"`   // a queue was full, also that of the log or of an observer that came later
	Panics    uint64 `json:"panics"`    // of observers and the log, recovered
}

const (
	queueLimit    = 1024
	frequentLimit = queueLimit * 3 / 4
)

var (
	errUndelivered = errors.New("resilience: an observer did not take its last events in time")
	errUnlogged    = errors.New("resilience: the handler of the log did not take the last lines in time")
)

// events is a queue before observers. Its goroutine lives only while events wait.
type events struct {
	observers []Observer
	observed  bool // somebody is there
	calls     bool // somebody wants CallEnded

	mu         sync.Mutex
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
	if !q.delivering {
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

// drain waits for the delivery of what waits now, and returns late if that takes
// too long.
func (q *events) drain(late error) error {
	delivered := make(flush)
	q.mu.Lock()
	if !q.delivering {
		q.mu.Unlock()
		return nil
	}
	q.waiting = append(q.waiting, delivered)
	q.mu.Unlock()
	return within(closeWait, delivered, late)
}
