package main

import resilience "github.com/resgen-go/resgen/runtime"

// tally counts what came of some calls.
type tally struct {
	Lost     int // made to the dependency and failed
	InTrials int // those of the lost that a breaker let through that was not CLOSED
	Wronged  int // refused, though the dependency would have answered well
}

func count(calls []seen) tally {
	var t tally
	for _, c := range calls {
		if c.lost {
			t.Lost++
			if c.found != resilience.Closed {
				t.InTrials++
			}
		}
		if c.wronged {
			t.Wronged++
		}
	}
	return t
}

// countBad counts the calls that a dependency does not answer well.
func countBad(answers []answer) int {
	bad := 0
	for _, a := range answers {
		if a != well {
			bad++
		}
	}
	return bad
}

// ofTurn is the part of something about all calls that is about those of a turn.
func ofTurn[T any](calls []T, i int) []T {
	return calls[i*callsPerTurn : (i+1)*callsPerTurn]
}
