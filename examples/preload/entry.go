package main

import (
	"context"
	"errors"
	"sync"
)

//go:generate go tool resgen

// Items is the client of the dependency.
//
//resilience:breaker
//resilience:bulkhead
type Items interface {
	// Fetch gets one item. The dependency is told for which entry.
	Fetch(ctx context.Context, entry int) error
}

// Page is the front-end: each entry shows five items.
type Page interface {
	Show(ctx context.Context, entry int) error
}

// PreloadedPage is a Page whose entries hold the permits of their five calls
// before they make the first.
type PreloadedPage interface {
	//resilience:anticipate preload=items:5
	Show(ctx context.Context, entry int) error
}

// CheckedPage is a PreloadedPage that also asks the breaker, and holds trials of one
// that recovers.
type CheckedPage interface {
	//resilience:anticipate check=items preload=items:5
	Show(ctx context.Context, entry int) error
}

// turns is a page whose entry makes its calls one after the other, and ends with the
// first that fails.
type turns struct{ items Items }

// Show fetches the items.
func (t turns) Show(ctx context.Context, entry int) error {
	for range callsPerEntry {
		if err := t.items.Fetch(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

// callsPerEntry is the 5 of the directives above.
const callsPerEntry = 5

// page is behind both: whether its entries are preloaded makes no difference to
// it.
type page struct{ items Items }

// Show fetches the items in parallel and needs all of them. A call that is
// refused does not cancel the others: they have begun.
func (p page) Show(ctx context.Context, entry int) error {
	failed := make([]error, callsPerEntry)
	var running sync.WaitGroup
	for i := range failed {
		running.Go(func() { failed[i] = p.items.Fetch(ctx, entry) })
	}
	running.Wait()
	return errors.Join(failed...)
}
