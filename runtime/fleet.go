package resilience

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/redact"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// Adapter makes breakers with "shared": true in the settings one for many
// processes. Adapters are packages below this one, such as runtime/redis, whose
// Share is the option to pass to [New]. Others can't be made.
type Adapter interface{ sharing.Adapter }

// Share lets an adapter share breakers. The function is called once for each
// registry, which keeps the adapter. See the Share of an adapter's package.
func Share(adapter func() Adapter) Option {
	return func(s *setup) {
		if adapter != nil {
			s.fleet = adapter()
		}
		if s.fleet == nil {
			s.fault = errors.New("resilience: Share got no adapter, so nothing would be shared; pass the Share of an adapter's package, such as runtime/redis")
		}
	}
}

// Outage is a change that the processes which share a breaker made together.
// Only the process that made the change has the event; each has a [Transition] of
// its own breaker.
type Outage struct {
	At      time.Time    `json:"at"` // by the clock of the server that the processes share
	Breaker string       `json:"breaker"`
	Change  OutageChange `json:"change"`
	Reason  string       `json:"reason"` // in words, with the figures that decided
}

// OutageChange is what happened to an outage; see the constants.
type OutageChange = sharing.Change

// The changes of an outage.
const (
	OutageBegan       = sharing.Began   // every process holds the breaker OPEN
	OutageTrial       = sharing.Tried   // one process may send trial calls
	OutageTrialFailed = sharing.Renewed // the outage goes on
	OutageEnded       = sharing.Ended   // every process closes the breaker
)

// FleetLink says that this process lost the link to the others that share its
// breakers, and why, or that the link is back. In between each shared breaker
// decides for itself. A loss with a return right behind it is a warning: the server
// has forgotten an outage, or refuses some of its commands.
type FleetLink struct {
	At  time.Time `json:"at"`
	Err error     `json:"-"` // nil: the link is there; "error" in JSON
}

// MarshalJSON writes the error as text.
func (e FleetLink) MarshalJSON() ([]byte, error) {
	type fields FleetLink
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

func (l *FleetLink) snapshot() *FleetSnapshot {
	if l == nil {
		return nil
	}
	return &FleetSnapshot{Connected: l.Err == nil, Since: l.At, Fault: errorText(l.Err).Error}
}

func (Outage) event()    {}
func (FleetLink) event() {}

// share gives new settings to the adapter before they are in force.
func (r *Registry) share(settings *config.File) error {
	if r.fleet == nil {
		return nil
	}
	return r.fleet.Configure(settings.SharedState(), settings.Shares())
}

// enlist shares a breaker, or ends that, as its settings say.
func (r *Registry) enlist(b *breaker.Breaker, settings breaker.Settings) {
	switch {
	case r.fleet == nil:
	case settings.Sharing().Shared:
		r.fleet.Join(b, settings.Sharing())
	default:
		r.fleet.Leave(b)
	}
}

// shares reports whether a breaker is shared.
func (r *Registry) shares(name string) bool {
	return r.fleet != nil && r.breakers.settings(r.settings, name).Sharing().Shared
}

func (r *Registry) fleetHooks() sharing.Hooks {
	return sharing.Hooks{
		Outage: func(o sharing.Outage) {
			r.tell(Outage{At: o.At, Breaker: o.Breaker, Change: o.Change, Reason: o.Reason})
		},
		Link: func(l sharing.Link) {
			link := FleetLink{At: l.At, Err: redact.Error(l.Err)}
			r.link.Store(&link)
			r.tell(link)
		},
		Rest: func() { r.link.Store(nil) },
	}
}
