package resilience

import (
	"errors"
	"fmt"
	"time"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/internal/nearest"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/config"
)

// Breaker is one breaker of a registry, to look at and to control by hand. The
// argument by of its methods says who asks, or why; the [Transition] has it.
type Breaker struct{ core *breaker.Breaker }

// Breaker returns the breaker of that name. It is an error if no wrapper uses it
// and the settings don't name it.
func (r *Registry) Breaker(name string) (*Breaker, error) {
	core, err := r.knownBreaker(name)
	if err != nil {
		return nil, err
	}
	return &Breaker{core}, nil
}

// knownBreaker is the breaker of a name that a wrapper uses or the settings have.
func (r *Registry) knownBreaker(name string) (*breaker.Breaker, error) {
	if err := r.made(); err != nil {
		return nil, fmt.Errorf("resilience: %w", err)
	}
	if err := r.checkBreaker(name); err != nil {
		return nil, err
	}
	return r.breakers.find(r, name)
}

func (r *Registry) checkBreaker(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.breakers.has(name) || r.settings.Has(config.Breakers, name) {
		return nil
	}
	names := append(r.settings.Names(config.Breakers), r.breakers.names()...)
	text := "resilience: no breaker " + glyph.Quoted(name)
	if near, ok := nearest.Name(name, names); ok {
		text += fmt.Sprintf(", did you mean %q?", near)
	}
	return errors.New(text)
}

// Name is the breaker's name.
func (b *Breaker) Name() string { return b.core.Name() }

// State returns the state. Asking never changes it: an OPEN breaker whose delay
// is over reads OPEN until a call comes. See Admits.
func (b *Breaker) State() State { return b.core.State() }

// Admits reports whether the breaker would admit a call right now. Asking
// changes nothing.
func (b *Breaker) Admits() bool {
	_, admits := b.core.Gate()
	return admits
}

// RetryAfter returns the time until Admits may turn true, 0 while it is true. It
// returns false where that time is not known.
func (b *Breaker) RetryAfter() (time.Duration, bool) {
	if b.Admits() {
		return 0, true
	}
	retryAt, known := b.core.RetryAt()
	if !known {
		return 0, false
	}
	return max(0, retryAt.Sub(breaker.Now())), true
}

// Trip opens the breaker, which leaves OPEN again by its own rules. A breaker that
// is OPEN already goes on waiting, and FORCED_OPEN stays.
func (b *Breaker) Trip(by string) { b.core.Trip(by) }

// ForceOpen makes the breaker refuse everything until Reset. This is how a
// dependency is shut off by hand.
func (b *Breaker) ForceOpen(by string) { b.core.ForceOpen(by) }

// Disable makes the breaker admit everything and count nothing, until Reset or
// another change by hand.
func (b *Breaker) Disable(by string) { b.core.Disable(by) }

// MetricsOnly makes the breaker admit everything and count, but never open by
// itself, until Reset or another change by hand.
func (b *Breaker) MetricsOnly(by string) { b.core.MetricsOnly(by) }

// Reset makes the breaker CLOSED and empty, from every state.
func (b *Breaker) Reset(by string) { b.core.Reset(by) }

// ExternalProbe leaves the health check of a breaker to the caller: call report
// with nil when the dependency is well and with an error when it is not. The
// breaker then starts no probes of its own. Reports count while the breaker is
// OPEN, if its strategy asks for probes. It is an error if the breaker has a probe
// already, or if no wrapper uses it and the settings don't name it.
func (r *Registry) ExternalProbe(name string) (report func(error), err error) {
	b, err := r.knownBreaker(name)
	if err != nil {
		return nil, err
	}
	r.wiring.Lock()
	defer r.wiring.Unlock()
	tell, err := b.ExternalProbe()
	if err != nil {
		return nil, err
	}
	r.circles.own(name, owner{})
	r.noteUses([]config.Use{{Breaker: name, Probe: true}})
	return func(err error) {
		tell(err)
		r.lookForCircle(name, err)
	}, nil
}

// newHooks turn the news of breakers into events.
func (r *Registry) newHooks() breaker.Hooks {
	return breaker.Hooks{
		Fleet: func(e breaker.FleetEvent) {
			if r.fleet != nil {
				r.fleet.Event(e)
			}
		},
		Transition: func(t breaker.Transition) {
			if t.To == Closed {
				r.closings.Add(1)
			}
			if r.fleet != nil {
				r.fleet.Transition(t)
			}
			r.tell(newTransition(t))
		},
		Probe: func(p breaker.Probe) {
			r.tell(Probed{
				At: p.At, Breaker: p.Breaker, Err: p.Err, Overdue: p.Overdue,
				External: p.External, Duration: Duration(p.Took),
			})
		},
	}
}
