package stand

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"
)

// Try calls both dependencies as they are, without guards, and returns how long
// A takes: the middle of a few calls. It is an error if one does not answer, and
// says so where nothing listens.
func (d *Dependencies) Try(ctx context.Context) (aTakes time.Duration, err error) {
	const calls = 5
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := errors.Join(d.listens(ctx, "A", d.upstream), d.listens(ctx, "B", d.b)); err != nil {
		return 0, err
	}
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

// listens connects to an address. The proxy before A would accept a connection
// also where nothing is behind it.
func (d *Dependencies) listens(ctx context.Context, name string, at address) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", at.addr)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("try %s: nothing listens at %s (%s)", name, at.url, at.addr)
	case err != nil:
		return fmt.Errorf("try %s: %s: %w", name, at.url, err)
	}
	return conn.Close()
}
