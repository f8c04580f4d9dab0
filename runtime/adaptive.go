package resilience

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
)

// Limited is a change of the size of a bulkhead with "limit": "ADAPTIVE", at most
// one a second for each.
type Limited struct {
	At       time.Time `json:"at"`
	Bulkhead string    `json:"bulkhead"`
	From     int       `json:"from"` // maxConcurrentCalls in force
	To       int       `json:"to"`
	P90      Duration  `json:"p90"` // of the calls in the window that decided
	Why      string    `json:"why"`
}

func (Limited) event() {}

func newLimited(l bulkhead.Limited) Limited {
	return Limited{l.At, l.Bulkhead, l.From, l.To, Duration(l.P90), l.Why.String()}
}

// AdaptiveSnapshot is what moves the size of a bulkhead with "limit": "ADAPTIVE".
type AdaptiveSnapshot struct {
	Floor   int      `json:"floor"`           // the size never goes below it: minConcurrentCalls, or what one entry reserves
	Ceiling int      `json:"ceiling"`         // maxConcurrentCalls of the settings
	Target  Duration `json:"target,omitzero"` // nine of ten calls should take at most that long; 0: unknown, so that the size stays
	P90     Duration `json:"p90,omitzero"`    // of the last window of calls
	Last    *Limited `json:"last,omitempty"`  // nil: the size has not changed yet
}

func newAdaptiveSnapshot(s *bulkhead.AdaptiveSnapshot) *AdaptiveSnapshot {
	if s == nil {
		return nil
	}
	shown := &AdaptiveSnapshot{Floor: s.Floor, Ceiling: s.Ceiling, Target: Duration(s.Target), P90: Duration(s.P90)}
	if s.Last != nil {
		last := newLimited(*s.Last)
		shown.Last = &last
	}
	return shown
}

// adapt tells a bulkhead of the calls that use it, by the settings in force, and so
// its instances.
func (r *Registry) adapt(base string) {
	for name, b := range r.bulkheads.made {
		if config.Base(name) == base {
			b.Use(r.calls(name))
		}
	}
}

// adaptAll tells all of them, because a timeout may have changed.
func (r *Registry) adaptAll() {
	for name, b := range r.bulkheads.made {
		b.Use(r.calls(name))
	}
}

// checkTargets refuses settings by which a bulkhead adapts to calls of which nothing
// says what they may take.
func (r *Registry) checkTargets(settings *config.File, uses []config.Use) error {
	if faults := settings.Untargeted(uses); len(faults) > 0 {
		return faults
	}
	return nil
}

// calls are those that use a bulkhead. An instance of it has those of its base, with
// breakers of its own.
func (r *Registry) calls(name string) bulkhead.Calls {
	base := config.Base(name)
	uses, instance := r.usage.bulkhead(base), strings.TrimPrefix(name, base)
	var breakers []*breaker.Breaker
	for _, use := range uses {
		b, made := r.breakers.made[use.Breaker+instance]
		if !made {
			b, made = r.breakers.made[use.Breaker]
		}
		if made {
			breakers = append(breakers, b)
		}
	}
	return bulkhead.Calls{
		Reserved: r.reserves[config.Bulkheads+"."+name].n,
		Timeout:  r.settings.Shortest(uses),
		Well:     func() bool { return allClosed(breakers) },
	}
}

func allClosed(breakers []*breaker.Breaker) bool {
	for _, b := range breakers {
		if s := b.State(); s != Closed && s != Disabled && s != MetricsOnly {
			return false
		}
	}
	return true
}

// endAdaptive tells a bulkhead how the call ended, which took a time. A call that
// counts as nothing, such as one whose caller cancelled it, says nothing about load.
func (c *Call) endAdaptive(b *bulkhead.Bulkhead, outcome Outcome, now breaker.Instant, took time.Duration) {
	ending := bulkhead.Succeeded
	switch {
	case outcome == Success:
	case c.cutOff():
		ending = bulkhead.CutOff
	case outcome == Failure:
		ending = bulkhead.Failed
	default:
		return
	}
	b.Ended(int64(now), took, ending)
}

// cutOff reports whether a deadline ended the call, the guard's or its caller's.
func (c *Call) cutOff() bool {
	if c.measured != nil {
		if _, ours := errors.AsType[*timeoutError](c.measured.err); ours {
			return true
		}
	}
	return c.caller().Err() == context.DeadlineExceeded
}
