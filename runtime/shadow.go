package resilience

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
)

// ShadowTransition is a change of state that a breaker would have made by the settings
// that are tried beside its own, which are its shadow. The breaker is as it was.
type ShadowTransition struct{ Transition }

// ShadowSnapshot is what a breaker would be by the settings that are tried beside its
// own. It gets the outcomes of the calls that the breaker admits, and refuses none.
type ShadowSnapshot struct {
	Strategy          string    `json:"strategy"`
	State             State     `json:"state"`
	Since             time.Time `json:"since"`
	Reason            string    `json:"reason,omitempty"`
	OpensAt           float64   `json:"opensAt,omitzero"`  // percent of failed calls in a full window; 0: by another rule
	Opened            uint64    `json:"opened"`            // how often, since it is tried
	WouldRefuse       uint64    `json:"wouldRefuse"`       // calls since then that the breaker admitted
	WouldRefuseFailed uint64    `json:"wouldRefuseFailed"` // of these: those that failed
	Figures
}

func newShadowSnapshot(b *breaker.Breaker) *ShadowSnapshot {
	if b == nil {
		return nil
	}
	s := b.Snapshot()
	shown := &ShadowSnapshot{
		Strategy: s.Strategy, State: s.State, Since: s.Since, Reason: s.Reason, OpensAt: s.OpensAt,
		WouldRefuse: s.WouldRefuse, WouldRefuseFailed: s.WouldFail, Figures: Figures(s.Figures),
	}
	for _, to := range s.Ever.Moves {
		shown.Opened += to[Open]
	}
	return shown
}

// try tries the settings beside those of a breaker, if there are some.
func (r *Registry) try(b *breaker.Breaker, settings breaker.Settings) (apply func()) {
	var strategy breaker.Strategy
	if shadow := settings.Trial(); shadow != nil {
		strategy = shadow.Strategy()
	}
	return func() { b.Try(strategy, func(t breaker.Transition) { r.tell(ShadowTransition{newTransition(t)}) }) }
}

func newTransition(t breaker.Transition) Transition {
	return Transition{
		At: t.At, Breaker: t.Breaker, From: t.From, To: t.To, DryRun: t.Dry,
		Reason: t.Reason, By: t.By, Figures: Figures(t.Figures), Refused: t.Refused, Lasted: Duration(t.Duration),
		LastFailure: Trouble(t.LastFailure), LastProbe: Trouble(t.LastProbe),
	}
}
