package resilience

import (
	"context"
	"errors"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/faults"
)

// ErrInjected is the error of calls that the settings let fail; see [Faults].
var ErrInjected = errors.New("resilience: the settings of faults let this call fail")

// Faults lets the section faults of the settings make calls slow or fail, to try what
// the guards, the callers and the people on duty do then. Without this option such a
// section is a fault of the file. What is injected takes the place of the client, or
// comes before it: after all guards, within the timeout. It ends by itself, at the time
// that the settings must name, at most 24 hours ahead.
func Faults() Option { return func(s *setup) { s.faults = true } }

// Faulty says that the settings begin to inject faults into the calls of a name, or that
// this is over.
type Faulty struct {
	At           time.Time `json:"at"`
	Name         string    `json:"name"` // of the breaker of the calls, else of the bulkhead
	Active       bool      `json:"active"`
	FailPercent  float64   `json:"failPercent"`
	Delay        Duration  `json:"delay,omitzero"`
	DelayPercent float64   `json:"delayPercent,omitzero"` // of the calls, if there is a delay
	Until        time.Time `json:"until"`
	Failed       uint64    `json:"failed"`  // calls, since the first wrapper with the name was made
	Delayed      uint64    `json:"delayed"` // likewise
}

func (Faulty) event() {}

// FaultSnapshot is what the settings of faults do to the calls of one name.
type FaultSnapshot struct {
	Name         string    `json:"name"`
	Active       bool      `json:"active"`
	FailPercent  float64   `json:"failPercent,omitzero"`
	Delay        Duration  `json:"delay,omitzero"`
	DelayPercent float64   `json:"delayPercent,omitzero"`
	Until        time.Time `json:"until,omitzero"`
	Failed       uint64    `json:"failed"`  // calls, since the first wrapper with the name was made
	Delayed      uint64    `json:"delayed"` // likewise
}

func newFaultSnapshot(s faults.Snapshot) FaultSnapshot {
	delay, percent := delayOf(&s.Settings)
	return FaultSnapshot{s.Name, s.Active, s.FailPercent, delay, percent, s.Until, s.Failed, s.Delayed}
}

func delayOf(s *faults.Settings) (delay Duration, percent float64) {
	if s.Delay == nil {
		return 0, 0
	}
	return Duration(*s.Delay), s.DelayPercent
}

func (r *Registry) newFault(name string, s *faults.Settings) *faults.Fault {
	return faults.New(name, s, func(c faults.Change) {
		delay, percent := delayOf(&c.Settings)
		r.tell(Faulty{c.At, c.Name, c.Active, c.FailPercent, delay, percent, c.Until, c.Failed, c.Delayed})
	})
}

// faultsOf is what the settings do to the calls of a name; nil without the option. No
// file has to have the name.
func (r *Registry) faultsOf(name string) *faults.Fault {
	if !r.injects {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.faults.made[name]
	if f == nil && !r.closed {
		f = r.faults.create(name, r.faults.settings(r.settings, name))
		r.faults.made[name] = f
	}
	return f
}

// faulty is what the settings do to the calls of a guard; nil without the option.
func (r *Registry) faulty(g *Guard) *faults.Fault {
	switch {
	case g.breaker != nil:
		return r.faultsOf(g.breaker.Name())
	case g.bulkhead != nil:
		return r.faultsOf(g.bulkhead.Name())
	}
	return nil
}

// inject does to a call that was admitted what the settings say. An error ends the call;
// an attempt is ended by who made it, and may be followed by another one.
func (c *Call) inject(g *Guard) error {
	err := suffer(c.ctx, g.faults.Next)
	if err == nil || g.retry != nil {
		return err
	}
	return c.Finish(err)
}

// suffer waits and fails as next says, or as the context does meanwhile.
func suffer(ctx context.Context, next func() (delay time.Duration, fails bool)) error {
	delay, fails := next()
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if fails {
		return ErrInjected
	}
	return nil
}

// suffering is a probe that the settings may hit, too.
func (r *Registry) suffering(name string, probe func(context.Context) error) func(context.Context) error {
	f := r.faultsOf(name)
	if f == nil {
		return probe
	}
	return func(ctx context.Context) error {
		if err := suffer(ctx, f.NextProbe); err != nil {
			return err
		}
		return probe(ctx)
	}
}
