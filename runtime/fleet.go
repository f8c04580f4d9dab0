package resilience

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	OutageTrial       = sharing.Tried   // processes may send trial calls, so many in all
	OutageTrialFailed = sharing.Renewed // the outage goes on
	OutageEnded       = sharing.Ended   // calls come back in every process, a growing share of them
)

// FleetLink says that this process lost the link to the others that share its
// breakers, and why, or that the link is back. In between each shared breaker
// decides for itself, but an outage holds on until its next try. A loss with a
// return right behind it is a warning: the server dropped what was no state of a
// breaker, or refuses some of its commands.
type FleetLink struct {
	At      time.Time `json:"at"`
	Breaker string    `json:"breaker,omitempty"` // empty: all that are shared
	Err     error     `json:"-"`                 // nil: the link is there; "error" in JSON
}

// MarshalJSON writes the error as text.
func (e FleetLink) MarshalJSON() ([]byte, error) {
	type fields FleetLink
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

func (r *Registry) fleetSnapshot() *FleetSnapshot {
	link := r.link.Load()
	if link == nil {
		return nil
	}
	s := &FleetSnapshot{Connected: link.Err == nil, Since: link.At, Fault: errorText(link.Err).Error}
	for _, b := range r.fleet.Snapshot() {
		one := newSharedBreaker(b)
		if fault, known := r.links.Load(b.Name); known {
			one.Fault = fault.(string)
		}
		s.Breakers = append(s.Breakers, one)
	}
	return s
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
			link := FleetLink{At: l.At, Breaker: l.Breaker, Err: redact.Error(l.Err)}
			r.noteLink(link)
			r.tell(link)
		},
		Warn: func(text string) { r.tell(SettingWarning{At: time.Now(), Text: text}) },
		Rest: func() { r.link.Store(nil) },
	}
}

// noteLink keeps the last news for snapshots.
func (r *Registry) noteLink(l FleetLink) {
	switch {
	case l.Breaker == "":
		r.link.Store(&l)
	case l.Err == nil:
		r.links.Delete(l.Breaker)
	default:
		r.links.Store(l.Breaker, errorText(l.Err).Error)
	}
}

// Fleet gives orders by hand for all processes that share a breaker; see
// [Registry.Fleet]. Its methods wait until the server has the order, as long as
// ctx; by says who gives it, and why. A time of 0 is until another order.
type Fleet struct{ registry *Registry }

// Fleet is for orders by hand to all processes that share breakers with this one.
func (r *Registry) Fleet() Fleet { return Fleet{r} }

// Open opens a breaker in every process, without trials.
func (f Fleet) Open(ctx context.Context, breaker, by string, lasts time.Duration) error {
	return f.order(ctx, breaker, sharing.Order{Word: "OPEN", By: by, For: lasts})
}

// Close ends an outage of a breaker, and what Open or Off ordered. The rule
// decides again.
func (f Fleet) Close(ctx context.Context, breaker, by string) error {
	return f.order(ctx, breaker, sharing.Order{Word: "CLOSE", By: by})
}

// Off makes every process decide for itself about a breaker.
func (f Fleet) Off(ctx context.Context, breaker, by string, lasts time.Duration) error {
	return f.order(ctx, breaker, sharing.Order{Word: "OFF", By: by, For: lasts})
}

func (f Fleet) order(ctx context.Context, breaker string, order sharing.Order) error {
	if err := f.registry.made(); err != nil {
		return fmt.Errorf("resilience: %w", err)
	}
	if f.registry.fleet == nil {
		return errors.New("resilience: no breaker is shared: New got no adapter, such as redis.Share()")
	}
	if strings.TrimSpace(order.By) == "" {
		return errors.New("resilience: an order to all processes needs to say who gives it, and why")
	}
	if err := f.registry.fleet.Order(ctx, breaker, order); err != nil {
		return fmt.Errorf("resilience: %w", err)
	}
	return nil
}

// SharedBreaker is what this process knows of a breaker in all processes that
// share it.
type SharedBreaker struct {
	Name        string       `json:"name"`
	At          time.Time    `json:"at,omitzero"`             // of the last news; zero: there were none
	Connected   bool         `json:"connected"`               // false: this process decides alone
	Fault       string       `json:"fault,omitempty"`         // why
	Calls       uint64       `json:"calls"`                   // of all processes in their windows; one counts for no more than four times the median
	Failures    uint64       `json:"failures"`                //
	Processes   int          `json:"processes"`               // that are alive
	Reporting   int          `json:"reporting"`               // of them: made calls lately
	Votes       int          `json:"votes"`                   // of them: opened their own breakers
	OutageSince time.Time    `json:"outageSince,omitzero"`    // zero: there is no outage
	RetryAt     time.Time    `json:"retryAt,omitzero"`        // trials begin then
	TrialsOut   int          `json:"trialsOut"`               // that run
	TrialsGood  int          `json:"trialsGood"`              //
	TrialsBad   int          `json:"trialsBad"`               //
	Reason      string       `json:"reason,omitempty"`        // of the last change
	Order       string       `json:"order,omitempty"`         // by hand: OPEN or OFF
	By          string       `json:"by,omitempty"`            // who gave it
	OrderUntil  time.Time    `json:"orderUntil,omitzero"`     // zero: until another
	Rule        SharedRule   `json:"rule"`                    // in force
	Others      []SharedRule `json:"otherSettings,omitempty"` // of processes whose settings differ, and don't hold
}

// SharedRule is the settings by which all processes decide together, and in how
// many of them they stand.
type SharedRule struct {
	OutageThreshold    float64  `json:"outageThreshold"`
	MinimumErrors      int      `json:"minimumErrors"`
	OutageWindow       Duration `json:"outageWindow"`
	MinimumVotes       int      `json:"minimumVotes"`
	VoteShare          float64  `json:"voteShare"`
	SecondsBeforeRetry Duration `json:"secondsBeforeRetry"`
	TrialTimeout       Duration `json:"trialTimeout"`
	RampInterval       Duration `json:"rampInterval"`
	TrialsGood         int      `json:"trialsGood"` // so many good trials end an outage,
	TrialsOf           int      `json:"trialsOf"`   // of so many
	Processes          int      `json:"processes"`
}

func newSharedBreaker(b sharing.Breaker) SharedBreaker {
	s := SharedBreaker{
		Name: b.Name, At: b.At, Connected: b.Linked, Calls: b.Calls, Failures: b.Failures, Processes: b.Processes, Reporting: b.Witnesses,
		Votes: b.Votes, OutageSince: b.OutageSince, RetryAt: b.RetryAt, TrialsOut: b.TrialsOut, TrialsGood: b.TrialsGood, TrialsBad: b.TrialsBad,
		Reason: b.Reason, Order: b.Order, By: b.By, OrderUntil: b.OrderUntil, Rule: newSharedRule(b.Rule),
	}
	for _, other := range b.Others {
		s.Others = append(s.Others, newSharedRule(other))
	}
	return s
}

func newSharedRule(r sharing.Rule) SharedRule {
	return SharedRule{
		r.OutageThreshold, r.MinimumErrors, Duration(r.OutageWindow), r.MinimumVotes, r.VoteShare, Duration(r.SecondsBeforeRetry),
		Duration(r.TrialTimeout), Duration(r.RampInterval), r.TrialsGood, r.TrialsOf, r.Processes,
	}
}
