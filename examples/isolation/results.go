package main

import (
	"time"
)

// results are all that was measured.
type results struct {
	experiment
	at    time.Time // when it began
	cells []cell
}

// cell finds the cell of a state and a policy. Where A is not made slowish, the
// reference shows it well.
func (r *results) cell(role role, p policy) cell {
	for _, c := range r.cells {
		if c.state.role == role && c.policy.title == p.title {
			return c
		}
	}
	if role == well {
		return r.cell(reference, p)
	}
	return cell{}
}
