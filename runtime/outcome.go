package resilience

import (
	"context"
	"errors"
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

// String is "success", "failure" or "ignored".
func (o Outcome) String() string {
	switch o {
	case Success:
		return "success"
	case Failure:
		return "failure"
	case Ignored:
		return "ignored"
	}
	return "unknown outcome"
}

// MarshalText writes the outcome as its String.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// judge classifies the end of a call that returned err. Only what no rule of
// ours settles is for the user's classify: a caller that gave up and a refusal by
// a guard further in say nothing about the dependency, and what outlived its
// deadline has failed.
func (c *Call) judge(err error) Outcome {
	classify := c.guard.classify
	switch {
	case err != nil && (c.caller().Err() == context.Canceled || refusedInside(err)):
		return Ignored
	case err != nil && c.ctx.Err() == context.DeadlineExceeded && errors.Is(err, context.DeadlineExceeded):
		return Failure
	case classify != nil:
		return classify(err)
	case err != nil:
		return Failure
	}
	return Success
}

func refusedInside(err error) bool {
	_, refused := errors.AsType[*RefusalError](err)
	return refused
}
