package resilience

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Observer gets the events of a registry: in order, one at a time, from a
// goroutine that no call waits for. So it can neither delay nor break a call, and
// may use the registry. At most 1024 events wait for a slow observer; further ones
// are dropped and counted, and the frequent ones ([Refused], [CallEnded],
// [FellBack], [Mismatch]) leave the last quarter of the queue to the others. A panic in an
// observer is recovered and counted. See [EventFigures]. Events may come before
// [New] has returned, when the caller's variable for the registry is not set yet.
type Observer interface {
	Observe(Event)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// EventFigures counts the events of a registry. The log has a queue of its own.
type EventFigures struct {
	Delivered uint64 `json:"delivered"` // to the observers, and to what [Record] records
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
	calls     bool // somebody wants to know how calls end
	ends      bool // observers get CallEnded

	mu         sync.Mutex
	delivering bool
	waiting    []Event
	figures    EventFigures
	missed     missed // records, since the last one that found room

	records atomic.Uint64 // that found room; changed under mu

	// Of the goroutine that delivers:
	current Event
	told    int // observers that have been told of it
}

// flush is put behind the events that wait. It is closed when they have been
// delivered.
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
	q.push(e)
}

// push puts an event behind those that wait. The lock must be held.
func (q *events) push(e Event) {
	q.waiting = append(q.waiting, e)
	if !q.delivering {
		q.delivering = true
		go q.work()
	}
}

// work delivers until nothing waits. An observer that ends this goroutine counts
// as one that panicked.
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

// next makes the next event the current one. If none waits, the goroutine ends and
// must touch nothing more, because another may begin.
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
	if _, records := observer.(callRecorder); !records {
		if e = q.shown(e); e == nil {
			return
		}
	}
	observer.Observe(e)
}

func (q *events) snapshot() EventFigures {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.figures
}

// drain waits until the events that wait now are delivered. It returns the error
// late if that takes too long.
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
