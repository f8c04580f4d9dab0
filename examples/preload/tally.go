package main

import (
	"errors"
	"fmt"

	resilience "github.com/resgen-go/resgen/runtime"
)

// tally is what a side did at one rate.
type tally struct {
	entries, ok   int // offered; of these, with every call answered
	calls, wasted int // that reached the dependency; of these, for entries that then failed
}

// tally counts the entries from the first on. An entry that failed for another
// reason than a full pool is an error: then something else was measured.
func (s *side) tally(first int) (tally, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var t tally
	for entry, ended := range s.ended {
		err := ended.err
		if entry < first {
			continue
		}
		calls := s.dependency.callsFor(entry)
		t.entries++
		t.calls += calls
		switch {
		case err == nil:
			t.ok++
		case errors.Is(err, resilience.ErrFull):
			t.wasted += calls
		default:
			return tally{}, fmt.Errorf("entry %d failed, though the pool was not full: %w", entry, err)
		}
	}
	return t, nil
}

// okPercent is the share of the entries that went well.
func (t tally) okPercent() float64 { return percent(t.ok, t.entries) }

// wastedPercent is the share of the calls that were made for nothing.
func (t tally) wastedPercent() float64 { return percent(t.wasted, t.calls) }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
