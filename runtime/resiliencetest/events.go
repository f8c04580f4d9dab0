package resiliencetest

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Recorder keeps the events of a registry. It is safe for concurrent use.
type Recorder struct {
	t      testing.TB
	mu     sync.Mutex
	all    []resilience.Event
	change chan struct{} // closed, and another one made, at each event
}

// recorders are those of the registries that New made.
var recorders sync.Map

func newRecorder(t testing.TB) *Recorder { return &Recorder{t: t, change: make(chan struct{})} }

// Events returns the recorder of a registry that [New] made. It has every event since
// then; calls that end are among them with the option [resilience.ObserveCalls].
func Events(t testing.TB, registry *resilience.Registry) *Recorder {
	t.Helper()
	recorder, known := recorders.Load(registry)
	if !known {
		t.Fatal("resiliencetest.Events: the registry is not made by resiliencetest.New")
	}
	return recorder.(*Recorder)
}

// Observe records an event.
func (r *Recorder) Observe(e resilience.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
	close(r.change)
	r.change = make(chan struct{})
}

// All returns the events so far, in their order.
func (r *Recorder) All() []resilience.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// waitsFor is how long Wait does. In a bubble of fake time it passes only when nothing
// else can happen.
const waitsFor = 10 * time.Second

// Wait returns the first n events of a kind, such as "Transition" or "Refused". It
// waits until there are so many, and ends the test if there are not in ten seconds.
func (r *Recorder) Wait(kind string, n int) []resilience.Event {
	r.t.Helper()
	timer := time.NewTimer(waitsFor)
	defer timer.Stop()
	for {
		found, change := r.kind(kind)
		if len(found) >= n {
			return found[:n]
		}
		select {
		case <-change:
		case <-timer.C:
			r.t.Fatalf("resiliencetest: %d events %s in %v, want %d", len(found), kind, waitsFor, n)
		}
	}
}

func (r *Recorder) kind(kind string) (found []resilience.Event, change <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.all {
		if reflect.TypeOf(e).Name() == kind {
			found = append(found, e)
		}
	}
	return found, r.change
}
