package stand

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Try calls both dependencies as they are, without guards, and returns how long
// A takes: the middle of a few calls. It is an error if one does not answer.
func (d *Dependencies) Try(ctx context.Context) (aTakes time.Duration, err error) {
	const calls = 5
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	bare := clients{d.a.client(1), d.b.client(1)}
	defer bare.closeIdle()
	if err := bare.B(ctx); err != nil {
		return 0, fmt.Errorf("try B: %w", err)
	}
	var took []time.Duration
	for range calls {
		began := time.Now()
		if err := bare.A(ctx); err != nil {
			return 0, fmt.Errorf("try A: %w", err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[calls/2], nil
}
