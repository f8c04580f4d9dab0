// Package classified tells failures from successes with functions of its own
// and of another package.
package classified

import (
	"context"
	"errors"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/classified/judge"
)

// ErrNoSuchBox is no failure of the server.
var ErrNoSuchBox = errors.New("no such box")

// Mail sends and reads mail.
//
//resilience:breaker mail classify=classify
type Mail interface {
	Send(ctx context.Context, to, text string) error

	//resilience:breaker mail classify=judge.Everything
	Read(ctx context.Context, box string) ([]judge.Letter, error)
}

func classify(err error) resilience.Outcome {
	switch {
	case err == nil:
		return resilience.Success
	case errors.Is(err, ErrNoSuchBox):
		return resilience.Ignored
	}
	return resilience.Failure
}
