package resilience

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// Ready waits until the breakers of the given names, or all that wrappers use,
// admit calls. Breakers with CANARY_RATE_THRESHOLD start OPEN and probe first, so a
// new process that waits before it takes requests refuses none of them only
// because its first probes are still running. A breaker of another strategy is
// ready from the start.
//
// The error names the breakers that are still OPEN when the context is done, with
// the last errors of their probes, and matches the context's error. It is an error
// at once if no wrapper uses a name and the settings don't have it; for a closed
// registry it is [ErrClosed].
func (r *Registry) Ready(ctx context.Context, names ...string) error {
	breakers, err := r.breakersOf(names)
	if err != nil {
		return err
	}
	for _, b := range breakers {
		if !r.awaitReady(ctx, b) {
			return r.notReady(ctx, breakers)
		}
	}
	return nil
}

// breakersOf are the breakers of the given names, or all.
func (r *Registry) breakersOf(names []string) ([]*breaker.Breaker, error) {
	if len(names) == 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.breakers.all(), nil
	}
	breakers := make([]*breaker.Breaker, 0, len(names))
	for _, name := range names {
		b, err := r.knownBreaker(name)
		if err != nil {
			return nil, err
		}
		breakers = append(breakers, b)
	}
	return breakers, nil
}

// awaitReady waits for b. It returns false if ctx is done or r closed before.
func (r *Registry) awaitReady(ctx context.Context, b *breaker.Breaker) bool {
	news := make(chan struct{}, 1)
	b.Watch(news)
	defer b.Unwatch(news)
	for {
		ready, again := b.Ready()
		if ready && !r.isClosed() {
			return true
		}
		timer := time.NewTimer(again)
		select {
		case <-news:
		case <-timer.C:
		case <-r.ended:
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}

func (r *Registry) notReady(ctx context.Context, breakers []*breaker.Breaker) error {
	if r.isClosed() {
		return ErrClosed
	}
	var open []string
	for _, b := range breakers {
		if ready, _ := b.Ready(); ready {
			continue
		}
		text := fmt.Sprintf("breaker %s is %v", b.Name(), b.State())
		if probe := b.Snapshot().LastProbe.Error; probe != "" {
			text += " (last probe: " + probe + ")"
		}
		open = append(open, text)
	}
	return fmt.Errorf("resilience: not ready: %s: %w", strings.Join(open, ", "), bulkhead.WithCause(ctx, ctx.Err()))
}
