package resilience

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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

// UnmarshalText reads what MarshalText wrote.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomes, string(text))
	if i < 0 {
		return fmt.Errorf("%q is no outcome", text)
	}
	*o = Outcome(i)
	return nil
}

// judge classifies the end of a call that returned err. Only what no rule of
// ours settles is for the user's classify: a caller that gave up and a refusal by
// a guard further in say nothing about the dependency, and what outlived its
// deadline has failed.
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

// rule judges an error by our rules, if one settles it. None does if the error
// can't be looked into, as a nil pointer of a type that wraps others.
func (c *Call) rule(err error) (outcome Outcome, ruled bool) {
	defer func() {
		if recover() != nil {
			ruled = false
		}
	}()
	switch {
	case c.caller().Err() == context.Canceled || refusedInside(err):
		return Ignored, true
	case errors.Is(err, ErrTimeout) || c.outlived(err):
		return Failure, true
	}
	return 0, false
}

// refusedInside reports a refusal by a guard further in. One whose context was
// done before it was asked only passes the context's error on.
func refusedInside(err error) bool {
	refusal, refused := errors.AsType[*RefusalError](err)
	return refused && (refusal == nil || refusal.Kind != KindDone)
}

// outlived reports an error by which a client says that the caller's deadline has
// passed: the context's, or that of a connection which has its deadline from it.
func (c *Call) outlived(err error) bool {
	return late(c.ctx) && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded))
}
