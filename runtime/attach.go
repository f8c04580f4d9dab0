package resilience

import (
	"errors"
	"slices"
	"sync"
)

// Observe adds an observer to a registry that works already, until stop is
// called; an event that is on its way then may still come. It gets the rare
// events only: not [Refused], [Mismatch] and [CallEnded], so that calls don't pay
// for it. It has a queue of its own, and neither waits for other observers nor
// holds them up. Of a registry that New did not make it gets nothing.
func (r *Registry) Observe(observer Observer) (stop func()) {
	if r.made() != nil || observer == nil {
		return func() {}
	}
	return r.attached.add(&events{observers: []Observer{observer}})
}

// Done is closed when Close has done its work: the settings are followed no more
// and every event has been delivered. It is nil if New did not make the registry.
func (r *Registry) Done() <-chan struct{} {
	if r.made() != nil {
		return nil
	}
	return r.ended
}

// attached are the queues of observers that came after New.
type attached struct {
	mu  sync.Mutex
	all []*events
}

func (a *attached) add(q *events) (remove func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(slices.Clip(a.all), q)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.all = slices.DeleteFunc(slices.Clone(a.all), func(other *events) bool { return other == q })
	}
}

// now are the queues of this moment, which nobody changes.
func (a *attached) now() []*events {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

func (a *attached) emit(e Event) {
	for _, q := range a.now() {
		q.emit(e)
	}
}

func (a *attached) drain() (err error) {
	for _, q := range a.now() {
		err = errors.Join(err, q.drain(errUndelivered))
	}
	return err
}

// add adds what became of the events of a queue.
func (f *EventFigures) add(other EventFigures) {
	f.Dropped += other.Dropped
	f.Panics += other.Panics
}
