package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
)

// experiment says what is measured: every state of A under every policy, each
// with one pool and with a pool for each dependency.
type experiment struct {
	rate       int           // requests per second to /a, and as many to /b
	timeout    time.Duration // of a call
	unbounded  bool          // there is none: it is the deadline that callers give
	pools      sizes
	warmUp     time.Duration // of each cell; not counted
	over       time.Duration // how long each cell is measured
	slice      time.Duration // of the charts
	sideBySide bool          // both ways to divide the permits at once
	states     []state
	policies   []policy
	notes      []string // on the settings file
}

// sizes are the permits of the pools.
type sizes struct{ shared, a, b int }

// state is how A does. Its role is what the claims know it by.
type state struct {
	role  role
	title string
	delay time.Duration // of its answers
	dead  bool          // it refuses connections
}

type role uint8

const (
	slow role = iota
	failing
	well
)

// policy is what a call does that finds no permit.
type policy struct {
	title    string        // a line feed parts it where it does not fit
	settings []byte        // the JSON file of both services
	deadline time.Duration // that the caller gives a request; 0: none
}

// lasts is how long the load of a cell takes.
func (e experiment) lasts() time.Duration { return e.warmUp + e.over }

// plan is the load of a cell.
func (e experiment) plan() load.Plan {
	return load.Plan{Rate: e.rate, WarmUp: e.warmUp, Over: e.over, Slice: e.slice, Timeout: 10 * e.timeout}
}

// run measures all cells and writes a row for each to out as it goes.
func (e experiment) run(ctx context.Context, d *stand.Dependencies, out, progress io.Writer) (*results, error) {
	r := &results{experiment: e, at: time.Now()}
	writeHead(out, e)
	line := newCountdown(progress, e.takes())
	defer line.clear()
	for _, st := range e.states {
		if err := st.impose(d); err != nil {
			return nil, fmt.Errorf("%s: %w", st.title, err)
		}
		for _, p := range e.policies {
			line.show(st.title + ", " + oneLine(p.title))
			c, err := e.measure(ctx, st, p, d)
			line.clear()
			if err != nil {
				return nil, err
			}
			writeRow(out, c)
			r.cells = append(r.cells, c)
		}
	}
	return r, nil
}

// takes is about how long all cells take, with the answers that come late.
func (e experiment) takes() time.Duration {
	each := e.lasts() + e.timeout/2
	if !e.sideBySide {
		each *= 2
	}
	return each * time.Duration(len(e.states)*len(e.policies))
}

// impose brings A into the state. Its delays differ by a tenth, as real ones do:
// if all were equal, permits would be taken and come back in waves.
func (st state) impose(d *stand.Dependencies) error {
	if st.dead {
		d.Dead()
		return nil
	}
	return d.Slow(st.delay, st.delay/20)
}
