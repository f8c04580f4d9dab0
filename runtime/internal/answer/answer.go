// Package answer finds out what a service has to answer where guards stood in the
// way of its work. It knows no protocol.
package answer

import (
	"context"
	"errors"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/errtree"
)

// Kind is what guards have done.
type Kind uint8

const (
	Other    Kind = iota // nothing: the error is somebody else's
	Refused              // a guard refused: another try makes sense later
	TimedOut             // a timeout of ours ended a call, or the deadline of the work had passed before one began
	Gone                 // the caller had cancelled before a call began
)

// Answer is what is to be said about an error.
type Answer struct {
	Kind
	RetryAfter time.Duration // at the earliest, where known
	Known      bool
}

// To finds what guards did among all errors that err is made of. One refusal is
// enough to be Refused. Of several, the longest wait counts, because all have to
// be over.
func To(err error) Answer {
	var a Answer
	for chain := range errtree.Chains(err) {
		if refusal, found := errors.AsType[*resilience.RefusalError](chain[0]); found && refusal != nil {
			a.add(refusal)
		}
	}
	if a.Kind == Other && errors.Is(err, resilience.ErrTimeout) {
		a.Kind = TimedOut
	}
	return a
}

func (a *Answer) add(refusal *resilience.RefusalError) {
	switch {
	case refusal.Kind != resilience.KindDone:
		a.Kind = Refused
	case a.Kind != Other: // that says more
	case errors.Is(refusal, context.Canceled):
		a.Kind = Gone
	default:
		a.Kind = TimedOut
	}
	if after, known := refusal.RetryAfter(); known {
		a.RetryAfter, a.Known = max(a.RetryAfter, after), true
	}
}
