// Package extended adds to its wrappers what the interfaces do not ask for.
package extended

// Clock tells the time.
//
//resilience:breaker clock
type Clock interface {
	Now() (int, error)
	Set(now int) error
}

// Clock is the one that is wrapped.
func (w *ResilientClock) Clock() Clock { return w.next() }

func (w *ResilientClock) next() Clock { return w.inner }

func (w *ResilientClock) now() int {
	now, _ := w.Now()
	return now
}

var _ = (*ResilientClock).now
