package resilience

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/resgen-go/resgen/runtime/internal/errtree"
)

// Outcome says what a call's end means for its breaker.
type Outcome uint8

const (
	// Success counts for the dependency.
	Success Outcome = iota
	// Failure counts against it.
	Failure
	// Ignored gives the breaker's permit back and counts nowhere.
	Ignored
)

// abandoned is Ignored for a call that its caller cancelled, and that may have been
// slow by then.
const abandoned = Outcome(math.MaxUint8)

var outcomes = []string{Success: "success", Failure: "failure", Ignored: "ignored"}

// String is "success", "failure" or "ignored".
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// MarshalText writes the outcome as its String.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// judge judges a call that returned err. The user's classify judges only if no rule
// of ours does: a caller that gave up and a refusal by a guard further in say
// nothing about the dependency, and a call that outlived its deadline has failed.
func (c *Call) judge(err error) Outcome {
	if err != nil {
		if outcome, ruled := c.rule(err); ruled {
			return outcome
		}
	}
	switch classify := c.guard.classify; {
	case classify != nil:
		return classify(err)
	case err != nil:
		return Failure
	}
	return Success
}

// rule judges an error by our rules; ruled is false if none applies. None applies
// to an error that panics when it is unwrapped, such as a nil pointer.
func (c *Call) rule(err error) (outcome Outcome, ruled bool) {
	defer func() {
		if recover() != nil {
			ruled = false
		}
	}()
	switch cancelled := c.cancelled(); {
	case cancelled && c.slowAt == 0 || refusedInside(err):
		return Ignored, true
	case cancelled:
		return abandoned, true
	case errors.Is(err, ErrTimeout) || c.outlived(err):
		return Failure, true
	}
	return 0, false
}

func (c *Call) cancelled() bool { return c.caller().Err() == context.Canceled }

// refusedInside reports whether err consists of refusals by guards further in, and
// of nothing else. Refusals with KindDone alone don't count, because such a guard
// only passes the context's error on.
func refusedInside(err error) bool {
	only, asked := refusals(err)
	return only && asked
}

// refusals reports whether err consists of refusals only, and whether one of them
// is by a guard that was asked.
func refusals(err error) (only, asked bool) {
	for ; err != nil; err = errors.Unwrap(err) {
		if refusal, is := err.(*RefusalError); is {
			return true, refusal.asked()
		}
		if all := errtree.Joined(err); len(all) > 0 {
			return everyRefusal(all)
		}
		only, asked = shownAsRefusal(err)
	}
	return only, asked // of the innermost
}

func everyRefusal(all []error) (only, asked bool) {
	only = true
	for _, err := range all {
		if err == nil {
			continue
		}
		isOne, wasAsked := refusals(err)
		only, asked = only && isOne, asked || wasAsked
	}
	return only, asked
}

// shownAsRefusal reports the same of an error whose As method shows a refusal.
func shownAsRefusal(err error) (is, asked bool) {
	if shows, can := err.(interface{ As(any) bool }); can {
		var refusal *RefusalError
		is = shows.As(&refusal)
		return is, is && refusal.asked()
	}
	return false, false
}

// asked reports whether a guard was asked and refused.
func (e *RefusalError) asked() bool { return e == nil || e.Kind != KindDone }

// outlived reports whether the caller's deadline has passed and err says so: it is
// the error of the context, or of a connection with the same deadline.
func (c *Call) outlived(err error) bool {
	return late(c.ctx) && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded))
}
